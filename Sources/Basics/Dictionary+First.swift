// SPDX-License-Identifier: Apache-2.0

// Dictionaries of pairs whose keys may repeat.

extension Dictionary {
    /// A dictionary of pairs; of those with the same key, the first counts.
    @inlinable
    package init(keepingFirst pairs: some Sequence<(Key, Value)>) {
        self.init(pairs) { first, _ in first }
    }
}
