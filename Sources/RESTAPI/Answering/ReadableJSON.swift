// SPDX-License-Identifier: Apache-2.0

// JSON for people: indented, with a line end, at a terminal or where `?pretty` asks for it.

import HTTPMessage
import JSON

extension HTTPRequest {
    /// Whether the client is one that people use at a terminal, and leaves the format to the server.
    var isOfTerminal: Bool {
        guard
            fields.hasValue(of: .userAgent, beginningWith: "curl/")
                || fields.hasValue(of: .userAgent, beginningWith: "HTTPie/")
        else { return false }
        guard let accept = fields[.accept] else { return true }
        return accept == "*/*"
    }

    /// Whether JSON is laid out for people.
    fileprivate var wantsReadableJSON: Bool { Layout(target: target).map { $0 == .pretty } ?? isOfTerminal }
}

extension HTTPResponse {
    /// Lays out a JSON body for people, if they get it and it isn't laid out already, as models are.
    ///
    /// - Returns: Whether the client's fields were the reason, so that caches must know that.
    mutating func makeReadable(for request: HTTPRequest) -> Bool {
        guard request.wantsReadableJSON, case .bytes(let bytes) = body, let type = fields[.contentType],
            type.hasSuffix("/json") || type.hasSuffix("+json"), !bytes.contains(UInt8(ascii: "\n")),
            let json = try? JSONValue(parsing: bytes)
        else { return false }
        body = .bytes(json.serializedBytes(.readable))
        if let tag = fields[.etag].flatMap(EntityTag.init(parsing:)) { fields[.etag] = tag.readableTag.description }
        return Layout(target: request.target) == nil
    }
}

extension JSONFormat {
    /// Two spaces, and small objects of a list on a line each.
    static let readable = JSONFormat(indentation: 2, width: 100, openLevels: 1, endsWithNewline: true)
}

/// The value of the parameter `pretty`, which all requests may have.
private enum Layout {
    case pretty
    case compact

    /// Reads the parameter from a target as sent; nil if it has none.
    init?(target: String) {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var rest = target.utf8[mark...].dropFirst()
        while !rest.isEmpty {
            let item = rest.prefix { $0 != UInt8(ascii: "&") }
            if item.starts(with: Self.name.utf8), let layout = Self(item: Substring(item)) {
                self = layout
                return
            }
            rest = rest[item.endIndex...].dropFirst()
        }
        return nil
    }

    private static let name = "pretty"

    private init?(item: Substring) {
        switch item.dropFirst(Self.name.count) {
        case "", "=", "=true", "=1": self = .pretty
        case "=false", "=0": self = .compact
        default: return nil
        }
    }
}

extension Parameters {
    /// Drops `pretty`, which concerns the layout of the answer.
    mutating func dropLayout() throws(Problem) {
        guard contains("pretty"), let value = try read("pretty") else { return }
        guard ["", "true", "1", "false", "0"].contains(value) else {
            throw Problem(.parameter, "The parameter “pretty” must be true or false, not “\(value)”.")
        }
    }
}
