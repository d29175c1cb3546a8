// SPDX-License-Identifier: Apache-2.0

// The name of a state of a resource.

/// An entity tag, such as `"3"`, or `W/"3"` where it is weak: the same for states that differ in their bytes alone.
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// What stands between the quotation marks.
    public let opaque: String
    public let isWeak: Bool

    /// A tag of printable characters without spaces and quotation marks; others are left out.
    public init(_ opaque: String, isWeak: Bool = false) {
        let isClean = opaque.utf8.allSatisfy(Self.isPart)
        self.opaque = isClean ? opaque : String(decoding: opaque.utf8.filter(Self.isPart), as: UTF8.self)
        self.isWeak = isWeak
    }

    /// Reads a tag as fields have it; nil where the text is none.
    public init?(parsing text: String) {
        var scanner = FieldScanner(text)
        self.init(from: &scanner)
        guard scanner.isAtEnd else { return nil }
    }

    init?(from scanner: inout FieldScanner) {
        isWeak = scanner.take(UInt8(ascii: "W"))
        guard !isWeak || scanner.take(.slash), scanner.take(.quote) else { return nil }
        opaque = scanner.text(while: Self.isPart) ?? ""
        guard scanner.take(.quote) else { return nil }
    }

    public var description: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    /// Whether both name one state, byte by byte.
    public func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && self == other }

    /// Whether both name states that are as good as one.
    public func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    private static func isPart(_ byte: UInt8) -> Bool { byte > 0x20 && byte != .quote && byte != 0x7F }
}
