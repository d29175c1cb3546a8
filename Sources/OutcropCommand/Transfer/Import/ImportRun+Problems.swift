// SPDX-License-Identifier: Apache-2.0

// Attributes the problems of an answer to lines.

import JSON

extension ImportRun {
    /// An error in an answer, and the index of the row that has it.
    struct Finding {
        let row: Int
        let line: BadLine
        /// The row that has the same unique values.
        var holder: Int?
    }

    /// The failure of an interrupted import.
    var interrupted: Failure {
        guard !isDryRun else { return Failure("The dry run was interrupted.", status: Interruption.status) }
        let count = Wording.count(result.rows + result.skipped, "object")
        return Failure(
            "The import was interrupted after \(count).",
            hint: "The same command continues after them.",
            status: Interruption.status,
            code: "import.interrupted",
            file: nil
        )
    }

    func failure(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> any Error {
        let lines = findings(answer, rows).map(\.line)
        return lines.isEmpty ? answer.failure("The import stopped", hint: hint(answer, rows)) : BadLines(lines: lines)
    }

    /// A hint if a chunk is too large for the server.
    func hint(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> String? {
        guard answer.exceedsLimit, rows.count > 1 else { return nil }
        return "The chunk had \(rows.count) objects; --chunk sets their number."
    }

    /// The errors of an answer.
    func findings(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> [Finding] {
        guard let problem = answer.json else { return [] }
        if problem["code"]?.string == "malformed", let finding = unreadable(rows) { return [finding] }
        let number = problem["row"]?.int64 ?? problem["line"]?.int64
        let row = number.map { Int($0) - 1 }
        let errors = problem["errors"]?.array ?? []
        if errors.isEmpty, let row, rows.indices.contains(row) {
            let code = problem["code"]?.string ?? "import"
            let message = problem["detail"]?.string ?? "It can't be imported."
            return [Finding(row: row, line: BadLine(rows[row], code, message))]
        }
        return errors.compactMap { error in
            let names = [error["pointer"]?.string, error["object"]?.string]
            guard let index = names.lazy.compactMap(Self.index).first ?? row, rows.indices.contains(index) else {
                return nil
            }
            let line = BadLine(
                rows[index],
                error["code"]?.string ?? "import",
                error["message"]?.string.map { named($0, rows) } ?? "It can't be imported.",
                property: error["property"]?.string
            )
            return Finding(row: index, line: line, holder: error["holder"]?.string.flatMap(Self.temporaryIndex))
        }
    }

    /// The first row with malformed JSON. The API parses several rows as one text, and may report a later row.
    private func unreadable(_ rows: [ImportRow]) -> Finding? {
        for (index, row) in rows.enumerated() {
            do throws(JSONError) {
                _ = try JSONValue(parsing: row.bytes)
            } catch {
                return Finding(row: index, line: BadLine(row, error))
            }
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

    /// The index of an object named `$3` or `/operations/3`.
    private static func index(_ object: String?) -> Int? {
        guard let object else { return nil }
        if let index = temporaryIndex(object) { return index }
        if object.hasPrefix("/operations/") { return Int(object.dropFirst(12).prefix { $0 != "/" }) }
        return nil
    }
}
