// SPDX-License-Identifier: Apache-2.0

// The tables of a store and how their rows are read, used by all reads and writes.

import FoundationEssentials
import ObjectGraph

/// The tables of an open store.
struct StoreTables: Sendable {
    let schema: StoreSchema
    let identifier: UUID
    let derivations: Derivations
    let statements = RowStatements()
    let fetchPlans = FetchPlanCache()
    /// The files of large values, or nil if no entity can have them.
    let files: ExternalFiles?
    let triggered: TriggeredRows
    let search: SearchIndexes
    /// Nil if the file records which model it was written with.
    let modelRecord: ModelRecord?
    /// Nil for tables that aren't written.
    let history: HistoryTables?
    /// See `StoreSchema.externalColumns`.
    let externalColumns: [Int: [Int: AttributeColumns]]
    /// In the order of `schema.tables`.
    private let readers: [RowReader]
    /// Indexes of readers by entity index.
    private let places: [Int?]

    init(
        _ schema: StoreSchema,
        identifier: UUID,
        files: ExternalFiles,
        triggered: TriggeredRows,
        isModelKnown: Bool = true,
        history: StoreHistoryStatus? = nil
    ) {
        self.schema = schema
        self.identifier = identifier
        derivations = Derivations(schema.model)
        externalColumns = schema.externalColumns
        let files = externalColumns.isEmpty ? nil : files
        self.files = files
        self.triggered = triggered
        search = SearchIndexes(schema)
        modelRecord = isModelKnown ? nil : ModelRecord(schema.model)
        self.history = history.map { [derivations] status in HistoryTables(schema, derivations, status) }
        readers = schema.tables.map { RowReader($0, in: schema, store: identifier, files) }
        var places = [Int?](repeating: nil, count: schema.model.entities.count)
        for (place, table) in schema.tables.enumerated() {
            for index in table.root.kinds { places[index] = place }
        }
        self.places = places
    }

    var model: ManagedObjectModel { schema.model }

    /// Reads the rows of an entity; nil if another store keeps them.
    func rowReader(of entity: EntityDescription) -> RowReader? { places[entity.index].map { readers[$0] } }

    /// The number of an entity's root entity; a table's entities share its keys.
    func rootNumber(of entity: EntityDescription) throws(StoreError) -> Int64 {
        guard places[entity.index] != nil else { throw .keptElsewhere(entity) }
        return schema.rootNumber(of: entity)
    }

    /// The key of an object's row, or nil for an object of another store.
    func key(of objectID: ManagedObjectID) -> Int64? {
        guard objectID.storeIdentifier == identifier, case .integer(let key)? = objectID.reference else { return nil }
        return key
    }
}
