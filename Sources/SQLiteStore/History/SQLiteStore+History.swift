// SPDX-License-Identifier: Apache-2.0

// The history of the store.

public import ObjectGraph
import SQLiteDriver

extension SQLiteStore: HistoryStore {
    public var keepsHistory: Bool { tables.history?.isKept ?? false }

    public func history(_ request: StoreHistoryRequest) throws -> StoreHistoryResult {
        try reading(nil) { reader in try HistoryReader(reader).result(of: request) }
    }

    public func latestChanges(of objectID: ManagedObjectID, limit: Int) throws -> [HistoryChange] {
        try reading(nil) { reader in try HistoryReader(reader).latestChanges(of: objectID, limit: limit) }
    }

    public func historyEnd(at generation: (any StoreGeneration)?) throws -> HistoryToken.Position {
        try reading(generation) { reader in HistoryToken.Position(transaction: try HistoryReader(reader).end()) }
    }

    public func trimHistory(_ trim: HistoryTrim) throws -> Int {
        let extent = try reading(nil) { reader in try HistoryTrimming(connection: reader.connection).extent(of: trim) }
        guard let extent else { return 0 }
        var count = 0
        while true {
            let removed = try writing { [tables] connection in
                try tables.history?.mark(connection)
                return try HistoryTrimming(connection: connection).remove(extent, by: trim)
            }
            count += removed.count
            guard removed.hasMore else { return count }
        }
    }

    public func historyConsumers() throws -> [HistoryConsumer] {
        try reading(nil) { reader in try HistoryTrimming(connection: reader.connection).consumers() }
    }

    public func setHistoryConsumer(_ name: String, to position: HistoryToken.Position?) throws {
        try writing { [tables] connection in
            try tables.history?.mark(connection)
            let consumers = HistoryTrimming(connection: connection)
            guard let position else { return try consumers.remove(name) }
            try HistoryReader(StoreReader(connection: connection, tables: tables)).check(position)
            try consumers.set(name, to: position)
        }
    }
}

/// Whether a store keeps a history of its changes.
public enum HistoryMode: String, CaseIterable, Hashable, Sendable {
    /// In stores that weren't made by Core Data, and in those that have a history already.
    case automatic
    case on
    /// A history that the store has is removed by the first write.
    case off
}
