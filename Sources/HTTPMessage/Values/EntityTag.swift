// SPDX-License-Identifier: Apache-2.0

// Entity tags.

/// An entity tag, such as `"3"`, or `W/"3"` if it is weak: equivalent states may then differ in bytes.
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// The text between the quotation marks.
    public let opaque: String
    public let isWeak: Bool

    /// Creates a tag of printable characters; spaces, quotation marks and control characters are removed.
    public init(_ opaque: String, isWeak: Bool = false) {
        let isClean = opaque.utf8.allSatisfy(Self.isPart)
        self.opaque = isClean ? opaque : String(decoding: opaque.utf8.filter(Self.isPart), as: UTF8.self)
        self.isWeak = isWeak
    }

    /// Parses a tag in quotation marks; nil if malformed.
    public init?(parsing text: String) {
        var scanner = FieldScanner(text)
        self.init(from: &scanner)
        guard scanner.isAtEnd else { return nil }
    }

    init?(from scanner: inout FieldScanner) {
        isWeak = scanner.skip(UInt8(ascii: "W"))
        guard !isWeak || scanner.skip(.slash), scanner.skip(.quote) else { return nil }
        opaque = scanner.text(while: Self.isPart) ?? ""
        guard scanner.skip(.quote) else { return nil }
    }

    public var description: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    /// Whether both tags name the same state, byte for byte.
    public func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && self == other }

    /// Whether both tags name equivalent states.
    public func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    private static func isPart(_ byte: UInt8) -> Bool { byte > 0x20 && byte != .quote && byte != 0x7F }
}
