// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What has the keys of tokens: a list, or a `KeySet`.
package protocol TokenKeySource: Sendable {
    /// The keys that a token with this `kid` may be verified with; all for a token without one.
    func keys(id: String?, now: Date) -> [TokenKey]
}

extension [TokenKey]: TokenKeySource {
    package func keys(id: String?, now: Date) -> [TokenKey] {
        guard let id else { return self }
        // A key without an ID may be the one that is meant.
        return filter { key in key.id.map { $0.utf8.elementsEqual(id.utf8) } ?? true }
    }
}
