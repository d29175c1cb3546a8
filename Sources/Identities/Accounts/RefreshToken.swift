// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// What continues a session: `ocr_`, and the session's ID and 32 random bytes in Base 64 for URLs.
struct RefreshToken: Sendable {
    let sessionID: String
    private let secret: [UInt8]

    private static let prefix = "ocr_"
    private static let idCount = 16
    private static let secretCount = 32

    /// A new token of a session, or of a new session.
    init(of sessionID: String? = nil) {
        self.sessionID = sessionID ?? Base64.encode(RandomBytes.make(count: Self.idCount))
        secret = RandomBytes.make(count: Self.secretCount)
    }

    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let bytes = Base64.decode(String(text.dropFirst(Self.prefix.count))),
            bytes.count == Self.idCount + Self.secretCount
        else { return nil }
        sessionID = Base64.encode(Array(bytes.prefix(Self.idCount)))
        secret = Array(bytes.dropFirst(Self.idCount))
    }

    var text: String { Self.prefix + Base64.encode((Base64.decode(sessionID) ?? []) + secret) }

    var hash: [UInt8] { SHA256.digest(of: secret) }
}
