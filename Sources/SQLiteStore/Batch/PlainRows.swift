// SPDX-License-Identifier: Apache-2.0

// Inserts rows that affect no other row, bound directly to one prepared statement.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// Writes plain rows of one entity.
final class PlainRows {
    private let connection: Connection
    private let tables: StoreTables
    private let placement: ExternalPlacement?
    private let statement: Statement
    private let columns: [PlainColumn]
    private let limited: [AttributeDescription]
    private let patterns = PatternChecker()
    private let toOnes: [PlainToOne]
    private let evaluator: Evaluator?
    private let entity: EntityDescription
    private let number: Int64
    private let order: MemberOrder
    private var ordered = 0

    /// Nil if no row of the entity can be plain.
    init?(
        _ insertion: StoreBatchInsertion,
        _ connection: Connection,
        _ tables: StoreTables,
        _ placement: ExternalPlacement?,
        _ order: MemberOrder
    ) throws {
        let entity = insertion.entity
        guard let table = tables.schema.table(of: entity), !entity.toManys.contains(where: \.hasBounds),
            insertion.policy == .error || entity.uniquenessConstraints.isEmpty
        else { return nil }
        let layout = table[entity]
        let columns = PlainColumn.all(of: layout, in: table)
        let names = SystemColumn.all + columns.map { table.name(ofColumn: $0.place) }
        let text: SQL = """
            INSERT INTO \(identifier: table.name) (\(names.map { "\(identifier: $0)" as SQL }.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" as SQL }.joined(separator: ", ")))
            """
        let statement = try connection.prepare(text.text)
        self.connection = connection
        self.tables = tables
        self.statement = statement
        self.columns = columns
        self.entity = entity
        self.placement = placement
        number = layout.number
        limited = entity.attributes.filter { $0.isPersistent && !$0.isDerived && $0.isLimited }
        toOnes = entity.toOnes.filter { !$0.isTransient }.map { PlainToOne($0, tables) }
        evaluator = entity.attributes.contains(where: \.isDerived) ? Evaluator(now: .now) : nil
        self.order = order
    }

    /// Whether a row is plain and valid.
    func accepts(_ row: Row, _ given: StoreBatchInsertion.Row) throws -> Bool {
        guard given.members.isEmpty else { return false }
        for attribute in limited where !attribute.failures(of: row.attributes[attribute.slot], using: patterns).isEmpty
        {
            return false
        }
        for toOne in toOnes where try !toOne.accepts(row.toOnes[toOne.slot], connection, tables) { return false }
        return true
    }

    /// Inserts a row, and returns false if another row has its unique values.
    func insert(_ row: Row, _ key: Int64, version: Int64) throws -> Bool {
        let mark = placement?.mark
        let row = evaluator.map { tables.derivations.deriveLocally(row, of: entity, with: $0) } ?? row
        try statement.bind(key, at: 1)
        try statement.bind(number, at: 2)
        try statement.bind(version, at: 3)
        var index: Int32 = 3
        for column in columns {
            index += 1
            switch column.content {
            case .value(let slot, let encoding):
                try bind(row.attributes[slot], encoding, slot, at: index)
            case .element(let slot, let path, let encoding):
                try bind(row.attributes[slot].element(path), encoding, slot, at: index)
            case .presence(let slot, let path):
                let isPresent = row.attributes[slot].element(path) != .null
                try statement.bind(isPresent ? SQLValue.integer(1) : .null, at: index)
            case .key(let slot):
                if let destination = row.toOnes[slot].flatMap(tables.key) {
                    try statement.bind(destination, at: index)
                } else {
                    try statement.bindNull(at: index)
                }
            case .entity(let slot):
                guard let destination = row.toOnes[slot], let number = toOnes.number(of: destination, slot) else {
                    try statement.bindNull(at: index)
                    continue
                }
                try statement.bind(number, at: index)
            case .order(let slot, let list):
                guard let owner = row.toOnes[slot].flatMap(tables.key) else {
                    try statement.bindNull(at: index)
                    continue
                }
                try statement.bind(try place(list, owner, key), at: index)
            }
        }
        do {
            _ = try statement.step()
            return true
        } catch {
            if error.code == .constraintPrimaryKey { throw StoreError.takenKey(try tables.rootNumber(of: entity)) }
            guard error.code == .constraintUnique else { throw error }
            if let mark { placement?.revert(to: mark) }
            return false
        }
    }

    /// Records the to-many relationships of an accepted row's owners as changed.
    func recordOwners(of row: Row, in changed: inout ChangedProperties) {
        for toOne in toOnes {
            guard let name = toOne.owning, let owner = row.toOnes[toOne.slot],
                case .integer(let key)? = owner.reference,
                let entity = toOne.number(of: owner).flatMap(tables.schema.numbers.entity)
            else { continue }
            // The row may name a superentity of the owner's entity.
            let named = ManagedObjectID(entity: entity, store: tables.identifier, reference: .integer(key))
            changed.add(CollectionOfOne(name), of: named)
        }
    }

    private func bind(_ value: Value, _ encoding: ValueEncoding, _ slot: Int, at index: Int32) throws {
        switch (encoding, value) {
        case (_, .null): try statement.bindNull(at: index)
        case (.string, .string(let text)): try statement.bind(text, at: index)
        case (.integer, .integer(let number)): try statement.bind(number, at: index)
        case (.double, .double(let number)): try statement.bind(number, at: index)
        case (.externalData, .data(let data)):
            let file = entity.attributes[slot].isDerived ? nil : try placement?.place(data)
            try statement.bind(file.map { SQLValue.blob($0.stored) } ?? encoding.encoded(value) ?? .null, at: index)
        default:
            guard let encoded = encoding.encoded(value) else {
                throw StoreError.wrongType(value, entity.attributes[slot], entity)
            }
            try statement.bind(encoded, at: index)
        }
    }

    /// The order value of an appended member. The cache is cleared now and then, since there may be many lists.
    private func place(_ list: MemberOrder.Columns, _ owner: Int64, _ member: Int64) throws -> Int64 {
        ordered += 1
        if ordered.isMultiple(of: 4096) { order.beginSave() }
        return try order.next(list, owner: owner, member: member)
    }
}

/// A column, and the part of a row that it contains.
private struct PlainColumn {
    enum Content {
        case value(slot: Int, ValueEncoding)
        case element(slot: Int, path: [String], ValueEncoding)
        case presence(slot: Int, path: [String])
        case key(slot: Int)
        case entity(slot: Int)
        case order(slot: Int, MemberOrder.Columns)
    }

    let place: Int
    let content: Content

    static func all(of layout: EntityTable.Layout, in table: EntityTable) -> [PlainColumn] {
        var all: [PlainColumn] = []
        for (slot, columns) in layout.attributes.enumerated() { add(columns, slot, [], &all) }
        for (slot, columns) in layout.toOnes.enumerated() {
            guard let columns else { continue }
            all.append(PlainColumn(place: columns.key, content: .key(slot: slot)))
            if let entity = columns.entity { all.append(PlainColumn(place: entity, content: .entity(slot: slot))) }
            guard let order = columns.order else { continue }
            let list = MemberOrder.Columns(
                table: table.name,
                owner: table.name(ofColumn: columns.key),
                order: table.name(ofColumn: order)
            )
            all.append(PlainColumn(place: order, content: .order(slot: slot, list)))
        }
        return all
    }

    private static func add(_ columns: AttributeColumns, _ slot: Int, _ path: [String], _ all: inout [PlainColumn]) {
        switch columns {
        case .none: return
        case .value(let place, let encoding):
            let content: Content =
                path.isEmpty ? .value(slot: slot, encoding) : .element(slot: slot, path: path, encoding)
            all.append(PlainColumn(place: place, content: content))
        case .composite(let presence, let elements):
            if let presence { all.append(PlainColumn(place: presence, content: .presence(slot: slot, path: path))) }
            for (element, columns) in elements { add(columns, slot, path + [element.name], &all) }
        }
    }
}

extension Value {
    /// The element of a composite at a path.
    fileprivate func element(_ path: [String]) -> Value {
        path.reduce(self) { value, name in
            if case .dictionary(let members) = value { members[name] ?? .null } else { .null }
        }
    }
}

/// A to-one relationship of plain rows, with a cache of its destinations.
private final class PlainToOne {
    let slot: Int
    /// The destination's to-many relationship to the rows, if there is one.
    let owning: String?
    private let isOptional: Bool
    private let check: DestinationCheck?
    private var known: [Int64: Int64] = [:]

    private static let knownLimit = 10_000

    init(_ relationship: RelationshipDescription, _ tables: StoreTables) {
        slot = relationship.slot
        isOptional = relationship.relationship.isOptional
        // If the destination's row changes or its members must be counted, the row isn't plain.
        let inverse = relationship.inverse
        owning = inverse.flatMap { $0.isToMany ? $0.name : nil }
        let isLoose = inverse.map { inverse in
            inverse.isToMany && !tables.model.destination(of: relationship).toManys[inverse.slot].limitsAdditions
        }
        check = isLoose ?? true ? DestinationCheck(relationship, tables) : nil
    }

    func accepts(_ destination: ManagedObjectID?, _ connection: Connection, _ tables: StoreTables) throws -> Bool {
        guard let destination else { return isOptional }
        guard let check, let key = tables.key(of: destination) else { return false }
        let number = try known[key] ?? check.number(of: key, connection)
        guard let number, tables.schema.numbers.entity(number)?.isKind(of: destination.entity) ?? false else {
            return false
        }
        if known[key] == nil, known.count >= Self.knownLimit { known = [:] }
        known[key] = number
        return true
    }

    /// The entity number of an accepted destination.
    func number(of destination: ManagedObjectID) -> Int64? {
        if case .integer(let key)? = destination.reference { known[key] } else { nil }
    }
}

extension [PlainToOne] {
    fileprivate func number(of destination: ManagedObjectID, _ slot: Int) -> Int64? {
        first { $0.slot == slot }?.number(of: destination)
    }
}
