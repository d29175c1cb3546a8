// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What is known of an API key. The key itself, its secret, isn't kept.
package struct APIKey: Hashable, Sendable, Identifiable {
    package let id: String
    /// Given by the one who added the key, or nil. No two keys have the same.
    package var name: String?
    package var roles: [String]
    /// What the key may do by itself, by the names of entities.
    package var grants: [String: Set<AccessVerb>]
    package var created: Date
    /// The moment from which the key isn't accepted, or nil.
    package var expires: Date?
    /// The last use, to within a minute, or nil.
    package var lastUse: Date?
    /// SHA-256 of the secret.
    package let hash: [UInt8]

    /// The name, or the ID of a key without one, for messages and logs.
    package var label: String { name ?? id }

    package func hasExpired(at now: Date) -> Bool { expires.map { now >= $0 } ?? false }
}
