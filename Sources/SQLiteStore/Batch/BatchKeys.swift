// SPDX-License-Identifier: Apache-2.0

// Allocates keys within a transaction, where there are no concurrent requests.

import ObjectGraph
import SQLiteDriver

/// Allocates primary keys within a transaction: above all keys ever reserved, or free ones.
final class BatchKeys {
    private let connection: Connection
    private let tables: StoreTables
    private let allocator: KeyAllocator?
    private let free: FreeKeys
    /// The greatest key of each root entity, and whether it is written to the file.
    private var last: [Int64: (key: Int64, isWritten: Bool)] = [:]
    /// The root entities without a reserved range in memory.
    private var withoutReserve: Set<Int64> = []

    /// - Parameter allocator: Has ranges of keys reserved in memory; nil if the file isn't open otherwise.
    init(_ connection: Connection, _ tables: StoreTables, _ allocator: KeyAllocator?) {
        self.connection = connection
        self.tables = tables
        self.allocator = allocator
        free = FreeKeys(connection)
    }

    func next(root: Int64) throws -> Int64 {
        let (key, isBeyond) = try greatest(root).addingReportingOverflow(1)
        guard !isBeyond, key > 0, key < .max else { throw StoreError.noKeys(root) }
        last[root] = (key, false)
        return key
    }

    /// Writes the greatest keys to the file.
    func write() throws {
        for (root, entry) in last.sorted(by: { $0.key < $1.key }) where !entry.isWritten {
            try connection.execute(
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = \(value: .integer(entry.key)) WHERE Z_ENT = \(value: .integer(root))
                """
            )
            last[root]?.isWritten = true
        }
    }

    private func greatest(_ root: Int64) throws -> Int64 { try last[root]?.key ?? stored(root) }

    private func stored(_ root: Int64) throws -> Int64 {
        let query: SQL = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(value: .integer(root))"
        let stored = try connection.first(query) { $0.value(0) }
        guard case .integer(let key)? = stored else { throw StoreError.noKeys(root) }
        return key
    }
}

// MARK: Kept keys

extension BatchKeys {
    /// IDs for new objects, some of which keep theirs. A kept key is free until the save that uses it takes it.
    func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        let roots = try entities.map { try tables.rootNumber(of: $0) }
        let wanted = references.compactMapValues(\.numberToKeep)
        var greatestWanted: [Int64: Int64] = [:]
        for (place, key) in wanted { greatestWanted[roots[place]] = max(greatestWanted[roots[place]] ?? 0, key) }
        var passed: [Int64: ClosedRange<Int64>] = [:]
        for (root, key) in greatestWanted {
            try freeReserve(root: root)
            let former = try greatest(root)
            guard key > former else { continue }
            try pass(to: key, root: root)
            passed[root] = former + 1...key
        }
        var known: [Int64: Set<Int64>] = [:]
        return try entities.indices.map { place in
            let entity = entities[place]
            let root = roots[place]
            guard let key = wanted[place], known[root, default: []].insert(key).inserted,
                try passed[root]?.contains(key) == true || free.contains(key, root: root), try !isUsed(key, entity)
            else { return objectID(try next(root: root), entity) }
            return objectID(key, entity)
        }
    }

    private func objectID(_ key: Int64, _ entity: EntityDescription) -> ManagedObjectID {
        ManagedObjectID(entity: entity, store: tables.identifier, reference: .integer(key))
    }

    /// The key of a row that is written immediately: the one that it keeps if possible, or else the next.
    func next(keeping identity: RetainedReference?, of entity: EntityDescription, root: Int64) throws -> Int64 {
        guard let key = identity?.reference.numberToKeep else { return try next(root: root) }
        try freeReserve(root: root)
        let greatest = try greatest(root)
        guard try !isUsed(key, entity) else { return try next(root: root) }
        guard key > greatest else { return try free.remove(key...key, root: root) ? key : next(root: root) }
        if key > greatest + 1 { try pass(to: key - 1, root: root) }
        last[root] = (key, false)
        return key
    }

    /// Whether the rows can keep their keys one by one: all are free and ascending.
    func canKeep(_ identities: [RetainedReference?], of entity: EntityDescription, root: Int64) throws -> Bool {
        let wanted = identities.compactMap { $0?.reference.numberToKeep }
        guard wanted.count == identities.count, let first = wanted.first, let last = wanted.last,
            zip(wanted, wanted.dropFirst()).allSatisfy({ $0 < $1 }), let table = tables.schema.table(of: entity)
        else { return identities.allSatisfy { $0 == nil } }
        try freeReserve(root: root)
        let greatest = try greatest(root)
        guard try wanted.allSatisfy({ try $0 > greatest || free.contains($0, root: root) }) else { return false }
        let query: SQL = """
            SELECT 1 FROM \(identifier: table.name) \
            WHERE Z_PK BETWEEN \(value: .integer(first)) AND \(value: .integer(last)) LIMIT 1
            """
        return try connection.first(query) { _ in true } == nil
    }

    /// Whether a row has the key, since a file may have keys above its recorded greatest one.
    private func isUsed(_ key: Int64, _ entity: EntityDescription) throws -> Bool {
        guard let table = tables.schema.table(of: entity) else { return true }
        let query: SQL = "SELECT 1 FROM \(identifier: table.name) WHERE Z_PK = \(value: .integer(key))"
        return try connection.first(query) { _ in true } != nil
    }

    /// Gives up the range reserved in memory: its keys are free, for objects that keep their keys.
    private func freeReserve(root: Int64) throws {
        guard withoutReserve.insert(root).inserted, let reserved = allocator?.releaseUnused(root: root) else { return }
        try free.add(reserved, root: root)
    }

    /// Makes a key the greatest one; the skipped keys up to it are free.
    private func pass(to key: Int64, root: Int64) throws {
        try free.add(try greatest(root) + 1...key, root: root)
        last[root] = (key, false)
    }
}

extension FreeKeys {
    /// Removes the kept keys of a save's new rows; throws if one was allocated to another object meanwhile.
    func remove(_ insertions: [StoreSaveRequest.Insertion], _ tables: StoreTables) throws {
        var kept: [Int64: [(key: Int64, objectID: ManagedObjectID)]] = [:]
        for insertion in insertions where insertion.keepsReference {
            guard let key = tables.key(of: insertion.objectID) else { continue }
            kept[try tables.rootNumber(of: insertion.objectID.entity), default: []].append((key, insertion.objectID))
        }
        for (root, rows) in kept {
            var rows = rows.sorted { $0.key < $1.key }[...]
            while let first = rows.first {
                var count = 1
                while count < rows.count, rows[rows.startIndex + count].key == first.key + Int64(count) { count += 1 }
                guard try remove(first.key...first.key + Int64(count) - 1, root: root) else {
                    throw GraphError.referenceAssigned(first.objectID)
                }
                rows = rows.dropFirst(count)
            }
        }
    }
}
