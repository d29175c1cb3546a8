// SPDX-License-Identifier: Apache-2.0

// Describes a store's file without a model: its metadata, sizes and numbers of objects.

import Basics
public import FoundationEssentials
public import ObjectGraph
public import ObjectModel
import Predicates
import SQLiteDriver

/// A summary of a store's file.
public struct StoreSummary: Sendable {
    public struct EntityCount: Hashable, Sendable {
        public let name: String
        public let parent: String?
        /// The number of its objects, without those of subentities.
        public let objects: Int
    }

    public let identifier: UUID
    public let metadata: StoreMetadata
    /// The model that the store carries, if it can be read.
    public let model: Model?
    /// Why the store's model can't be read.
    public let modelError: ModelError?
    /// In the order of their numbers.
    public let entities: [EntityCount]
    /// The number of transactions in the persistent history, or nil without a history.
    public let historyTransactions: Int?
    /// In bytes, like all sizes.
    public let fileSize: Int
    /// The free space within the file.
    public let freeSize: Int
    /// The size of the log, which isn't in the file yet.
    public let logSize: Int
    public let externalFiles: Int
    public let externalSize: Int

    /// Reads a store's file without changing it.
    public init(path: String) throws {
        do {
            try self.init(path, try Connection.ofStore(path))
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    private init(_ path: String, _ connection: Connection) throws {
        let (head, carried, entities, transactions) = try connection.transaction {
            let names = Set(try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.string(0) })
            if let error = StoreError.foreignDatabase(unless: names.contains) { throw error }
            return (
                try MetadataRow(connection),
                names.contains("Z_MODELCACHE") ? try EmbeddedModel(connection) : nil,
                try Self.entities(connection, tables: names),
                names.contains("ATRANSACTION")
                    ? try connection.first("SELECT count(*) FROM ATRANSACTION") { Int($0.int64(0)) } : nil
            )
        }
        identifier = head.identifier
        var values = head.metadata.values
        values[StoreMetadata.identifierKey] = .string(identifier.uuidString)
        metadata = StoreMetadata(values: values)
        switch carried?.content {
        case .success(let model):
            self.model = model
            modelError = nil
        case .failure(let error):
            model = nil
            modelError = error
        case nil:
            model = nil
            modelError = nil
        }
        self.entities = entities
        historyTransactions = transactions
        let pageSize = try connection.first("PRAGMA page_size") { Int($0.int64(0)) } ?? 0
        freeSize = pageSize * (try connection.first("PRAGMA freelist_count") { Int($0.int64(0)) } ?? 0)
        fileSize = FileManager.default.size(ofFile: path)
        logSize = FileManager.default.size(ofFile: path + "-wal")
        let folder = ExternalFolder(store: path)
        let names = folder.names
        externalFiles = names.count
        externalSize = names.reduce(0) { $0 + (folder.size(of: $1) ?? 0) }
    }

    /// The entities that the file lists. Each hierarchy's table is named after its root.
    private static func entities(_ connection: Connection, tables: Set<String>) throws -> [EntityCount] {
        let rows = try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
            (number: $0.int64(0), name: $0.string(1), parent: $0.int64(2))
        }.filter { $0.number < StoredEntities.firstHistoryNumber }
        let known = Dictionary(keepingFirst: rows.map { ($0.number, $0) })
        var counts: [Int64: Int] = [:]
        for root in rows where known[root.parent] == nil {
            let table = "Z" + root.name.uppercased()
            guard tables.contains(table) else { continue }
            try connection.run("SELECT Z_ENT, count(*) FROM \(identifier: table) GROUP BY Z_ENT") {
                counts[$0.int64(0)] = Int($0.int64(1))
            }
        }
        return rows.map { row in
            EntityCount(name: row.name, parent: known[row.parent]?.name, objects: counts[row.number] ?? 0)
        }
    }
}

extension FileManager {
    /// The size of a file, or zero if it is missing.
    fileprivate func size(ofFile path: String) -> Int {
        (try? attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    }
}
