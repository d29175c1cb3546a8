// SPDX-License-Identifier: Apache-2.0

// What is pending in a context, apart from the context: to be kept in a file, and taken up again after a restart.

/// All that is pending in a context, and what its undo manager could take back and make again.
///
///     let archive = try await draft.perform { try $0.archive() }
///     // … later, over the same stores
///     try await another.perform { try $0.restore(ContextArchive(bytes: archive.bytes)) }
///
/// It has no settings of the context, such as its name and its merge policy.
public struct ContextArchive: Hashable, Sendable {
    /// In a format of its own, which later versions go on reading.
    public let bytes: [UInt8]

    /// Whether it has all of a context, rather than what has changed since another archive.
    public let isWhole: Bool

    /// That of the format.
    let version: UInt8

    // The bytes: what they are and the version of the format, whether they are whole, the contents, and the checksum of all that, as 64
    // bits in big-endian order.
    private static let start: [UInt8] = Array("Outcrop draft".utf8) + [currentVersion]
    private static let currentVersion: UInt8 = 3
    private static let versions = 2...currentVersion
    private static let checksumCount = 8

    /// Takes bytes that an archive had, and checks that they are all there and unchanged.
    public init(bytes: [UInt8]) throws(GraphError) {
        self.bytes = bytes
        let start = Self.start
        guard bytes.starts(with: start.dropLast()) else {
            throw .invalidArchive("It doesn't begin as one does.", at: 0)
        }
        guard bytes.count > start.count + Self.checksumCount else {
            throw .invalidArchive("It ends there.", at: bytes.count)
        }
        version = bytes[start.count - 1]
        guard Self.versions.contains(version) else {
            throw .invalidArchive(
                "It is of version \(version), and versions \(Self.versions.lowerBound) to \(Self.currentVersion) are read.",
                at: start.count - 1
            )
        }
        isWhole = bytes[start.count] != 0
        let end = bytes.count - Self.checksumCount
        guard bytes[end...].elementsEqual(Self.checksum(of: bytes[..<end])) else {
            throw .invalidArchive("The checksum is another one.", at: end)
        }
    }

    init(contents: [UInt8], isWhole: Bool) {
        self.isWhole = isWhole
        version = Self.currentVersion
        let bytes = Self.start + [isWhole ? 1 : 0] + contents
        self.bytes = bytes + Self.checksum(of: bytes[...])
    }

    /// Where the contents are among the bytes.
    var contents: Range<Int> { Self.start.count + 1..<bytes.count - Self.checksumCount }

    /// By the method of Fowler, Noll and Vo (FNV-1a), which finds each change of one byte and overlooks one in 2⁶⁴ of others.
    private static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return (0..<checksumCount).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
    }
}

extension GraphError {
    static func notFollowing(_ archive: ContextArchive) -> GraphError {
        GraphError(
            .invalidArchive,
            archive.isWhole
                ? "The archive has all of a context, and follows another one."
                : "The archive goes on with another one.",
            hint: "A whole archive comes first, then those that were made after it, in their order."
        )
    }

    static func invalidArchive(_ reason: String, at place: Int) -> GraphError {
        GraphError(.invalidArchive, "The archive is damaged, or none, at byte \(place): \(reason)")
    }
}
