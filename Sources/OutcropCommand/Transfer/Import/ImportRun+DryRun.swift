// SPDX-License-Identifier: Apache-2.0

// What is wrong with each line, without anything being changed.

import HTTPMessage
import JSON

extension ImportRun {
    /// Finds out what is wrong with each line, and changes nothing.
    func dryRun() throws -> Result {
        ImportJournal.remove(journalPath)
        defer { endNotes() }
        let journal = try openJournal()
        while let rows = try nextDryChunk() {
            try interruption.check()
            let chunk = try ImportChunk(rows, self)
            result.badLines += chunk.badLines
            result.rows += rows.count
            let known = chunk.names.map { (name: $0, reference: "", row: $1.row) }
            if !known.isEmpty { try journal.note(known, [], position: 0) }
            if try !isFine(chunk) {
                for row in chunk.rows { try tryAlone(row) }
            }
            bar.show(result.rows, fraction: input.size > 0 ? Double(input.readBytes) / Double(input.size) : nil)
        }
        bar.end()
        return result
    }

    /// What is no CSV ends its file, after all that comes before it.
    private func nextDryChunk() throws -> [ImportRow]? {
        var rows: [ImportRow] = []
        while rows.count < 500 {
            do {
                guard let row = try input.next() else { break }
                rows.append(row)
            } catch let error as BadLines {
                result.badLines += error.lines
            }
        }
        return rows.isEmpty ? nil : rows
    }

    private func isFine(_ chunk: ImportChunk) throws -> Bool {
        guard !chunk.operations.isEmpty else { return true }
        let answer = try rehearse(chunk.operations)
        if answer.isFine { return true }
        let errors = answer.json?["errors"]?.array ?? []
        return !errors.isEmpty
            && errors.allSatisfy { error in
                guard let index = Self.index(error["object"]?.string), let property = error["property"]?.string else {
                    return false
                }
                return chunk.isLater(property, of: index, error["code"]?.string)
            }
    }

    private func tryAlone(_ row: ImportRow) throws {
        let chunk = try ImportChunk([row], self)
        guard !chunk.operations.isEmpty else { return }
        let answer = try rehearse(chunk.operations)
        guard !answer.isFine else { return }
        let lines = badLines(answer, [row], chunk.places)
        if lines.isEmpty { throw answer.failure("The dry run stopped") }
        result.badLines += lines.filter { line in
            line.property.map { chunk.isLater($0, of: 0, line.code) } != true
        }
    }

    private func rehearse(_ operations: [JSONValue]) throws -> EndpointAnswer {
        let body = JSONValue.object(["operations": .array(operations)]).serializedBytes()
        let prefer = "return=minimal" + (isUpsert ? ", merge=object" : "")
        let fields: HeaderFields = [.contentType: "application/json", .prefer: prefer]
        return try endpoint.answer(
            HTTPRequest(.post, "/api/transaction?dryRun=true", fields: fields, body: .bytes(body))
        )
    }
}

extension ImportChunk {
    /// Whether a property that is missing in a dry run wouldn't be in the import.
    fileprivate func isLater(_ property: String, of object: Int, _ code: String?) -> Bool {
        leftOut[object]?.contains(property) == true
            || (changes.contains(object) && (code == "required" || code == "too-few"))
    }
}
