// SPDX-License-Identifier: Apache-2.0

// Writes a save into the tables: deletions, insertions and updates, then members. `StoreTables+Saving` computes derived
// values.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Writes one save within a transaction.
///
/// 1. Each statement that updates or deletes a row names the version that the change is based on. If no such row
///    exists, or a unique value isn't unique, the save ends with `Collision`. The caller then rolls back, and
///    `SaveConflicts` finds the conflicts.
/// 2. After the save, rows refer to existing rows only. Versions don't ensure this: another writer may have deleted a
///    destination, or may refer to a row that is deleted here.
/// 3. Written rows aren't read again: the result of a save is what the request contained.
struct SaveWriter {
    /// The save has a conflict.
    struct Collision: Error {}

    let connection: Connection
    let tables: StoreTables
    let order: MemberOrder
    private let places: ExternalPlaces
    private var writers: [Int: RowWriter] = [:]
    var deletions: [Int: DeletionStatements] = [:]
    private var inserted: InsertedRows
    private var latestShape: UpdateShape?

    /// - Parameter order: The order values after earlier saves of the same transaction.
    init(_ connection: Connection, _ tables: StoreTables, _ places: ExternalPlaces, _ order: MemberOrder? = nil) {
        self.connection = connection
        self.places = places
        self.tables = tables
        self.order = order ?? MemberOrder(connection)
        order?.beginSave()
        inserted = InsertedRows(connection, tables.statements)
    }

    /// - Parameter yieldingUniqueValues: Whether to clear the unique values of updated rows first, so
    ///   that rows can swap them.
    mutating func write(_ request: StoreSaveRequest, yieldingUniqueValues: Bool = false) throws -> [Snapshot] {
        try checkMembers(of: request)
        try FreeKeys(connection).remove(request.insertions, tables)
        do {
            for lock in request.locks { try check(lock) }
            try delete(request.deletions)
            if yieldingUniqueValues { for update in request.updates { try yieldUniqueValues(update.objectID) } }
            for insertion in request.insertions { try insert(insertion) }
            try inserted.writeAll()
            for update in request.updates { try self.update(update, withUniqueValues: yieldingUniqueValues) }
        } catch let error as SQLiteError where error.code == .constraintUnique || error.code == .constraintPrimaryKey {
            throw Collision()
        }
        let present = try presentRows(for: request)
        let gone = request.members.isEmpty ? [] : Set(request.deletions.map(\.objectID))
        for change in request.members { try self.change(change, present: present, gone: gone) }
        try checkNoReferencesToDeletions(of: request)
        return request.writtenRows
    }

    mutating func writer(of entity: EntityDescription) throws(StoreError) -> RowWriter {
        if let known = writers[entity.index] { return known }
        guard let writer = RowWriter(entity, tables) else { throw .keptElsewhere(entity) }
        writers[entity.index] = writer
        return writer
    }

    func key(_ objectID: ManagedObjectID) throws(StoreError) -> Int64 {
        guard let key = tables.key(of: objectID) else { throw .foreignObject(objectID) }
        return key
    }

    /// Runs a statement that changes some rows, and throws unless all of them have the expected version.
    func execute(_ sql: SQL, changing count: Int) throws {
        try connection.execute(sql)
        guard connection.changes == count else { throw Collision() }
    }
}

// MARK: Rows

extension SaveWriter {
    private mutating func check(_ lock: StoreSaveRequest.Lock) throws {
        let table = try writer(of: lock.objectID.entity).table
        let query: SQL = """
            SELECT Z_OPT FROM \(identifier: table.name) WHERE Z_PK = \(value: .integer(try key(lock.objectID)))
            """
        guard try connection.first(query, { $0.int64(0) }) == lock.version else { throw Collision() }
    }

    private mutating func insert(_ insertion: StoreSaveRequest.Insertion) throws {
        let writer = try writer(of: insertion.objectID.entity)
        var assignments = try writer.assignments(of: insertion.row, files: files(of: insertion.objectID))
        try addPlaces(
            of: insertion.objectID,
            insertion.row,
            slots: writer.layout.toOnes.indices,
            writer,
            to: &assignments
        )
        let columns = SystemColumn.all + assignments.map(\.column)
        let values: [SQLValue] =
            [.integer(try key(insertion.objectID)), .integer(writer.layout.number), .integer(insertion.version)]
            + assignments.map(\.value)
        try inserted.add(to: writer.table.name, columns, values)
    }

    private mutating func update(_ update: StoreSaveRequest.Update, withUniqueValues: Bool) throws {
        let entity = update.objectID.entity
        let writer = try writer(of: entity)
        let shape = shape(of: update, withUniqueValues: withUniqueValues)
        var assignments = try writer.assignments(
            of: update.row,
            attributes: shape.attributes,
            toOnes: shape.toOnes,
            files: files(of: update.objectID)
        )
        try addPlaces(of: update.objectID, update.row, slots: update.toOnes, writer, to: &assignments)
        assignments.append((SystemColumn.version, .integer(update.version.next)))
        let values = assignments.map(\.value) + [.integer(try key(update.objectID)), .integer(update.version)]
        let text = shape.text ?? tables.statements.update(of: writer.table.name, assignments.map(\.column))
        latestShape?.text = text
        try execute(SQL(text: text, bindings: values), changing: 1)
    }

    /// What an update writes, which is usually the same as in the update before.
    private mutating func shape(of update: StoreSaveRequest.Update, withUniqueValues: Bool) -> UpdateShape {
        if let latestShape, latestShape.fits(update, withUniqueValues: withUniqueValues) { return latestShape }
        let shape = UpdateShape(update, withUniqueValues: withUniqueValues)
        latestShape = shape
        return shape
    }

    private func files(of objectID: ManagedObjectID) -> [Int: ExternalFileName] {
        places.isEmpty ? [:] : places[objectID] ?? [:]
    }

    /// A member that gets an owner through its own row is appended to the owner's members.
    private mutating func addPlaces(
        of objectID: ManagedObjectID,
        _ row: Row,
        slots: some Sequence<Int>,
        _ writer: RowWriter,
        to assignments: inout [RowWriter.Assignment]
    ) throws {
        for slot in slots {
            guard let columns = writer.layout.toOnes[slot], let order = columns.order else { continue }
            let owner = row.toOnes[slot].flatMap(tables.key)
            let list = MemberOrder.Columns(
                table: writer.table.name,
                owner: writer.table.columns[columns.key].name,
                order: writer.table.columns[order].name
            )
            var place = SQLValue.null
            if let owner {
                let member = try key(objectID)
                place = .integer(
                    try self.order.next(list, owner: owner, member: member) { try inserted.writeAll() }
                )
            }
            assignments.append((list.order, place))
        }
    }

    /// Clears a row's unique values until the new ones are written.
    private mutating func yieldUniqueValues(_ objectID: ManagedObjectID) throws {
        let writer = try writer(of: objectID.entity)
        let columns = Set(objectID.entity.uniquenessConstraints.flatMap(writer.columns(of:))).sorted()
        guard !columns.isEmpty else { return }
        try connection.execute(
            """
            UPDATE \(identifier: writer.table.name) \
            SET \(columns.map { "\(identifier: $0) = NULL" as SQL }.joined(separator: ", ")) \
            WHERE Z_PK = \(value: .integer(try key(objectID)))
            """
        )
    }
}

/// The values that an update of a row writes, by slot: those that were changed, and derived ones.
private struct UpdateShape {
    private let entity: EntityDescription
    private let changed: (attributes: [Int], toOnes: [Int])
    private let withUniqueValues: Bool
    let attributes: [Int]
    let toOnes: [Int]
    /// The statement, once it is known.
    var text: String?

    init(_ update: StoreSaveRequest.Update, withUniqueValues: Bool) {
        entity = update.objectID.entity
        changed = (update.attributes, update.toOnes)
        self.withUniqueValues = withUniqueValues
        var attributes = Set(update.attributes)
        var toOnes = Set(update.toOnes)
        for attribute in entity.attributes where attribute.isDerived { attributes.insert(attribute.slot) }
        for property in entity.uniquenessConstraints.joined() where withUniqueValues {
            switch property {
            case .attribute(let attribute): attributes.insert(attribute.slot)
            case .relationship(let relationship): toOnes.insert(relationship.slot)
            case .fetched: break
            }
        }
        self.attributes = attributes.sorted()
        self.toOnes = toOnes.sorted()
    }

    func fits(_ update: StoreSaveRequest.Update, withUniqueValues: Bool) -> Bool {
        entity == update.objectID.entity && changed.attributes == update.attributes
            && changed.toOnes == update.toOnes && self.withUniqueValues == withUniqueValues
    }
}

extension Int64 {
    /// The next version; wraps around after the greatest.
    fileprivate var next: Int64 { self &+ 1 }
}
