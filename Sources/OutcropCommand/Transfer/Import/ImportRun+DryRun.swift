// SPDX-License-Identifier: Apache-2.0

// What is wrong with each line, without anything being changed.

import HTTPMessage
import JSON

extension ImportRun {
    /// Finds out what is wrong with each line, and changes nothing.
    func dryRun() throws -> Result {
        defer {
            journal = nil
            ImportJournal.remove(journalPath)
        }
        let journal = try openJournal()
        while let rows = try nextDryChunk() {
            let chunk = try ImportChunk(rows, self)
            result.badLines += chunk.badLines
            result.rows += rows.count
            let known = chunk.objects.flatMap { object in
                object.names.map { (name: $0, reference: "", row: object.row.number) }
            }
            if !known.isEmpty { try journal.note(known, [], position: 0) }
            if try !isFine(chunk, chunk.operations) {
                for object in chunk.objects { try tryAlone(object.row) }
            }
            bar.show(result.rows, fraction: input.size > 0 ? Double(input.readBytes) / Double(input.size) : nil)
        }
        bar.end()
        return result
    }

    /// What is no CSV ends the input, after all that comes before it.
    private func nextDryChunk() throws -> [ImportRow]? {
        var rows: [ImportRow] = []
        do {
            while rows.count < 500, let row = try input.next() { rows.append(row) }
        } catch let error as BadLines {
            result.badLines += error.lines
        }
        return rows.isEmpty ? nil : rows
    }

    private func isFine(_ chunk: ImportChunk, _ operations: [JSONValue]) throws -> Bool {
        guard !operations.isEmpty else { return true }
        let answer = try rehearse(operations)
        if answer.isFine { return true }
        let errors = answer.json?["errors"]?.array ?? []
        return !errors.isEmpty
            && errors.allSatisfy { error in
                guard let index = Self.index(error["object"]?.string), let property = error["property"]?.string else {
                    return false
                }
                return chunk.leftOut[index]?.contains(property) == true
            }
    }

    private func tryAlone(_ row: ImportRow) throws {
        let chunk = try ImportChunk([row], self)
        guard !chunk.operations.isEmpty else { return }
        let answer = try rehearse(chunk.operations)
        guard !answer.isFine else { return }
        let lines = badLines(answer, [row])
        if lines.isEmpty { throw answer.failure("The dry run stopped") }
        result.badLines += lines.filter { line in
            line.property.map { chunk.leftOut[0]?.contains($0) == true } != true
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
