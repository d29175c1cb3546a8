// SPDX-License-Identifier: Apache-2.0

// Parsing of a request's target: the decoded segments of its path and parameters of its query.

/// The parsed target of a request.
///
/// `/api/posts/a%2Fb?where=views+%3E+3&count` has the segments `api`, `posts` and `a/b`, and the parameters `where`
/// with the value `views > 3` and `count` without a value.
public struct RequestTarget: Hashable, Sendable {
    /// The authority of an absolute target.
    public let authority: String?
    /// As sent.
    public let path: String
    /// The decoded parts of the path between slashes; a slash in a segment was sent as `%2F`. No segment is empty,
    /// `.` or `..`.
    public let segments: [String]
    /// Whether a slash follows the last segment.
    public let hasTrailingSlash: Bool
    /// The text after the question mark, as sent.
    public let rawQuery: String?
    /// The parameters in order, decoded like form data, with a plus sign as a space.
    public let query: [QueryItem]

    /// Parses a target. Throws a refusal with status 400 if it is ambiguous.
    public init(_ target: String) throws(HTTPRefusal) {
        let bytes = Array(target.utf8)
        var pathEnd = bytes.count
        for index in bytes.indices {
            switch bytes[index] {
            case 0...0x20, 0x7F: throw .unescaped("The target contains a space or a control character.")
            case UInt8(ascii: "#"): throw .malformed("The target has a fragment, which isn't allowed in a request.")
            case UInt8(ascii: "?"): pathEnd = min(pathEnd, index)
            default: break
            }
        }
        let authority = try Self.authority(of: bytes[..<pathEnd])
        self.authority = authority.map { String(decoding: bytes[$0], as: UTF8.self) }
        let pathStart = authority?.upperBound ?? 0
        rawQuery = pathEnd < bytes.count ? String(decoding: bytes[(pathEnd + 1)...], as: UTF8.self) : nil
        query = pathEnd < bytes.count ? try Self.items(of: bytes[(pathEnd + 1)...]) : []
        path =
            authority != nil && pathStart == pathEnd ? "/" : String(decoding: bytes[pathStart..<pathEnd], as: UTF8.self)
        segments = target == "*" ? [] : try Self.segments(of: bytes[pathStart..<pathEnd])
        hasTrailingSlash = !segments.isEmpty && bytes[pathEnd - 1] == .slash
    }

    /// Whether the target is `*`, which `OPTIONS` uses for the whole server.
    public var isAsterisk: Bool { path == "*" }

    /// Percent-encodes a text as a segment of a path.
    public static func encode(segment: String) -> String { PercentEncoding.encode(segment, keeping: ":@,()*") }

    /// Percent-encodes a text as the name or value of a parameter.
    public static func encode(queryValue: String) -> String { PercentEncoding.encode(queryValue, keeping: ":@,()*/") }

    /// The range of the authority in an absolute target.
    private static func authority(of bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> Range<Int>? {
        guard bytes.first != .slash, let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[..<colon].equalsIgnoringCase("http") || bytes[..<colon].equalsIgnoringCase("https"),
            bytes[(colon + 1)...].starts(with: "//".utf8)
        else { return nil }
        let start = colon + 3
        let authority = start..<(bytes[start...].firstIndex(of: .slash) ?? bytes.endIndex)
        guard bytes[authority].isAuthority else { throw .malformed("The target names an invalid host.") }
        return authority
    }

    private static func segments(of path: ArraySlice<UInt8>) throws(HTTPRefusal) -> [String] {
        guard path.first == .slash || path.isEmpty && path.startIndex > 0 else {
            throw .malformed("The target must begin with a slash.")
        }
        var segments: [String] = []
        segments.reserveCapacity(4)
        var start = path.startIndex + 1
        while start < path.endIndex {
            let end = path[start...].firstIndex(of: .slash) ?? path.endIndex
            segments.append(try segment(path[start..<end]))
            start = end + 1
        }
        return segments
    }

    private static func segment(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> String {
        // A redirect to a path that begins with two slashes would go to another host.
        guard !bytes.isEmpty else { throw .malformed("The target's path has an empty segment.") }
        let segment = try PercentEncoding.decode(bytes)
        guard !segment.contains(where: \.isControl) else {
            throw .malformed("The target's path contains a control character.")
        }
        // An application may use a segment as a file name, which must not leave a folder through escaped slashes.
        if segment.contains(UInt8(ascii: ".")),
            segment.split(whereSeparator: { $0 == .slash || $0 == .backslash }).contains(where: \.isDots)
        {
            throw .malformed("The target's path has a segment “.” or “..”.")
        }
        return try text(segment)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> String {
        guard let text = bytes.text else { throw .malformed("The decoded target isn't valid UTF-8.") }
        return text
    }

    private static func items(of query: ArraySlice<UInt8>) throws(HTTPRefusal) -> [QueryItem] {
        var items: [QueryItem] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let name = try PercentEncoding.decode(part[..<(equals ?? part.endIndex)], plusIsSpace: true)
            let value = try PercentEncoding.decode(part[(equals ?? part.endIndex)...].dropFirst(), plusIsSpace: true)
            items.append(QueryItem(name: try text(name), value: try text(value), hasValue: equals != nil))
        }
        return items
    }
}

extension ArraySlice<UInt8> {
    fileprivate var isDots: Bool { count <= 2 && allSatisfy { $0 == UInt8(ascii: ".") } }
}
