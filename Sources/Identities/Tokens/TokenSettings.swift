// SPDX-License-Identifier: Apache-2.0

package import Cryptography

/// Which tokens are accepted.
package struct TokenSettings: Sendable {
    package var algorithms: Set<SignatureAlgorithm>
    /// What `iss` must be, or nil for any.
    package var issuer: String?
    /// One of these must be in `aud`; empty for any.
    package var audiences: [String]
    /// By how many seconds the clocks may differ.
    package var leeway: Double
    /// Of a token, in bytes.
    package var maximumLength: Int

    package init(
        algorithms: Set<SignatureAlgorithm>,
        issuer: String? = nil,
        audiences: [String] = [],
        leeway: Double = 30,
        maximumLength: Int = 8 << 10
    ) {
        self.algorithms = algorithms
        self.issuer = issuer
        self.audiences = audiences
        self.leeway = leeway
        self.maximumLength = maximumLength
    }
}
