// SPDX-License-Identifier: Apache-2.0

// Media types of Content-Type and Accept.

/// A media type, or a range of them if a part is `*`: `text/plain; charset=utf-8`, `application/*`.
public struct MediaType: Hashable, Sendable {
    public struct Parameter: Hashable, Sendable {
        /// In lower case.
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    /// In lower case.
    public let type: String
    /// In lower case.
    public let subtype: String
    public let parameters: [Parameter]

    public init(_ type: String, _ subtype: String, parameters: [Parameter] = []) {
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// Parses a media type; nil if malformed.
    public init?(_ text: String) {
        var scanner = FieldScanner(text)
        scanner.skipBlanks()
        self.init(from: &scanner)
        guard scanner.isAtEnd else { return nil }
    }

    init?(from scanner: inout FieldScanner) {
        guard let type = scanner.token(), scanner.skip(.slash), let subtype = scanner.token(),
            let parameters = scanner.parameters(), type != "*" || subtype == "*"
        else { return nil }
        self.init(type, subtype, parameters: parameters.map { Parameter($0.name, $0.value ?? "") })
    }

    public static let json = MediaType("application", "json")
    public static let problem = MediaType("application", "problem+json")
    public static let mergePatch = MediaType("application", "merge-patch+json")
    public static let ndjson = MediaType("application", "x-ndjson")
    public static let form = MediaType("application", "x-www-form-urlencoded")
    public static let octetStream = MediaType("application", "octet-stream")
    public static let eventStream = MediaType("text", "event-stream")
    public static let html = MediaType("text", "html")
    public static let plainText = MediaType("text", "plain")

    /// The type and subtype.
    public var essence: String { "\(type)/\(subtype)" }

    /// The value of the first parameter with a name, given in lower case.
    public subscript(parameter: String) -> String? { parameters.first { $0.name == parameter }?.value }

    /// Whether the type is within a range and has all of the range's parameters.
    public func matches(_ range: MediaType) -> Bool {
        (range.type == "*" || range.type == type) && (range.subtype == "*" || range.subtype == subtype)
            && range.parameters.allSatisfy { wanted in
                parameters.contains { $0.name == wanted.name && $0.value.lowercased() == wanted.value.lowercased() }
            }
    }
}

extension MediaType: CustomStringConvertible {
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += "; \(parameter.name)=\(FieldText.tokenOrQuoted(parameter.value))"
        }
    }
}
