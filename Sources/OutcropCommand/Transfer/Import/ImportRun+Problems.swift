// SPDX-License-Identifier: Apache-2.0

// From what an answer finds wrong to the lines that it is about.

import JSON

extension ImportRun {
    func failure(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> any Error {
        let lines = badLines(answer, rows)
        return lines.isEmpty ? answer.failure("The import stopped") : BadLines(lines: lines)
    }

    /// The lines that an answer finds something wrong with.
    func badLines(_ answer: EndpointAnswer, _ rows: [ImportRow]) -> [BadLine] {
        guard let problem = answer.json else { return [] }
        let line = problem["line"]?.int64 ?? problem["row"]?.int64
        let errors = problem["errors"]?.array ?? []
        if errors.isEmpty, let line, rows.indices.contains(Int(line) - 1) {
            let code = problem["code"]?.string ?? "import"
            return [BadLine(rows[Int(line) - 1], code, problem["detail"]?.string ?? "It can't be imported.")]
        }
        return errors.compactMap { error in
            guard let index = Self.index(error["object"]?.string) ?? line.map({ Int($0) - 1 }),
                rows.indices.contains(index)
            else { return nil }
            return BadLine(
                rows[index],
                error["code"]?.string ?? "import",
                error["message"]?.string ?? "It can't be imported.",
                property: error["property"]?.string
            )
        }
    }

    /// The place of an object that is called `$3`, `/operations/3` or `row 4`.
    static func index(_ object: String?) -> Int? {
        guard let object else { return nil }
        if object.hasPrefix("$") { return Int(object.dropFirst()) }
        if object.hasPrefix("/operations/") { return Int(object.dropFirst(12).prefix { $0 != "/" }) }
        if object.hasPrefix("row ") { return Int(object.dropFirst(4)).map { $0 - 1 } }
        return nil
    }
}
