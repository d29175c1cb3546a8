// SPDX-License-Identifier: Apache-2.0

// A context's pending changes as bytes, to be stored and restored after a restart.

import Basics

/// All that is pending in a context, with its undo and redo groups.
///
///     let archive = try await draft.perform { try $0.archive() }
///     // … later, over the same stores
///     try await another.perform { try $0.restore(ContextArchive(bytes: archive.bytes)) }
///
/// It doesn't contain settings of the context, such as its name and merge policy.
public struct ContextArchive: Hashable, Sendable {
    /// In a format that later versions can still read.
    public let bytes: [UInt8]

    /// Whether it has the whole state of a context, rather than the changes since another archive.
    public let isWhole: Bool

    let version: UInt8

    // The bytes: the magic text and format version, the flag for whole archives, the contents, and a checksum of all
    // these as 64 bits in big-endian order.
    private static let start: [UInt8] = Array("Outcrop draft".utf8) + [currentVersion]
    static let currentVersion: UInt8 = 4
    private static let versions = 2...currentVersion
    private static let checksumCount = 8

    /// Checks that an archive's bytes are complete and unchanged.
    public init(bytes: [UInt8]) throws(GraphError) {
        self.bytes = bytes
        let start = Self.start
        guard bytes.starts(with: start.dropLast()) else {
            throw .invalidArchive("It doesn't begin like an archive.", at: 0)
        }
        guard bytes.count > start.count + Self.checksumCount else {
            throw .invalidArchive("The archive ends there.", at: bytes.count)
        }
        version = bytes[start.count - 1]
        guard Self.versions.contains(version) else {
            throw .invalidArchive(
                "Its version is \(version), but only versions \(Self.versions.lowerBound) to \(Self.currentVersion) can be read.",
                at: start.count - 1
            )
        }
        isWhole = bytes[start.count] != 0
        let end = bytes.count - Self.checksumCount
        guard bytes[end...].elementsEqual(Self.checksum(of: bytes[..<end])) else {
            throw .invalidArchive("The checksum doesn't match.", at: end)
        }
    }

    init(contents: [UInt8], isWhole: Bool, version: UInt8 = currentVersion) {
        self.isWhole = isWhole
        self.version = version
        let bytes = Self.start.dropLast() + [version, isWhole ? 1 : 0] + contents
        self.bytes = bytes + Self.checksum(of: bytes[...])
    }

    /// The range of the contents among the bytes.
    var contents: Range<Int> { Self.start.count + 1..<bytes.count - Self.checksumCount }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        let hash = bytes.fnv1a
        return (0..<checksumCount).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
    }
}

extension GraphError {
    static func notFollowing(_ archive: ContextArchive) -> GraphError {
        GraphError(
            .invalidArchive,
            archive.isWhole
                ? "A complete archive can't follow another archive."
                : "The archive continues a different one.",
            hint: "Give a complete archive first, then its continuations in order."
        )
    }

    static func invalidArchive(_ reason: String, at place: Int) -> GraphError {
        GraphError(.invalidArchive, "The archive is damaged at byte \(place): \(reason)")
    }
}
