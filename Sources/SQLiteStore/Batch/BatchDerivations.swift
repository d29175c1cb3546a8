// SPDX-License-Identifier: Apache-2.0

// Derived values after a batch, computed in SQL for all rows at once where possible.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Recomputes the values derived from the rows that a batch changes.
///
/// 1. Dependent rows are collected before anything is written, if relationships change, and again after writing.
/// 2. The rows in `KeyTable.saved` count as saved, so their own derived values are recomputed; all
///    others keep their versions.
struct BatchDerivations {
    private let connection: Connection
    private let tables: StoreTables
    private let now: Date

    /// The properties that have changed in the saved rows. If nil, values derived from a row alone are up to date.
    private let changed: Set<String>?
    private let entities: Set<EntityDescription>

    /// Nil if no derived values depend on rows of the entities, and they have none.
    init?(
        _ connection: Connection,
        _ tables: StoreTables,
        for entities: [EntityDescription],
        changed: Set<String>? = [],
        now: Date = .now
    ) {
        let derivations = tables.derivations
        let isConcerned = entities.contains { entity in
            !derivations.attributes(of: entity).isEmpty || !derivations.dependentPaths(from: entity).isEmpty
        }
        guard isConcerned else { return nil }
        if let changed, !changed.isEmpty {
            let isRead =
                entities.contains { derivations.attributes(of: $0).contains(where: \.isNow) }
                || tables.model.entities.contains { entity in
                    derivations.attributes(of: entity).contains { !$0.keysRead.isDisjoint(with: changed) }
                }
            guard isRead else { return nil }
        }
        self.connection = connection
        self.tables = tables
        self.changed = changed
        self.now = now
        self.entities = Set(entities)
    }

    func begin() throws {
        for table in [KeyTable.saved, .derived, .changed] { try table.prepare(connection) }
    }

    /// Collects the rows with values derived from the given rows, by the present relationships.
    func collectDependents(on rows: KeyTable) throws {
        var known: Set<[RelationshipDescription]> = []
        for entity in tables.model.entities where rows == .changed || entities.contains(entity) {
            for way in tables.derivations.dependentPaths(from: entity) where known.insert(way).inserted {
                try collect(from: entity, way, rows)
            }
        }
    }

    private func collect(from entity: EntityDescription, _ way: [RelationshipDescription], _ keys: KeyTable) throws {
        var entity = entity
        var query: SQL = ""
        var root: Int64 = 0
        for relationship in way {
            guard let rows = RelationshipRows(relationship, of: entity, tables.schema) else { return }
            let source = query.isEmpty ? rows.destinations(from: keys.name) : rows.destinations(ofRows: query)
            query = "SELECT DISTINCT m.Z_PK, m.Z_ENT \(source)"
            entity = rows.destination
            root = rows.destinationRoot
        }
        try KeyTable.derived.insert(root: root, "r.Z_PK, r.Z_ENT FROM (\(query)) AS r", connection)
    }

    /// Recomputes the collected rows, and returns the rows that changed.
    ///
    /// - Parameter changes: Records the changed values of all rows, including saved ones.
    func derive(recordingIn changes: inout ChangedProperties) throws -> [ManagedObjectID] {
        try deriveSaved(&changes)
        var changed: [ManagedObjectID] = []
        var rounds = 0
        while case let round = try deriveCollected(&changes), !round.isEmpty {
            rounds += 1
            guard rounds <= Derivations.roundLimit else { throw tables.derivations.endless(round) }
            changed += round
            guard tables.derivations.areChained else { break }
            try KeyTable.changed.clear(connection)
            try KeyTable.changed.insert(round, tables, connection)
            try KeyTable.derived.clear(connection)
            try collectDependents(on: .changed)
        }
        for table in [KeyTable.saved, .derived, .changed] { try table.clear(connection) }
        return changed
    }
}

// MARK: In SQL

extension BatchDerivations {
    /// Recomputes values that depend only on their own saved row, and adds the saved rows to those to recompute.
    private func deriveSaved(_ changes: inout ChangedProperties) throws {
        try connection.execute(
            "INSERT OR IGNORE INTO \(KeyTable.derived.name) SELECT ZROOT, Z_PK, Z_ENT FROM \(KeyTable.saved.name)"
        )
        for table in tables.schema.tables {
            guard let changed else { break }
            let local = derived(in: table).filter { derived in
                derived.value.isLocal && (derived.value.isNow || !derived.value.keysRead.isDisjoint(with: changed))
            }
            guard !local.isEmpty else { continue }
            guard local.allSatisfy(\.value.isNow) else {
                try deriveInMemory(table, among: .saved, isSaved: true, &changes)
                continue
            }
            for derived in local {
                guard let column = derived.column else { continue }
                let keys = KeyTable.saved.keys(root: root(of: table), of: derived.kinds)
                let time = SQLValue.real(now.timeIntervalSinceReferenceDate)
                try connection.execute(
                    """
                    UPDATE \(identifier: table.name) SET \(identifier: column) = \(value: time) WHERE Z_PK IN \(keys)
                    """
                )
                try record(derived, of: table, in: &changes)
            }
        }
    }

    /// Records a value as changed in all saved rows, up to the limit from which no properties are reported.
    private func record(_ derived: Derived, of table: EntityTable, in changes: inout ChangedProperties) throws {
        guard let reader = tables.rowReader(of: table.root) else { return }
        let kinds = derived.kinds.map { " AND Z_ENT IN \(SQL.numbers($0))" as SQL } ?? ""
        let limit: SQL = "\(literal: .integer(Int64(ChangedProperties.limit + 1)))"
        try connection.run(
            """
            SELECT Z_PK, Z_ENT FROM \(KeyTable.saved.name) \
            WHERE ZROOT = \(literal: .integer(root(of: table)))\(kinds) LIMIT \(limit)
            """
        ) { changes.add(CollectionOfOne(derived.name), of: reader.objectID($0)) }
    }

    /// Recomputes all collected rows, and returns those that changed.
    private func deriveCollected(_ changes: inout ChangedProperties) throws -> [ManagedObjectID] {
        var changed: Set<ManagedObjectID> = []
        for table in tables.schema.tables {
            let reading = derived(in: table).filter { !$0.value.isLocal }
            let statements = reading.map { update(table, $0) }
            guard statements.allSatisfy({ $0 != nil }) else {
                changed.formUnion(try deriveInMemory(table, among: .derived, isSaved: false, &changes))
                continue
            }
            guard let reader = tables.rowReader(of: table.root) else { continue }
            for case (let derived, let statement?) in zip(reading, statements) {
                let name = CollectionOfOne(derived.name)
                try connection.run(statement) { row in
                    let objectID = reader.objectID(row)
                    changed.insert(objectID)
                    changes.add(name, of: objectID)
                }
            }
        }
        return Array(changed)
    }

    private func root(of table: EntityTable) -> Int64 { tables.schema.rootNumber(of: table.root) }

    private struct Derived {
        let value: Derivations.Derivation
        let owner: EntityDescription
        /// The numbers of the entities that have the attribute; nil for all of the table.
        let kinds: [Int64]?
        var column: String?
        var encoding: ValueEncoding?

        var name: String { value.attribute.name }
    }

    /// The derived attributes of a table's entities, each once.
    private func derived(in table: EntityTable) -> [Derived] {
        var known: Set<AttributeDescription> = []
        let entities = Array(tables.model.kinds(of: table.root))
        return entities.flatMap { entity in
            tables.derivations.attributes(of: entity).filter { known.insert($0.attribute).inserted }.map { value in
                let having = entities.filter { $0.attributes.contains(value.attribute) }
                let kinds = having.count == entities.count ? nil : having.map { tables.schema.numbers[$0] }
                guard case .value(let place, let encoding) = table[entity].attributes[value.attribute.slot] else {
                    return Derived(value: value, owner: entity, kinds: kinds)
                }
                let column = table.name(ofColumn: place)
                return Derived(value: value, owner: entity, kinds: kinds, column: column, encoding: encoding)
            }
        }
    }

    /// The statement that updates a value in all collected rows, or nil if SQL can't express it.
    private func update(_ table: EntityTable, _ derived: Derived) -> SQL? {
        guard let column = derived.column, let encoding = derived.encoding,
            let value = DerivationSQL(tables.schema).value(of: derived.value.attribute, derived.owner, encoding)
        else { return nil }
        let keys = KeyTable.derived.keys(root: root(of: table), of: derived.kinds)
        return """
            UPDATE \(identifier: table.name) AS o SET \(identifier: column) = \(value) \
            WHERE o.Z_PK IN \(keys) AND o.\(identifier: column) IS NOT \(value) RETURNING Z_PK, Z_ENT
            """
    }
}

// MARK: In memory

extension BatchDerivations {
    private static let chunkSize = 500

    @discardableResult
    private func deriveInMemory(
        _ table: EntityTable,
        among keys: KeyTable,
        isSaved: Bool,
        _ changes: inout ChangedProperties
    ) throws -> [ManagedObjectID] {
        var changed: [ManagedObjectID] = []
        guard let reader = tables.rowReader(of: table.root) else { return [] }
        var last: Int64 = .min
        while true {
            let objects = try connection.rows(
                """
                SELECT Z_PK, Z_ENT FROM \(keys.name) WHERE ZROOT = \(literal: .integer(root(of: table))) \
                AND Z_PK > \(value: .integer(last)) ORDER BY Z_PK LIMIT \(literal: .integer(Int64(Self.chunkSize)))
                """
            ) { row in
                last = row.int64(0)
                return reader.objectID(row)
            }
            guard !objects.isEmpty else { return changed }
            changed += try WorkLimits.withNewAllowance { try deriveInMemory(objects, isSaved: isSaved, &changes) }
        }
    }

    private func deriveInMemory(
        _ objects: [ManagedObjectID],
        isSaved: Bool,
        _ changes: inout ChangedProperties
    ) throws -> [ManagedObjectID] {
        let source = RowSource(StoreReader(connection: connection, tables: tables))
        let evaluator = Evaluator(now: now)
        var changed: [ManagedObjectID] = []
        for case let snapshot? in try source.reader.snapshots(of: objects) {
            source.put(snapshot)
            let row = try source.derived(snapshot, isSaved: isSaved, with: evaluator)
            guard let new = try source.write(row, over: snapshot) else { continue }
            changed.append(snapshot.objectID)
            let slots = new.recomputed(since: snapshot).recomputedSlots ?? []
            changes.add(slots.map { snapshot.objectID.entity.attributes[$0].name }, of: snapshot.objectID)
        }
        return changed
    }
}
