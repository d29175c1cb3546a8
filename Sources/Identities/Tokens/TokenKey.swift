// SPDX-License-Identifier: Apache-2.0

package import Cryptography

/// A key that verifies tokens. Its kind determines the algorithm, so that no token can choose another.
package struct TokenKey: Sendable {
    /// What tokens name the key by in `kid`, or nil.
    package let id: String?
    package let key: VerificationKey

    package init(_ key: VerificationKey, id: String? = nil) {
        self.key = key
        self.id = id
    }

    package var algorithm: SignatureAlgorithm { key.algorithm }
}
