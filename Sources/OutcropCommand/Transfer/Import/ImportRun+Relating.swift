// SPDX-License-Identifier: Apache-2.0

// Resolves references of rows: in the store, in later rows, and after all objects are saved.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel

extension ImportRun {
    /// Whether an entity has a uniqueness constraint of these properties.
    func hasConstraint(_ names: Set<String>, _ entity: EntityDescription) -> Bool {
        model.kinds(of: entity).contains { kind in
            kind.uniquenessConstraints.contains { Set($0.map(\.apiName)) == names }
        }
    }

    /// The reference of an existing object with unique values.
    func stored(_ values: JSONObject, _ entity: EntityDescription) throws -> String? {
        let items = values.members.map { member in
            let text = member.value.string ?? member.value.serialized()
            return "\(RequestTarget.encode(queryValue: member.name))=\(RequestTarget.encode(queryValue: text))"
        }
        let target =
            "/api/\(RequestTarget.encode(segment: entity.name))?result=ids&limit=1&" + items.joined(separator: "&")
        if let known = found[target] { return known.isEmpty ? nil : known }
        if let known = askedBefore[target] { return known.isEmpty ? nil : known }
        let answer = try endpoint.get(target)
        // An invalid value is reported for its line when that is saved.
        guard answer.isSuccess || answer.status.code < 500 else { throw answer.failure("The store can't be queried") }
        let reference = answer.json?["items"]?[0]?.string
        if !isDryRun { asked[target] = reference ?? "" }
        if found.count > 10_000 { found = [:] }
        // Missing objects may be created by an import, but not by a dry run.
        if reference != nil || isDryRun { found[target] = reference ?? "" }
        return reference
    }

    /// The row of the input with a name. The first call indexes all rows.
    func ahead(_ name: String) throws -> ImportRow? {
        let journal = try openJournal()
        if !journal.hasAhead {
            let rows = input.again()
            try journal.recordAhead {
                guard let row = try rows.next() else { return nil }
                guard let object = try? ImportObject(row, of: entity, in: model) else { return (row, []) }
                if object.identity != nil { comesFromStore = true }
                return (row, object.names)
            }
        }
        return try journal.ahead(name)
    }

    /// The reason why a reference that isn't the name of a row can't refer to an object of the target, or nil. If rows have
    /// references as names, all references are of the store that they were exported from, and an object here with the same
    /// number is a different one, unless the caller says otherwise and it existed before the import. The rows must have been
    /// indexed.
    func reasonAgainst(_ id: String, _ destination: EntityDescription) throws -> String? {
        guard comesFromStore, ImportObject.isReference(id) else { return nil }
        guard linksExisting else {
            return
                "No line has the “_id” \(id). Import the file that has it in the same command, or use --link-existing "
                + "if \(id) of the target is the same object."
        }
        let number = id[id.index(after: id.lastIndex(of: "/") ?? id.startIndex)...]
        let root = model.entities[destination.rootIndex]
        let spellings = model.kinds(of: root).map { "\($0.apiPath)/\(number)" }
        guard try openJournal().hasCreated(spellings) else { return nil }
        return "No line has the “_id” \(id), and the target's object of that number was created by this import."
    }

    /// Sets the relationships to rows that came later.
    func relate(behind number: Int64) throws {
        guard let journal else { return }
        var number = number
        let size = min(chunkSize, 2_000)
        while case let items = try nextLater(behind: number, limit: size, journal), let last = items.last {
            try interruption.check()
            var operations: [JSONValue] = []
            for item in items {
                let value: JSONValue =
                    if let members = item.value.array {
                        .array(try members.map { try reference($0, item) })
                    } else {
                        try reference(item.value, item)
                    }
                operations.append([
                    "update": .string(item.reference), "values": .object(JSONObject([(item.property, value)])),
                ])
            }
            let answer = try transact(operations, at: Self.firstLinkPosition + last.number)
            guard answer.isSuccess else {
                let rows = items.map { ImportRow(number: $0.row, file: $0.file, line: $0.line, bytes: []) }
                let places = Dictionary(items.enumerated().map { ($1.reference, $0) }) { first, _ in first }
                throw failure(answer, rows, places)
            }
            number = last.number
            bar.show(result.rows, fraction: 1)
        }
    }

    /// The next relationships to be set together. Those of an unconfirmed chunk are sent again as they were.
    private func nextLater(
        behind number: Int64,
        limit: Int,
        _ journal: ImportJournal
    ) throws -> [ImportJournal.DeferredReference] {
        let last = (sentBefore ?? 0) - Self.firstLinkPosition
        guard last > number else { return try journal.later(behind: number, limit: limit) }
        return try journal.later(behind: number, limit: Int(last - number)).filter { $0.number <= last }
    }

    private func reference(_ json: JSONValue, _ item: ImportJournal.DeferredReference) throws -> JSONValue {
        if let id = json.string ?? json["_id"]?.string {
            return .string(try journal?.known(ImportObject.name(ofID: id))?.reference ?? id)
        }
        guard let values = json.object,
            case .relationship(let relationship)? = model.entity(named: item.entity)?.property(
                forAPIName: item.property
            )
        else { return json }
        let destination = model.destination(of: relationship)
        let name = ImportObject.name(of: destination, values.members.map { ($0.name, $0.value) })
        if let known = try journal?.known(name) { return .string(known.reference) }
        if let found = try stored(values, destination) { return .string(found) }
        let message = "There is no \(destination.name) with these values, neither in the store nor in the input."
        throw BadLines(
            lines: [
                BadLine(file: item.file, line: item.line, property: item.property, code: "reference", message: message)
            ]
        )
    }
}
