// SPDX-License-Identifier: Apache-2.0

// A dry run, which finds the errors of each line.

import HTTPMessage
import JSON

extension ImportRun {
    /// Finds the errors of all lines, and changes nothing.
    func dryRun() throws -> Result {
        defer { removeJournal() }
        try indexRows()
        while let rows = try nextRows() {
            try interruption.check()
            let chunk = try ImportChunk(rows, self)
            result.badLines += chunk.badLines
            result.rows += rows.count
            try rehearse(chunk)
            bar.show(result.rows, fraction: input.size > 0 ? Double(input.readBytes) / Double(input.size) : nil)
        }
        bar.end()
        return result
    }

    /// Malformed CSV ends its file, after all preceding rows.
    private func nextRows() throws -> [ImportRow]? {
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

    /// Rehearses rows together. The answer has the errors of all rows; if it omits some, since there are too many, the
    /// rows without one are rehearsed again.
    private func rehearse(_ chunk: ImportChunk) throws {
        var chunk = chunk
        while !chunk.operations.isEmpty {
            let body = JSONValue.object(["operations": .array(chunk.operations)]).serializedBytes()
            let fields: HeaderFields = [.contentType: "application/json", .prefer: prefer]
            let answer = try endpoint.answer(
                HTTPRequest(.post, "/api/transaction?dryRun=true", fields: fields, body: .bytes(body))
            )
            guard !answer.isSuccess else { return }
            let found = findings(answer, chunk.rows)
            guard !found.isEmpty else { throw answer.failure("The dry run stopped") }
            result.badLines += found.filter { !chunk.isLater($0.line, of: $0.row) }.map(\.line)
            guard answer.omitsErrors else { return }
            let told = Set(found.map(\.row))
            chunk = try ImportChunk(chunk.rows.indices.filter { !told.contains($0) }.map { chunk.rows[$0] }, self)
        }
    }
}

extension ImportChunk {
    /// Whether a property that is missing in a dry run would be set in the import.
    fileprivate func isLater(_ line: BadLine, of object: Int) -> Bool {
        line.property.map { leftOut[object]?.contains($0) == true } ?? false
            || (changes.contains(object) && (line.code == "required" || line.code == "too-few"))
    }
}
