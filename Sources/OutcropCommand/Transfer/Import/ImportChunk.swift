// SPDX-License-Identifier: Apache-2.0

// Rows as operations of one transaction.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel

/// Rows that are saved together.
///
/// 1. A reference to a row of the chunk is a temporary name; one to a row that was saved before is a reference of the
///    store.
/// 2. A later row that is needed is added to the chunk at once; an optional relationship is set later instead.
/// 3. A name that no row has is a reference to an existing object. If rows have references as names, it is a reference of
///    the store that they were exported from, and refused unless the caller says that it means the same object here.
/// 4. With --upsert, a row with the unique values of an existing object is an update of that object, limited to the
///    row's values.
struct ImportChunk {
    private(set) var objects: [ImportObject] = []
    private(set) var operations: [JSONValue] = []
    private(set) var later: [(object: Int, property: String, value: JSONValue)] = []
    private(set) var badLines: [BadLine] = []
    /// The omitted properties of each object: their destinations don't exist, or, in a dry run, not yet.
    private(set) var leftOut: [Int: Set<String>] = [:]
    /// In a dry run, the objects that would update objects of earlier rows.
    private(set) var changes: Set<Int> = []
    /// The references of objects that are in the store already.
    private(set) var references: [Int: String] = [:]
    /// The indexes of these objects, by reference.
    private var placesOfStored: [String: Int] = [:]
    /// The names of all rows of the chunk, with the object and the row.
    private(set) var names: [String: (object: Int, row: Int64)] = [:]
    /// The rows that were converted to objects.
    private(set) var rows: [ImportRow] = []

    private let run: ImportRun

    init(_ rows: [ImportRow], _ run: ImportRun) throws {
        self.run = run
        for row in rows { try add(row) }
        var index = 0
        while index < objects.count {
            let made = try operation(index)
            operations.append(made)
            index += 1
        }
    }

    static func temporaryName(_ index: Int) -> String { "$\(index)" }

    /// The name of an object in operations.
    func name(_ index: Int) -> String { references[index] ?? Self.temporaryName(index) }

    private mutating func add(_ row: ImportRow) throws {
        let object: ImportObject
        do {
            object = try ImportObject(row, of: run.entity, in: run.model)
        } catch let error as BadLines {
            return badLines += error.lines
        }
        var place: Int?
        var isChange = false
        for name in object.names {
            if let other = names[name] {
                // A previous row needed it, so it was added earlier.
                if other.row == row.number { return }
                if name.hasPrefix("i:") || !run.isUpsert { return refuse(object, name, objects[other.object].row.line) }
                place = place ?? other.object
            } else if let known = try run.journal?.known(name) {
                if known.row == row.number {
                    if run.isDryRun { continue }
                    return
                }
                if name.hasPrefix("i:") || (run.isDryRun && !run.isUpsert) { return refuse(object, name, nil) }
                isChange = true
            }
        }
        rows.append(row)
        let reference = run.isUpsert && place == nil ? try stored(object) : nil
        place = place ?? reference.flatMap { placesOfStored[$0] }
        if let place, place >= operations.count {
            objects[place].object.merge(object.object)
        } else {
            place = objects.count
            if let reference {
                references[objects.count] = reference
                placesOfStored[reference] = objects.count
            }
            if isChange, run.isDryRun { changes.insert(objects.count) }
            objects.append(object)
        }
        for name in object.names where names[name] == nil { names[name] = (place ?? 0, row.number) }
    }

    /// The reference of an existing object with the unique values of a row.
    private func stored(_ object: ImportObject) throws -> String? {
        for values in object.uniqueValues {
            if let found = try run.stored(values, object.entity) { return found }
        }
        return nil
    }

    private mutating func refuse(_ object: ImportObject, _ name: String, _ line: Int?) {
        let place = line.map { "line \($0)" } ?? "an earlier line"
        let isID = name.hasPrefix("i:")
        let message = isID ? "\(place) has the same name." : "Values must be unique, but \(place) has the same."
        badLines.append(
            BadLine(object.row, isID ? "duplicate" : "unique", message, property: isID ? "_id" : nil)
        )
    }

    // MARK: Values

    private mutating func operation(_ index: Int) throws -> JSONValue {
        let entity = objects[index].entity
        let object = objects[index].object
        var values = JSONObject()
        for member in object.members where !ReservedKeys.own.contains(member.name) {
            switch entity.property(forAPIName: member.name) {
            case .attribute(let attribute) where attribute.isDerived: break
            case .relationship(let relationship):
                switch try value(member.value, of: relationship, index) {
                case .now(let value): values[member.name] = value
                case .later where run.isDryRun: leftOut[index, default: []].insert(member.name)
                case .later: later.append((index, member.name, member.value))
                case .wrong(let message):
                    leftOut[index, default: []].insert(member.name)
                    badLines.append(BadLine(objects[index].row, "reference", message, property: member.name))
                }
            default: values[member.name] = member.value
            }
        }
        if let reference = references[index] { return ["update": .string(reference), "values": .object(values)] }
        var insertion: JSONObject = [
            "insert": .string(entity.name), "id": .string(Self.temporaryName(index)), "values": .object(values),
        ]
        if run.keepsIDs { insertion["keep"] = objects[index].identity }
        return .object(insertion)
    }

    private enum Resolved {
        case now(JSONValue)
        case later
        case wrong(String)
    }

    private mutating func value(
        _ json: JSONValue,
        of relationship: RelationshipDescription,
        _ index: Int
    ) throws -> Resolved {
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
        let name: String
        if let id = json.string ?? json["_id"]?.string {
            guard run.hasNames else { return .now(.string(id)) }
            name = ImportObject.name(ofID: id)
        } else if let values = json.object {
            guard run.hasConstraint(Set(values.names), destination) else {
                let names = values.names.joined(separator: ", ")
                return .wrong(
                    "A reference by values must have the values of a uniqueness constraint of \(destination.name), not \(names)."
                )
            }
            name = ImportObject.name(of: destination, values.members.map { ($0.name, $0.value) })
        } else {
            return .now(json)
        }
        if let place = names[name]?.object {
            return fitting(objects[place], destination) ?? .now(.string(self.name(place)))
        }
        if !run.isDryRun, let known = try run.journal?.known(name) { return .now(.string(known.reference)) }
        if let values = json.object, json["_id"] == nil, let found = try run.stored(values, destination) {
            return .now(.string(found))
        }
        guard let row = try run.ahead(name) else {
            if let id = json.string ?? json["_id"]?.string {
                return try run.reasonAgainst(id, destination).map(Resolved.wrong) ?? .now(.string(id))
            }
            return .wrong("There is no \(destination.name) with these values, neither in the store nor in the input.")
        }
        let object = try ImportObject(row, of: run.entity, in: run.model)
        if let wrong = fitting(object, destination) { return wrong }
        guard relationship.isRequired, !run.isDryRun else { return .later }
        try add(row)
        return names[name].map { .now(.string(self.name($0.object))) } ?? .later
    }

    /// The error if a row isn't of the destination entity.
    private func fitting(_ object: ImportObject, _ destination: EntityDescription) -> Resolved? {
        guard !object.entity.isKind(of: destination) else { return nil }
        return .wrong(
            "The destination is \(destination.name), but line \(object.row.line) of \(object.row.file) is a \(object.entity.name)."
        )
    }

    // MARK: Errors

    /// The object indexes by the names that an answer uses.
    var places: [String: Int] {
        var places = placesOfStored
        for (reference, name) in run.told { places[reference] = ImportRun.index(name) }
        return places
    }
}
