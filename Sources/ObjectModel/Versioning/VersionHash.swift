// SPDX-License-Identifier: Apache-2.0

// What two versions of an entity must have in common for a store of the one to hold objects of the other.

import FoundationEssentials

/// The 32 bytes that stand for everything about an entity, or a whole model, that matters to storage.
public struct VersionHash: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    /// The hash of these bytes, which must be 32.
    public init?(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard self.bytes.count == 32 else { return nil }
    }

    init(digestOf message: [UInt8]) {
        bytes = SHA256.digest(of: message)
    }

    public var hex: String {
        String(decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    public var base64: String { Data(bytes).base64EncodedString() }

    public var description: String { hex }

    private static let digits = Array("0123456789abcdef".utf8)
}
