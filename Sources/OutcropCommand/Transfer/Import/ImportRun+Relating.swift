// SPDX-License-Identifier: Apache-2.0

// Resolves references of rows: in other rows, and after all objects are saved.

import JSON
import ObjectGraph

extension ImportRun {
    /// Indexes all rows by their names. Errors in rows are reported when these are imported.
    func indexRows() throws {
        let rows = input.again()
        try openJournal().index {
            while true {
                do {
                    guard let row = try rows.next() else { return nil }
                    let object = try ImportObject(row, of: entity, in: model)
                    if !object.names.isEmpty { return (row, object.names, hasReference: object.identity != nil) }
                } catch is BadLines {
                    continue
                }
            }
        }
    }

    /// The reason why a reference that isn't the name of a row can't refer to an object of the target, or nil. If rows have
    /// references as names, all references are of the store that they were exported from, and an object here with the same
    /// number is a different one, unless the caller says otherwise and it existed before the import. The rows must have been
    /// indexed.
    func reasonAgainst(_ id: String, _ destination: EntityDescription) throws -> String? {
        let journal = try openJournal()
        guard journal.comesFromStore == true, ImportObject.isReference(id) else { return nil }
        guard linksExisting else {
            return
                "No line has the “_id” \(id). Import the file that has it in the same command, or use --link-existing "
                + "if \(id) of the target is the same object."
        }
        let number = id[id.index(after: id.lastIndex(of: "/") ?? id.startIndex)...]
        let root = model.entities[destination.rootIndex]
        guard try journal.hasCreated(model.kinds(of: root).map { "\($0.apiPath)/\(number)" }) else { return nil }
        return "No line has the “_id” \(id), and the target's object of that number was created by this import."
    }

    /// Sets the relationships to rows that came later.
    func relate(behind number: Int64) throws {
        let journal = try openJournal()
        let entities = Dictionary(model.entities.map { ($0.apiPath, $0) }, uniquingKeysWith: { first, _ in first })
        var number = number
        let size = min(chunkSize, 2_000)
        while case let items = try nextLater(behind: number, limit: size, journal), let last = items.last {
            try interruption.check()
            let operations = try items.map { item -> JSONValue in
                let value: JSONValue =
                    if let members = item.value.array {
                        membersValue(
                            try members.map { try reference($0, journal) },
                            of: entities[item.entityPath]?.relationship(named: item.property)
                        )
                    } else {
                        try reference(item.value, journal)
                    }
                return ["update": .string(item.reference), "values": .object(JSONObject([(item.property, value)]))]
            }
            let position = Self.firstLinkPosition + last.number
            let answer = try transact(operations, at: position)
            guard answer.isSuccess else { throw failure(answer, items.map(\.row)) }
            try journal.noteSaved(position)
            number = last.number
            bar.show(result.rows, fraction: 1)
        }
    }

    /// The value that gives an object its members. Those of an unordered one-to-many relationship are added to members
    /// that it has, since their rows, or rows of before the import, may have set them.
    private func membersValue(_ references: [JSONValue], of relationship: RelationshipDescription?) -> JSONValue {
        guard let relationship, !relationship.isOrdered, relationship.inverse?.isToMany == false else {
            return .array(references)
        }
        return ["add": .array(references)]
    }

    /// The next relationships to be set together. Those of an unanswered chunk are sent again as they were.
    private func nextLater(
        behind number: Int64,
        limit: Int,
        _ journal: ImportJournal
    ) throws -> [ImportJournal.DeferredReference] {
        let last = (sent ?? 0) - Self.firstLinkPosition
        guard last > number else { return try journal.later(behind: number, limit: limit) }
        return try journal.later(behind: number, limit: Int(last - number)).filter { $0.number <= last }
    }

    private func reference(_ json: JSONValue, _ journal: ImportJournal) throws -> JSONValue {
        switch ImportReference(json) {
        case .id(let id): .string(try journal.known(ImportObject.name(ofID: id))?.reference ?? id)
        case .values(let values): ["_id": .object(values)]
        case nil: json
        }
    }
}
