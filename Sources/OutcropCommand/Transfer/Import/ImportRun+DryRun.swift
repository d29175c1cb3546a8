// SPDX-License-Identifier: Apache-2.0

// A dry run, which finds the errors of each line.

import HTTPMessage
import JSON

extension ImportRun {
    /// Finds the errors of all lines, and changes nothing.
    func dryRun() throws -> Result {
        ImportJournal.remove(journalPath)
        defer { removeJournal() }
        let journal = try openJournal()
        while let rows = try nextDryChunk() {
            try interruption.check()
            let chunk = try ImportChunk(rows, self)
            result.badLines += chunk.badLines
            result.rows += rows.count
            let known = chunk.names.map { (name: $0, reference: "", row: $1.row) }
            if !known.isEmpty { try journal.note(known, [], position: 0) }
            try findBadLines(chunk)
            bar.show(result.rows, fraction: input.size > 0 ? Double(input.readBytes) / Double(input.size) : nil)
        }
        bar.end()
        return result
    }

    /// Malformed CSV ends its file, after all preceding rows.
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

    /// Rehearses rows together. Rows with errors or forward references are removed and the others rehearsed again,
    /// since the first errors may hide more. If an error can't be attributed to a row, each half is rehearsed.
    private func findBadLines(_ chunk: ImportChunk) throws {
        guard !chunk.operations.isEmpty else { return }
        let answer = try rehearse(chunk.operations)
        guard !answer.isSuccess else { return }
        // If several rows are one object, an error can't be attributed to a row.
        let isOfEach = chunk.rows.count == chunk.objects.count
        let found = isOfEach ? findings(answer, chunk.objects.map(\.row), chunk.places) : []
        let wrong = found.filter { finding in
            finding.line.property.map { chunk.isLater($0, of: finding.row, finding.line.code) } != true
        }
        result.badLines += wrong.map(\.line)
        let told = Set(found.map(\.row))
        // The API did not check whether values of rows with forward references are unique.
        for row in told.subtracting(wrong.map(\.row)) where !isUpsert {
            result.badLines += try takenValues(of: chunk.objects[row])
        }
        let others = chunk.rows.indices.filter { !told.contains($0) }.map { chunk.rows[$0] }
        guard told.isEmpty else { return try findBadLines(ImportChunk(others, self)) }
        guard others.count > 1 else { throw answer.failure("The dry run stopped") }
        let half = (others.count + 1) / 2
        try findBadLines(ImportChunk(Array(others.prefix(half)), self))
        try findBadLines(ImportChunk(Array(others.dropFirst(half)), self))
    }

    /// The unique values of a row that an object in the store has.
    private func takenValues(of object: ImportObject) throws -> [BadLine] {
        try object.uniqueValues.compactMap { values in
            guard let holder = try stored(values, object.entity) else { return nil }
            let message = "Values must be unique, but \(holder) has the same."
            return BadLine(object.row, "unique", message, property: values.count == 1 ? values.names.first : nil)
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
    /// Whether a property that is missing in a dry run would be set in the import.
    fileprivate func isLater(_ property: String, of object: Int, _ code: String?) -> Bool {
        leftOut[object]?.contains(property) == true
            || (changes.contains(object) && (code == "required" || code == "too-few"))
    }
}
