// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials

/// A hash of everything about an entity, or a whole model, that affects storage; stores require equal hashes.
public struct VersionHash: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    /// Creates a hash from 32 bytes, or returns nil for another number.
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
