// SPDX-License-Identifier: Apache-2.0

// The full-text indexes of a store, and whether they exist.

import Basics
import ObjectGraph
import SQLiteDriver
import Synchronization

/// The indexes of a store by entity.
final class SearchIndexes: Sendable {
    let all: [SearchIndex]
    private let model: ManagedObjectModel
    private let byRoot: [Int: SearchIndex]
    /// The numbers of the indexes that are usable.
    private let made = Mutex<Set<Int64>>([])
    /// By number, the pages of each index that are to be merged for what this process has written into it.
    private let unmerged = Mutex<[Int64: Int64]>([:])

    init(_ schema: StoreSchema) {
        all = schema.searchIndexes
        model = schema.model
        let byNumber = Dictionary(keepingFirst: all.map { ($0.number, $0) })
        byRoot = Dictionary(
            keepingFirst: schema.tables.compactMap { table in
                byNumber[schema.rootNumber(of: table.root)].map { (table.root.index, $0) }
            }
        )
    }

    /// The index for an entity's objects, or nil if none of its attributes is searchable.
    subscript(entity: EntityDescription) -> SearchIndex? { byRoot[entity.rootIndex] }

    func recordCurrent(_ indexes: [SearchIndex]) { made.withLock { $0 = Set(indexes.map(\.number)) } }

    func isMade(_ index: SearchIndex) -> Bool { made.withLock { $0.contains(index.number) } }

    var anyIsMade: Bool { made.withLock { !$0.isEmpty } }

    func unmergedPages(of index: SearchIndex) -> Int64 {
        unmerged.withLock { $0[index.number] ?? SearchIndexing.mergeStep }
    }

    func recordUnmerged(_ pages: Int64, of index: SearchIndex) { unmerged.withLock { $0[index.number] = pages } }
}
