// SPDX-License-Identifier: Apache-2.0

// Attributes the problems of an answer to lines.

import JSON

extension ImportRun {
    /// The failure of an interrupted import.
    var interrupted: Failure {
        guard !isDryRun else { return Failure("The dry run was interrupted.") }
        let count = Wording.count(result.rows + result.skipped, "object")
        return Failure(
            "The import was interrupted after \(count).",
            hint: "The same command continues after them.",
            code: "import.interrupted",
            file: nil
        )
    }

    func failure(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> any Error {
        let lines = findings(answer, rows).map(\.line)
        return lines.isEmpty ? answer.failure("The import stopped", hint: hint(answer, rows)) : BadLines(lines: lines)
    }

    /// A hint if a chunk is too large for the server.
    private func hint(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> String? {
        guard answer.exceedsLimit, rows.count > 1 else { return nil }
        return "The chunk had \(rows.count) objects; --chunk sets their number."
    }

    /// The errors of an answer, each with its row.
    func findings(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> [(row: Int, line: BadLine)] {
        guard let problem = answer.json else { return [] }
        if problem["code"]?.string == "malformed", let finding = unreadable(rows) { return [finding] }
        let line = problem["line"]?.int64 ?? problem["row"]?.int64
        let errors = problem["errors"]?.array ?? []
        if errors.isEmpty, let line, rows.indices.contains(Int(line) - 1) {
            let row = Int(line) - 1
            let code = problem["code"]?.string ?? "import"
            return [(row, BadLine(rows[row], code, problem["detail"]?.string ?? "It can't be imported."))]
        }
        return errors.compactMap { error in
            let names = [error["pointer"]?.string, error["object"]?.string]
            guard let index = names.lazy.compactMap(Self.index).first ?? line.map({ Int($0) - 1 }),
                rows.indices.contains(index)
            else { return nil }
            let line = BadLine(
                rows[index],
                error["code"]?.string ?? "import",
                error["message"]?.string.map { named($0, rows) } ?? "It can't be imported.",
                property: error["property"]?.string
            )
            return (index, line)
        }
    }

    /// The first row with malformed JSON. The API parses several rows as one text, and may report a later row.
    private func unreadable(_ rows: [ImportRow]) -> (row: Int, line: BadLine)? {
        for (index, row) in rows.enumerated() {
            do throws(JSONError) { _ = try JSONValue(parsing: row.bytes) } catch { return (index, BadLine(row, error)) }
        }
        return nil
    }

    /// A message with temporary names replaced by lines.
    private func named(_ message: String, _ rows: [ImportRow]) -> String {
        message.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let name = String(word.prefix { !",.;:”".contains($0) })
            guard let index = Self.temporaryIndex(name), rows.indices.contains(index) else { return String(word) }
            return "line \(rows[index].line)" + word.dropFirst(name.count)
        }.joined(separator: " ")
    }

    private static func temporaryIndex(_ name: String) -> Int? { name.hasPrefix("$") ? Int(name.dropFirst()) : nil }

    /// The index of an object named `$3`, `/operations/3` or `row 4`.
    private static func index(_ object: String?) -> Int? {
        guard let object else { return nil }
        if let index = temporaryIndex(object) { return index }
        if object.hasPrefix("/operations/") { return Int(object.dropFirst(12).prefix { $0 != "/" }) }
        if object.hasPrefix("row ") { return Int(object.dropFirst(4)).map { $0 - 1 } }
        return nil
    }
}
