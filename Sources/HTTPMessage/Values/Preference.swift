// SPDX-License-Identifier: Apache-2.0

// Preferences of a client, by RFC 7240.

/// A member of the Prefer field, such as `return=minimal`.
public struct Preference: Hashable, Sendable {
    /// In lower case.
    public let name: String
    /// Nil if missing or empty.
    public let value: String?
    public let parameters: [MediaType.Parameter]

    public init(_ name: String, _ value: String? = nil, parameters: [MediaType.Parameter] = []) {
        self.name = name.lowercased()
        self.value = value == "" ? nil : value
        self.parameters = parameters
    }

    /// All preferences of a request, in order. Duplicates after the first and malformed ones are ignored.
    public static func all(in fields: HeaderFields) -> [Preference] {
        var names: Set<String> = []
        return FieldScanner.members(of: fields.values(of: .prefer)) { scanner -> Preference? in
            guard let first = scanner.parameter(spacesAroundEquals: true),
                let parameters = scanner.parameters(spacesAroundEquals: true)
            else { return nil }
            return Preference(
                first.name,
                first.value,
                parameters: parameters.map { MediaType.Parameter($0.name, $0.value ?? "") }
            )
        }.members.filter { names.insert($0.name).inserted }
    }
}

extension Preference: CustomStringConvertible {
    /// The value of Preference-Applied.
    public var description: String { value.map { "\(name)=\(FieldText.tokenOrQuoted($0))" } ?? name }
}
