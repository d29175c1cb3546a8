// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The secret of an API key: `ock_` and 32 random bytes in Base 64 for URLs.
///
/// A hash without salt and work factor is enough, since 32 random bytes can't be guessed.
package enum KeySecret {
    package static let prefix = "ock_"
    private static let byteCount = 32

    /// Whether a token has the form of a secret. Others may be JSON Web Tokens.
    package static func isSecret(_ token: String) -> Bool {
        guard token.hasPrefix(prefix) else { return false }
        return Base64.decode(String(token.dropFirst(prefix.count)))?.count == byteCount
    }

    static func make() -> String { prefix + Base64.encode(RandomBytes.make(count: byteCount)) }

    static func hash(_ secret: String) -> [UInt8] { SHA256.digest(of: Array(secret.utf8)) }

    static func makeID() -> String { Base16.encode(RandomBytes.make(count: 6)) }
}
