// SPDX-License-Identifier: Apache-2.0

// A batch insertion, row by row as they arrive.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Inserts the rows of a batch.
///
/// 1. A plain row, for which only destinations must be looked up, is written immediately.
/// 2. Other rows are collected until there is a chunk of them or a plain row follows. They are then saved as in any
///    store, within the same transaction, so that all rows are written in the order of their arrival.
/// 3. Rows that may keep their keys are read in blocks, in which no row gets a key that another row keeps. If the rows
///    of a block can't be written one by one, it is saved as in 2.
/// 4. At most one chunk or block is in memory, and each may read as much as a whole request.
struct BatchInsertion {
    private let insertion: StoreBatchInsertion
    private let batch: StoreBatchRequest
    private let connection: Connection
    private let tables: StoreTables
    private let keys: BatchKeys
    private let store: TransactionStore
    private let placement: ExternalPlacement?
    private let history: HistoryWriter?
    private var waiting: [StoreBatchInsertion.Row] = []
    private var waitingSize = 0
    private var written = WrittenRows()

    init(_ insertion: StoreBatchInsertion, _ writer: BatchWriter) {
        self.insertion = insertion
        batch = writer.batch
        connection = writer.connection
        tables = writer.tables
        placement = writer.placement
        history = writer.history
        keys = BatchKeys(connection, tables, writer.allocator)
        store = TransactionStore(writer, keys)
    }

    mutating func run() throws -> StoreBatchResult {
        let plain = try PlainRows(insertion, connection, tables, placement, store.order)
        let root = try tables.rootNumber(of: insertion.entity)
        while case let block = try nextBlock(), !block.isEmpty {
            if insertion.keepsReferences {
                try writeWaiting()
                guard try keys.canKeep(block.map(\.kept), of: insertion.entity, root: root) else {
                    waiting = block
                    continue
                }
            }
            for row in block { try write(row, plain, root) }
        }
        try writeWaiting()
        try keys.write()
        let derived = try derive()
        try recordHistory(derived)
        return written.result(of: insertion.entity, tables, derived, returnsObjectIDs: batch.returnsObjectIDs)
    }

    /// Records the plain rows, and others with new derived values; other rows are recorded as they are saved.
    private func recordHistory(_ derived: [ManagedObjectID]) throws {
        let ranges = written.plainRanges(of: insertion.entity, tables)
        try history?.record(.insert, ranges)
        let index = ObjectIDRangeIndex(ranges)
        try history?.recordDerived(derived.lazy.filter { !index.contains($0) })
    }

    private func nextBlock() throws -> [StoreBatchInsertion.Row] {
        var block: [StoreBatchInsertion.Row] = []
        var bytes = 0
        let size = insertion.keepsReferences ? StoreBatchInsertion.blockSize : 1
        while block.count < size, bytes < StoreBatchInsertion.chunkBytes, let row = try insertion.next() {
            block.append(row)
            bytes += row.row.approximateSize
        }
        return block
    }

    private mutating func write(_ row: StoreBatchInsertion.Row, _ plain: PlainRows?, _ root: Int64) throws {
        guard let plain, written.isAscending(row.kept), try plain.accepts(row.row, row) else {
            waiting.append(row)
            waitingSize += row.row.approximateSize
            if waiting.count == StoreBatchInsertion.blockSize || waitingSize >= StoreBatchInsertion.chunkBytes {
                try writeWaiting()
            }
            return
        }
        if !waiting.isEmpty { try writeWaiting() }
        let key = try keys.next(keeping: row.kept, of: insertion.entity, root: root)
        let isKept = row.kept?.reference == .integer(key)
        if try plain.insert(row.row, key, version: isKept ? row.kept?.nextVersion ?? 1 : 1) {
            written.add(key)
            // Beyond this number, notifications don't name rows.
            if written.plainCount <= ChangedProperties.limit { plain.recordOwners(of: row.row, in: &written.changed) }
        } else {
            // Another row has its unique values; the general way reports that.
            waiting.append(row)
            try writeWaiting()
        }
    }

    private mutating func writeWaiting() throws {
        guard !waiting.isEmpty else { return }
        var rows = waiting.makeIterator()
        waiting = []
        waitingSize = 0
        let request = StoreBatchRequest(
            model: batch.model,
            operation: .insert(
                StoreBatchInsertion(entity: insertion.entity, policy: insertion.policy) { rows.next() }
            )
        )
        let result = try WorkLimits.withNewAllowance { try store.execute(request, commit: Commit()) }
        written.add(result, isUpsert: insertion.policy != .error)
    }

    /// Computes derived values of the plain rows; other rows have theirs already.
    private mutating func derive() throws -> [ManagedObjectID] {
        guard !written.plain.isEmpty,
            let derivations = BatchDerivations(connection, tables, for: [insertion.entity], changed: nil),
            let table = tables.schema.table(of: insertion.entity)
        else { return [] }
        try derivations.begin()
        for range in written.plain {
            try KeyTable.saved.insert(
                root: tables.schema.rootNumber(of: insertion.entity),
                """
                Z_PK, Z_ENT FROM \(identifier: table.name) \
                WHERE Z_PK BETWEEN \(value: .integer(range.lowerBound)) AND \(value: .integer(range.upperBound))
                """,
                connection
            )
        }
        try derivations.collectDependents(on: .saved)
        return try derivations.derive(recordingIn: &written.changed)
    }
}

/// The rows that a batch has written so far, in a compact form.
private struct WrittenRows {
    /// The keys of plain rows, ascending.
    private(set) var plain: [ClosedRange<Int64>] = []
    private(set) var plainCount = 0
    var changed = ChangedProperties()
    /// The complete result of a batch that was written as a single chunk.
    private var whole: StoreBatchResult?
    private var isNamed = false
    /// The IDs of the other rows in the order of the batch, with the positions of plain ranges between them.
    private var touched: [ManagedObjectID] = []
    private var known: Set<ManagedObjectID> = []
    private var breaks: [(place: Int, plain: Int)] = []
    private var inserted: [ManagedObjectID] = []
    private var updated: Set<ManagedObjectID> = []

    /// Whether a kept key is greater than the keys of all plain rows.
    func isAscending(_ kept: RetainedReference?) -> Bool {
        guard let key = kept?.reference.numberToKeep, let last = plain.last?.upperBound else { return true }
        return key > last
    }

    mutating func add(_ key: Int64) {
        plainCount += 1
        if let last = plain.last, last.upperBound == key - 1, breaks.last?.plain == plain.count - 1 {
            plain[plain.count - 1] = last.lowerBound...key
        } else {
            breaks.append((touched.count, plain.count))
            plain.append(key...key)
        }
    }

    mutating func add(_ result: StoreBatchResult, isUpsert: Bool) {
        whole = touched.isEmpty && plain.isEmpty && !isNamed ? result : nil
        isNamed = true
        let changes = result.changes
        changed.add(rowsOf: changes)
        inserted += changes.objectIDs(.inserted)
        updated.formUnion(changes.touchedIDs)
        guard isUpsert else { return touched += result.objectIDs }
        touched += result.objectIDs.filter { known.insert($0).inserted }
    }

    func result(
        of entity: EntityDescription,
        _ tables: StoreTables,
        _ derived: [ManagedObjectID],
        returnsObjectIDs: Bool
    ) -> StoreBatchResult {
        if let whole, plain.isEmpty {
            return StoreBatchResult(
                count: whole.count,
                objectIDs: returnsObjectIDs ? whole.objectIDs : [],
                changes: whole.changes
            )
        }
        let ranges = plainRanges(of: entity, tables)
        var changes = SavedChanges(ranges.map { .rows($0, .inserted) })
        changes.add(inserted, as: .inserted)
        let new = Set(inserted)
        let others = updated.union(derived).lazy.filter { objectID in
            !new.contains(objectID) && !isPlain(objectID, entity, tables)
        }
        changes.add(others, as: .updated)
        changes.changedProperties = changed
        let count = touched.count + plainCount
        return StoreBatchResult(
            count: count,
            objectIDs: returnsObjectIDs ? objectIDs(ranges, count) : [],
            changes: changes
        )
    }

    func plainRanges(of entity: EntityDescription, _ tables: StoreTables) -> [ObjectIDRange] {
        plain.map { ObjectIDRange(entity: entity, store: tables.identifier, references: $0) }
    }

    /// Whether a row was written as a plain one. Their keys ascend.
    private func isPlain(_ objectID: ManagedObjectID, _ entity: EntityDescription, _ tables: StoreTables) -> Bool {
        guard objectID.entity == entity, let key = tables.key(of: objectID) else { return false }
        var low = 0
        var high = plain.count
        while low < high {
            let middle = (low + high) / 2
            if plain[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        return low < plain.count && plain[low].contains(key)
    }

    private func objectIDs(_ ranges: [ObjectIDRange], _ count: Int) -> [ManagedObjectID] {
        var objects: [ManagedObjectID] = []
        objects.reserveCapacity(count)
        var start = 0
        for (place, plain) in breaks {
            objects += touched[start..<place]
            objects += Array(ranges[plain])
            start = place
        }
        return objects + touched[start...]
    }
}
