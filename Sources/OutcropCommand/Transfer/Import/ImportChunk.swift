// SPDX-License-Identifier: Apache-2.0

// Rows as operations of one transaction.

import JSON
import ObjectGraph
import ObjectModel

/// Rows that are saved together, one operation for each.
///
/// 1. A reference to a row of the chunk is a temporary name; one to a row that was saved before is a reference of the
///    target. A reference by unique values is sent as such, and the target finds the object.
/// 2. A later row that is needed is added to the chunk at once; an optional relationship is set later instead. Names of
///    unknown rows need an index of the rows, and unique values are looked up among later rows only if there is one: see
///    `ImportRun.insertGraph(_:)`.
/// 3. A name that no row has is a reference to an existing object. If rows have references as names, it is a reference of
///    the store that they were exported from, and refused unless the caller says that it means the same object here.
struct ImportChunk {
    /// Thrown if a name may be that of a later row, and the rows aren't indexed.
    struct IndexNeeded: Error {}

    private(set) var objects: [ImportObject] = []
    private(set) var operations: [JSONValue] = []
    private(set) var later: [(object: Int, property: String, value: JSONValue)] = []
    private(set) var badLines: [BadLine] = []
    /// Whether the target has to find objects by unique values.
    private(set) var refersByValues = false
    /// The omitted properties of each object: their destinations don't exist, or, in a dry run, not yet.
    private(set) var leftOut: [Int: Set<String>] = [:]
    /// In a dry run, the objects that would update objects of earlier rows.
    private(set) var changes: Set<Int> = []
    /// In a dry run, the objects with the names of others. They have errors, but are checked for further ones.
    private(set) var repeated: Set<Int> = []
    /// The indexes of objects by their names.
    private(set) var places: [String: Int] = [:]
    /// The number of the last row whose turn it is.
    private let last: Int64
    private let run: ImportRun
    private let journal: ImportJournal

    init(_ rows: [ImportRow], _ run: ImportRun) throws {
        self.run = run
        journal = try run.openJournal()
        last = rows.last?.number ?? 0
        for row in rows where try !journal.isEarly(row.number) { try add(row) }
        while operations.count < objects.count { operations.append(try operation(operations.count)) }
    }

    static func temporaryName(_ index: Int) -> String { "$\(index)" }

    var rows: [ImportRow] { objects.map(\.row) }

    /// What the journal records of the chunk when it is saved.
    ///
    /// - Parameters:
    ///   - references: The references of the objects, by temporary name.
    ///   - updated: The temporary names of those that existed before.
    func entries(_ references: [String: String], updated: Set<String>) -> ImportJournal.Entries {
        func reference(_ index: Int) -> String? { references[Self.temporaryName(index)] }
        var entries = ImportJournal.Entries()
        for object in objects.enumerated() {
            guard let reference = reference(object.offset) else { continue }
            let row = object.element.row.number
            if row > last { entries.early.append(row) }
            if !updated.contains(Self.temporaryName(object.offset)) { entries.made.append(reference) }
            guard let id = object.element.id else { continue }
            entries.names.append((ImportObject.name(ofID: id), ImportJournal.Known(reference: reference, row: row)))
        }
        entries.later = later.compactMap { item in
            reference(item.object).map {
                let row = objects[item.object].row
                return ImportJournal.DeferredReference(
                    reference: $0,
                    property: item.property,
                    value: item.value,
                    row: row
                )
            }
        }
        return entries
    }

    private mutating func add(_ row: ImportRow) throws {
        let object: ImportObject
        do {
            object = try ImportObject(row, of: run.entity, in: run.model)
        } catch let error as BadLines {
            return badLines += error.lines
        }
        for name in object.names {
            let place = places[name]
            guard try place != nil || isOfEarlierRow(name, than: row) else { continue }
            let isID = name == object.id.map(ImportObject.name(ofID:))
            if isID || !run.isUpsert {
                refuse(object, isID: isID, place.map { objects[$0].row.line })
                guard run.isDryRun else { return }
                repeated.insert(objects.count)
                break
            }
            if place == nil { changes.insert(objects.count) }
        }
        for name in object.names where places[name] == nil { places[name] = objects.count }
        objects.append(object)
    }

    /// Whether a name is that of an earlier row, outside of the chunk. An import leaves unique values to the target.
    private func isOfEarlierRow(_ name: String, than row: ImportRow) throws -> Bool {
        let known = run.isDryRun ? try journal.row(named: name)?.number : try journal.known(name)?.row
        return known.map { $0 != row.number } ?? false
    }

    private mutating func refuse(_ object: ImportObject, isID: Bool, _ line: Int?) {
        let place = line.map { "line \($0)" } ?? "an earlier line"
        let message = isID ? "\(place) has the same name." : "Values must be unique, but \(place) has the same."
        badLines.append(
            BadLine(object.row, isID ? "duplicate" : "unique", message, property: isID ? "_id" : nil)
        )
    }

    // MARK: Values

    private mutating func operation(_ index: Int) throws -> JSONValue {
        let object = objects[index]
        var values = JSONObject()
        for member in object.object.members where !ReservedKeys.own.contains(member.name) {
            switch object.entity.property(forAPIName: member.name) {
            case .attribute(let attribute) where attribute.isDerived: break
            case .relationship(let relationship):
                switch try value(member.value, of: relationship) {
                case .now(let value): values[member.name] = value
                case .later where run.isDryRun: leftOut[index, default: []].insert(member.name)
                case .later: later.append((index, member.name, member.value))
                case .wrong(let message):
                    leftOut[index, default: []].insert(member.name)
                    badLines.append(BadLine(object.row, "reference", message, property: member.name))
                }
            default: values[member.name] = member.value
            }
        }
        var insertion: JSONObject = [
            "insert": .string(object.entity.name), "id": .string(Self.temporaryName(index)), "values": .object(values),
        ]
        if run.keepsIDs { insertion["keep"] = object.identity }
        return .object(insertion)
    }

    private enum Resolved {
        case now(JSONValue)
        case later
        case wrong(String)
    }

    private mutating func value(_ json: JSONValue, of relationship: RelationshipDescription) throws -> Resolved {
        guard relationship.isToMany, let members = json.array else { return try reference(json, relationship) }
        var values: [JSONValue] = []
        var isLater = false
        for member in members {
            switch try reference(member, relationship) {
            case .now(let value): values.append(value)
            case .later: isLater = true
            case .wrong(let message): return .wrong(message)
            }
        }
        return isLater ? .later : .now(.array(values))
    }

    private mutating func reference(_ json: JSONValue, _ relationship: RelationshipDescription) throws -> Resolved {
        let destination = run.model.destination(of: relationship)
        switch ImportReference(json) {
        case .id(let id):
            guard run.hasNames else { return .now(.string(id)) }
            let name = ImportObject.name(ofID: id)
            if let found = inChunk(name, destination) { return found }
            if !run.isDryRun, let known = try journal.known(name) { return .now(.string(known.reference)) }
            guard journal.isIndexed else { throw IndexNeeded() }
            guard let row = try journal.row(named: name) else {
                return try run.reasonAgainst(id, destination).map(Resolved.wrong) ?? .now(.string(id))
            }
            return try reference(to: row, name, relationship)
        case .values(let values):
            let name = ImportObject.name(of: destination, values)
            if let found = inChunk(name, destination) { return found }
            if journal.isIndexed, let row = try journal.row(named: name),
                run.isDryRun || row.number > last, try !journal.isEarly(row.number)
            {
                return try reference(to: row, name, relationship)
            }
            refersByValues = true
            return .now(["_id": .object(values)])
        case nil: return .now(json)
        }
    }

    private func inChunk(_ name: String, _ destination: EntityDescription) -> Resolved? {
        guard let place = places[name] else { return nil }
        return fitting(objects[place], destination) ?? .now(.string(Self.temporaryName(place)))
    }

    /// The reference to a row outside of the chunk.
    private mutating func reference(
        to row: ImportRow,
        _ name: String,
        _ relationship: RelationshipDescription
    ) throws -> Resolved {
        let object = try ImportObject(row, of: run.entity, in: run.model)
        if let wrong = fitting(object, run.model.destination(of: relationship)) { return wrong }
        guard relationship.isRequired, !run.isDryRun else { return .later }
        try add(row)
        return places[name].map { .now(.string(Self.temporaryName($0))) } ?? .later
    }

    /// The error if a row isn't of the destination entity.
    private func fitting(_ object: ImportObject, _ destination: EntityDescription) -> Resolved? {
        guard !object.entity.isKind(of: destination) else { return nil }
        return .wrong(
            "The destination is \(destination.name), but line \(object.row.line) of \(object.row.file) is a \(object.entity.name)."
        )
    }
}

/// An object that a row refers to.
enum ImportReference {
    /// By a name in the input, or by a reference of the target.
    case id(String)
    case values(JSONObject)

    /// Nil for JSON that is no reference, such as null.
    init?(_ json: JSONValue) {
        if let id = json.string ?? json["_id"]?.string {
            self = .id(id)
        } else if let values = json["_id"]?.object ?? json.object {
            self = .values(values)
        } else {
            return nil
        }
    }
}
