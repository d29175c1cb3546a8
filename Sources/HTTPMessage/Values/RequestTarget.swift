// SPDX-License-Identifier: Apache-2.0

// What a request's target says: the segments of its path and the parameters of its query, decoded.

/// The target of a request, taken apart.
///
/// `/api/posts/a%2Fb?where=views+%3E+3&count` has the segments `api`, `posts` and `a/b`, and the parameters `where` with the
/// value `views > 3` and `count` without one.
public struct RequestTarget: Hashable, Sendable {
    /// The host that an absolute target names.
    public let authority: String?
    /// As it was sent.
    public let path: String
    /// The path's parts between slashes, decoded; a slash in one of them was sent as `%2F`. None is empty, `.` or `..`.
    public let segments: [String]
    /// Whether a slash follows the last segment.
    public let hasTrailingSlash: Bool
    /// What stands behind the question mark, as it was sent.
    public let rawQuery: String?
    /// The parameters in their order, decoded as those of forms are, where a plus sign is a space.
    public let query: [QueryItem]

    /// Takes a target apart. It throws a refusal with status 400 for one that could be understood in several ways.
    public init(_ target: String) throws(HTTPRefusal) {
        let bytes = Array(target.utf8)
        var pathEnd = bytes.count
        for index in bytes.indices {
            switch bytes[index] {
            case 0...0x20, 0x7F: throw .unescaped("The target has a space or control character in it.")
            case UInt8(ascii: "#"): throw .malformed("The target has a fragment, which is not for servers.")
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

    /// Whether the target is `*`, by which `OPTIONS` asks for the whole server.
    public var isAsterisk: Bool { path == "*" }

    /// A text as one segment of a path.
    public static func encode(segment: String) -> String { PercentEncoding.encode(segment, keeping: ":@,()*") }

    /// A text as the name or the value of a parameter.
    public static func encode(queryValue: String) -> String { PercentEncoding.encode(queryValue, keeping: ":@,()*/") }

    /// Where the host stands in an absolute target.
    private static func authority(of bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> Range<Int>? {
        guard bytes.first != .slash, let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[..<colon].spells("http") || bytes[..<colon].spells("https"),
            bytes[(colon + 1)...].starts(with: "//".utf8)
        else { return nil }
        let start = colon + 3
        let authority = start..<(bytes[start...].firstIndex(of: .slash) ?? bytes.endIndex)
        guard bytes[authority].isAuthority else { throw .malformed("The target names a host that can't be one.") }
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
        // A redirect to a path with two slashes at its beginning would lead to another host.
        guard !bytes.isEmpty else { throw .malformed("The target's path has an empty segment.") }
        let segment = try PercentEncoding.decode(bytes)
        guard !segment.contains(where: \.isControl) else {
            throw .malformed("The target's path has a control character in it.")
        }
        // Who makes a file's name of a segment must not be led out of a folder by escaped slashes either.
        if segment.contains(UInt8(ascii: ".")),
            segment.split(whereSeparator: { $0 == .slash || $0 == .backslash }).contains(where: \.isDots)
        {
            throw .malformed("The target's path has a segment of dots alone.")
        }
        return try text(segment)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> String {
        guard let text = bytes.text else { throw .malformed("The target is not UTF-8 behind its percent escapes.") }
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
    /// Whether the bytes are `.` or `..`, which mean another place.
    fileprivate var isDots: Bool { count <= 2 && allSatisfy { $0 == UInt8(ascii: ".") } }
}
