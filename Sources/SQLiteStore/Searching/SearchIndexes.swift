// SPDX-License-Identifier: Apache-2.0

// The full-text indexes of a store, and whether they are there.

import ObjectGraph
import SQLiteDriver
import Synchronization

/// The indexes of a store by the places of entities.
final class SearchIndexes: Sendable {
    let all: [SearchIndex]
    private let model: ManagedObjectModel
    private let byRoot: [Int: SearchIndex]
    /// Those that were there as the model wants them when the store was opened, by their numbers.
    private let made = Mutex<Set<Int64>>([])

    init(_ schema: StoreSchema) {
        all = schema.searchIndexes
        model = schema.model
        let byNumber = Dictionary(all.map { ($0.number, $0) }) { first, _ in first }
        byRoot = Dictionary(
            schema.tables.compactMap { table in
                byNumber[schema.rootNumber(of: table.root)].map { (table.root.index, $0) }
            }
        ) { first, _ in first }
    }

    /// The index that has the texts of an entity's objects; nil where nothing of them is marked.
    subscript(entity: EntityDescription) -> SearchIndex? { byRoot[entity.rootIndex] }

    func note(_ indexes: [SearchIndex]) { made.withLock { $0 = Set(indexes.map(\.number)) } }

    func isMade(_ index: SearchIndex) -> Bool { made.withLock { $0.contains(index.number) } }

    var anyIsMade: Bool { made.withLock { !$0.isEmpty } }
}
