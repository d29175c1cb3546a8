// SPDX-License-Identifier: Apache-2.0

// Creates a store with all objects of another store of any kind.

import FoundationEssentials
public import ObjectGraph
import ObjectModel
import SQLiteDriver

extension SQLiteStore {
    /// Creates a store with a copy of another store's identifier, metadata, and objects with their keys, versions and
    /// values, including derived ones.
    ///
    /// One state of the other store is read in small batches. Nothing is left if it fails.
    ///
    /// - Parameter configuration: The configuration that selects the store's entities, or nil for all entities.
    public static func make(
        path: String,
        model: ManagedObjectModel,
        configuration: String? = nil,
        copying source: some PersistentStore
    ) throws {
        try checkPlace(ofNewStoreAt: path)
        var options = SQLiteStoreOptions()
        options.configuration = configuration
        try NewStore.make(path) { [options] in try fill($0, model, options, copying: source) }
    }

    private static func fill(
        _ path: String,
        _ model: ManagedObjectModel,
        _ options: SQLiteStoreOptions,
        copying source: some PersistentStore
    ) throws {
        try adopt(source, SQLiteStore(path: path, model: model, options: options))
        // The stores have the same identifier now, so object IDs are valid in both.
        let store = try SQLiteStore(path: path, model: model, options: options)
        try store.naming {
            let generation = try source.currentGeneration()
            var objects: [[ManagedObjectID]] = []
            for entity in model.entities {
                let request = StoreFetchRequest(entity: entity, includesSubentities: false, kind: .objectIDs)
                guard case .objectIDs(let found) = try source.fetch(request, at: generation) else { continue }
                objects.append(found)
                for batch in found.batches {
                    let rows = try source.snapshots(of: batch, at: generation).compactMap(\.self)
                    try store.write(rows, of: entity)
                }
            }
            // Pairs come before orders, since the order may be in pairs that the other side of a relationship owns.
            for isOrder in [false, true] {
                for entity in model.entities {
                    let owners = Array(objects[entity.kinds].joined())
                    for relationship in entity.entity.relationships.compactMap({ entity.relationship(named: $0.name) })
                    {
                        guard relationship.isToMany, !relationship.isTransient else { continue }
                        for batch in owners.batches {
                            try store.copy(relationship, batch, isOrder: isOrder, from: source, generation)
                        }
                    }
                }
            }
            try store.writing { [tables = store.tables] in try tables.raiseKeys($0) }
            _ = try store.database.checkpoint(.truncate)
        }
    }

    private static func adopt(_ source: some PersistentStore, _ store: SQLiteStore) throws {
        let identifier = source.identifier.uuidString
        let values = source.metadata.values
        try store.writing { connection in
            try connection.execute("UPDATE Z_METADATA SET Z_UUID = \(value: .text(identifier))")
            var head = try MetadataRow(connection)
            head.metadata.replace(by: values)
            try head.write(connection)
        }
    }

    private func write(_ rows: [Snapshot], of entity: EntityDescription) throws {
        guard let files = tables.files else {
            return try writing { [tables] in try tables.copy(rows, of: entity, [:], $0) }
        }
        let placement = ExternalPlacement(files)
        try placement.finish {
            var places: ExternalPlaces = [:]
            for row in rows {
                let values = tables.externalValues(of: row.row, row.objectID, row.row.attributes.indices)
                places.merge(try placement.place(values)) { $1 }
            }
            try placement.sync()
            try writing { [tables, places] in try tables.copy(rows, of: entity, places, $0) }
            placement.willCommit()
        }
    }

    /// Copies the pairs of a relationship, or the order of its members.
    private func copy(
        _ relationship: RelationshipDescription,
        _ owners: [ManagedObjectID],
        isOrder: Bool,
        from source: some PersistentStore,
        _ generation: any StoreGeneration
    ) throws {
        let view = tables.schema.pairs(of: relationship).flatMap { $0.isOwner && !isOrder ? $0 : nil }
        let order = isOrder ? tables.schema.order(of: relationship) : nil
        guard view != nil || order != nil else { return }
        let members = try source.members(of: relationship, owners: owners, at: generation)
        try writing { [tables] connection in
            for (owner, members) in zip(owners, members) {
                guard let owner = tables.key(of: owner) else { continue }
                let keys = members.compactMap(tables.key)
                try view?.insert(keys, of: owner, connection)
                try order?.write(keys, of: owner, connection)
            }
        }
    }
}

extension [ManagedObjectID] {
    /// Batches small enough to be in memory with their rows.
    fileprivate var batches: [[ManagedObjectID]] {
        stride(from: 0, to: count, by: 1000).map { Array(self[$0..<Swift.min($0 + 1000, count)]) }
    }
}

extension StoreTables {
    fileprivate func copy(
        _ rows: [Snapshot],
        of entity: EntityDescription,
        _ places: ExternalPlaces,
        _ connection: Connection
    ) throws {
        guard let writer = RowWriter(entity, self) else { throw StoreError.keptElsewhere(entity) }
        for snapshot in rows {
            guard let key = key(of: snapshot.objectID) else { throw StoreError.foreignObject(snapshot.objectID) }
            let system: [RowWriter.Assignment] = [
                (SystemColumn.key, .integer(key)), (SystemColumn.entity, .integer(writer.layout.number)),
                (SystemColumn.version, .integer(snapshot.version)),
            ]
            let assignments = try system + writer.assignments(of: snapshot.row, files: places[snapshot.objectID] ?? [:])
            let columns = assignments.map { "\(identifier: $0.column)" as SQL }.joined(separator: ", ")
            let values = assignments.map { "\(value: $0.value)" as SQL }.joined(separator: ", ")
            try connection.execute("INSERT INTO \(identifier: writer.table.name) (\(columns)) VALUES (\(values))")
        }
    }

    fileprivate func raiseKeys(_ connection: Connection) throws {
        for table in schema.tables {
            let number = schema.rootNumber(of: table.root)
            try connection.execute(
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(Z_MAX, ifnull((SELECT MAX(Z_PK) FROM \(identifier: table.name)), 0)) \
                WHERE Z_ENT = \(value: .integer(number))
                """
            )
        }
    }
}

extension PairsView {
    /// Ignores existing pairs: a reflexive relationship yields each pair from both of its owners.
    fileprivate func insert(_ members: [Int64], of owner: Int64, _ connection: Connection) throws {
        for member in members {
            try connection.execute(
                """
                INSERT OR IGNORE INTO \(identifier: table.name) (\(identifier: own.key), \(identifier: other.key)) \
                VALUES (\(value: .integer(owner)), \(value: .integer(member)))
                """
            )
        }
    }
}

extension MemberList {
    fileprivate func write(_ members: [Int64], of owner: Int64, _ connection: Connection) throws {
        for (place, key) in members.enumerated() {
            try connection.execute(
                """
                UPDATE \(identifier: columns.table) \
                SET \(identifier: columns.order) = \(value: .integer(Int64(place + 1) * MemberOrder.step)) \
                WHERE \(identifier: member) = \(value: .integer(key)) \
                AND \(identifier: columns.owner) = \(value: .integer(owner))
                """
            )
        }
    }
}
