// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import FoundationEssentials

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

/// What has the keys of tokens: a list, or a `KeySet`.
package protocol TokenKeySource: Sendable {
    /// The keys that a token with this `kid` may be verified with; all for a token without one.
    func keys(id: String?, now: Date) -> [TokenKey]
}

extension [TokenKey]: TokenKeySource {
    package func keys(id: String?, now: Date) -> [TokenKey] {
        guard let id else { return self }
        // A key without an ID is the only one of its file, and fits any.
        return filter { key in key.id.map { $0.utf8.elementsEqual(id.utf8) } ?? true }
    }
}
