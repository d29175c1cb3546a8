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

    /// The rows of the next request. Malformed CSV ends its file, after all preceding rows.
    private func nextRows() throws -> [ImportRow]? {
        var rows: [ImportRow] = []
        var bytes = 0
        while rows.count < min(chunkSize, 500), bytes < Self.chunkBytes {
            do {
                guard let row = try input.next() else { break }
                rows.append(row)
                bytes += row.bytes.count
            } catch let error as BadLines {
                result.badLines += error.lines
                result.rows += error.lines.count
            }
        }
        return rows.isEmpty ? nil : rows
    }

    /// Rehearses rows together, and reports all of their errors. If an answer omits some, since there are too many, the
    /// rows without one are rehearsed again, and then, if others have more than one, these in halves.
    private func rehearse(_ chunk: ImportChunk) throws {
        var chunk = chunk
        var bad: [ImportRow] = []
        var hidden = 0
        while !chunk.operations.isEmpty {
            let body = JSONValue.object(["operations": .array(chunk.operations)]).serializedBytes()
            let fields: HeaderFields = [.contentType: "application/json", .prefer: prefer]
            let answer = try endpoint.answer(
                HTTPRequest(.post, "/api/transaction?dryRun=true", fields: fields, body: .bytes(body))
            )
            guard !answer.isSuccess else { break }
            let found = findings(answer, chunk.rows)
            guard !found.isEmpty else {
                throw answer.failure("The dry run stopped", hint: hint(answer, chunk.rows))
            }
            result.badLines += found.filter { !chunk.isKnown($0) }.map(\.line)
            if bad.isEmpty { hidden = found.count + answer.omittedErrors }
            hidden -= found.count
            guard answer.omittedErrors > 0 else { break }
            let told = Set(found.map(\.row))
            bad += told.sorted().map { chunk.rows[$0] }
            chunk = try ImportChunk(chunk.rows.indices.filter { !told.contains($0) }.map { chunk.rows[$0] }, self)
        }
        guard hidden > 0, bad.count > 1 else { return }
        try rehearse(ImportChunk(Array(bad[..<(bad.count / 2)]), self))
        try rehearse(ImportChunk(Array(bad[(bad.count / 2)...]), self))
    }
}

extension ImportChunk {
    /// Whether an error of a dry run isn't one of the import, or is reported already: a missing property that would be
    /// set in the import, or unique values of a line that repeats those of another one.
    fileprivate func isKnown(_ finding: ImportRun.Finding) -> Bool {
        let line = finding.line
        if line.code == "unique" {
            return repeated.contains(finding.row) || finding.holder.map(repeated.contains) ?? false
        }
        return line.property.map { leftOut[finding.row]?.contains($0) == true } ?? false
            || (changes.contains(finding.row) && (line.code == "required" || line.code == "too-few"))
    }
}
