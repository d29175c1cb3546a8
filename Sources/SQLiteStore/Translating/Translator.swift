// SPDX-License-Identifier: Apache-2.0

// Translates predicates and expressions into SQL with exactly the same meaning, or throws.
//
// 1. A translation is true for a row exactly if the evaluator's result is true. What isn't known to
//    be so isn't translated.
// 2. Values are bound, so that fetches of one shape have one text. Rows are named t0, t1, … in the
//    order of their first use.
// 3. A failed translation leaves the translator modified: code that catches `Untranslatable` restores a copy.
// 4. Columns are assumed to contain only values that their attributes allow, and to-one relationships to name their
//    destinations' entities correctly.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

struct Translator {
    let schema: StoreSchema
    let store: UUID
    /// The value of `now()`.
    let now: Date
    private(set) var scopes: [SelectScope] = []
    var variables: [String: Node] = [:]
    /// The values of expressions over groups. If set, no other part of an object may be used.
    var grouped: [ObjectExpression: Node]?
    /// The entity, table and scope of each table alias.
    private var aliases: [(entity: EntityDescription, table: EntityTable, scope: Int)] = []
    private var depth = 0

    /// A translator for rows of an entity, where `t0` is the evaluated row; nil for an entity of another store.
    ///
    /// - Parameter tables: The FROM clause, if it is more than the entity's table.
    init?(_ entity: EntityDescription, in schema: StoreSchema, store: UUID, now: Date, from tables: SQL? = nil) {
        self.schema = schema
        self.store = store
        self.now = now
        guard let table = schema.table(of: entity) else { return nil }
        scopes.append(SelectScope(tables ?? "\(identifier: table.name) AS t0"))
        aliases.append((entity, table, 0))
    }

    var model: ManagedObjectModel { schema.model }
    var base: SelectScope { scopes[0] }

    /// The evaluated object.
    var evaluated: ObjectTerm { object(row: 0) }

    /// Runs a translation one level deeper, limited as in the evaluator.
    mutating func nested<Result>(
        _ body: (inout Translator) throws(Untranslatable) -> Result
    ) throws(Untranslatable) -> Result {
        guard depth < Evaluator.depthLimit else { throw Untranslatable("is nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}

// MARK: Rows

extension Translator {
    static func alias(_ row: Int) -> SQL { SQL(text: "t\(row)") }

    func entity(ofRow row: Int) -> EntityDescription { aliases[row].entity }

    func table(ofRow row: Int) -> EntityTable { aliases[row].table }

    func column(_ place: Int, ofRow row: Int) -> SQL {
        "\(Self.alias(row)).\(identifier: aliases[row].table.name(ofColumn: place))"
    }

    /// The object of a row that is never NULL.
    func object(row: Int) -> ObjectTerm {
        let entity = aliases[row].entity
        return ObjectTerm(
            key: "\(Self.alias(row)).Z_PK",
            number: entity.kinds.count > 1 ? "\(Self.alias(row)).Z_ENT" : nil,
            entity: entity,
            isNullable: false,
            place: .row(row)
        )
    }

    /// The destination of a row's to-one relationship.
    func destination(of relationship: RelationshipDescription, row: Int) -> ObjectTerm? {
        let (_, table, _) = aliases[row]
        guard let columns = table[aliases[row].entity].toOnes[relationship.slot] else { return nil }
        return ObjectTerm(
            key: column(columns.key, ofRow: row),
            number: columns.entity.map { column($0, ofRow: row) },
            entity: model.destination(of: relationship),
            isNullable: true,
            place: .destination(row, relationship)
        )
    }

    /// The row of an object, joined on first use. Its columns are NULL if the object is nil.
    mutating func row(of object: ObjectTerm) throws(Untranslatable) -> Int {
        switch object.place {
        case .row(let row): return row
        case .destination, .picked:
            let scope = scope(of: object.place)
            if let row = scopes[scope].row(at: object.place) { return row }
            let (row, table) = try add(object.entity, to: scope)
            scopes[scope].leftJoin(
                table,
                on: "\(Self.alias(row)).Z_PK = \(object.key)",
                reaching: row,
                from: object.place
            )
            return row
        }
    }

    private func scope(of place: ObjectTerm.Place) -> Int {
        switch place {
        case .row(let row), .destination(let row, _): aliases[row].scope
        case .picked(_, let scope): scope
        }
    }

    /// Adds a row, and returns its index and table expression.
    private mutating func add(_ entity: EntityDescription, to scope: Int) throws(Untranslatable) -> (Int, SQL) {
        guard let table = schema.table(of: entity) else { throw Untranslatable("refers to another store") }
        guard scope == scopes.count || scopes[scope].tableCount < Self.maximumTables else {
            throw Untranslatable("follows too many relationships")
        }
        aliases.append((entity, table, scope))
        let row = aliases.count - 1
        return (row, "\(identifier: table.name) AS \(Self.alias(row))")
    }

    /// SQLite joins at most 64.
    private static var maximumTables: Int { 50 }
}

// MARK: Members

extension Translator {
    mutating func members(
        of relationship: RelationshipDescription,
        row owner: Int
    ) throws(Untranslatable) -> Members {
        let destination = model.destination(of: relationship)
        let scope = scopes.count
        let (row, table) = try add(destination, to: scope)
        let key = Self.alias(owner) + ".Z_PK" as SQL
        let member = Self.alias(row)
        if let view = schema.pairs(of: relationship) {
            let pair = SQL(text: "p\(row)")
            let link = SelectScope.Link(key: "\(pair).\(identifier: view.own.key)", owner: key)
            scopes.append(SelectScope("\(identifier: view.table.name) AS \(pair)", link: link))
            scopes[scope].join(table, on: "\(member).Z_PK = \(pair).\(identifier: view.other.key)")
            scopes[scope].order(by: view.other.order.map { ["\(pair).\(identifier: $0)"] } ?? [])
        } else {
            guard let columns = toOne(back: relationship, aliases[row].table) else {
                throw Untranslatable("uses the transient “\(relationship.name)”")
            }
            scopes.append(SelectScope(table, link: SelectScope.Link(key: column(columns.key, ofRow: row), owner: key)))
            scopes[scope].order(by: columns.order.map { [column($0, ofRow: row)] } ?? [])
        }
        scopes[scope].order(by: ["\(member).Z_PK"])
        return Members(scope: scope, owner: aliases[owner].scope, element: .object(object(row: row)))
    }

    /// The members of all members' relationships, combined.
    mutating func members(
        of relationship: RelationshipDescription,
        of members: Members,
        row owner: Int
    ) throws(Untranslatable) -> Members {
        let scope = members.scope
        let (row, table) = try add(model.destination(of: relationship), to: scope)
        let key = Self.alias(owner) + ".Z_PK" as SQL
        let member = Self.alias(row)
        if let view = schema.pairs(of: relationship) {
            let pair = SQL(text: "p\(row)")
            scopes[scope].join(
                "\(identifier: view.table.name) AS \(pair)",
                on: "\(pair).\(identifier: view.own.key) = \(key)"
            )
            scopes[scope].join(table, on: "\(member).Z_PK = \(pair).\(identifier: view.other.key)")
            scopes[scope].order(by: view.other.order.map { ["\(pair).\(identifier: $0)"] } ?? [])
        } else {
            guard let columns = toOne(back: relationship, aliases[row].table) else {
                throw Untranslatable("uses the transient “\(relationship.name)”")
            }
            scopes[scope].join(table, on: "\(column(columns.key, ofRow: row)) = \(key)")
            scopes[scope].order(by: columns.order.map { [column($0, ofRow: row)] } ?? [])
        }
        scopes[scope].order(by: ["\(member).Z_PK"])
        var reached = members
        reached.element = .object(object(row: row))
        return reached
    }

    /// Restricts members to those that satisfy a condition, which may refer to outer rows.
    mutating func require(_ condition: Condition, of members: Members, isCorrelated: Bool = false) {
        scopes[members.scope].require(condition)
        if isCorrelated { scopes[members.scope].isCorrelated = true }
    }

    private func toOne(back relationship: RelationshipDescription, _ table: EntityTable) -> ToOneColumns? {
        guard let inverse = relationship.inverse, !inverse.isToMany else { return nil }
        return table[model.destination(of: relationship)].toOnes[inverse.slot]
    }
}
