// SPDX-License-Identifier: Apache-2.0

// Tables of results as text, JSON, lines of JSON, and CSV.

import JSON
import ObjectGraph
import Predicates
import SourceText

extension FetchTable {
    var json: JSONValue { .array(rows.map(json)) }

    /// One object per line.
    var lines: String { rows.map { json($0).serialized() + "\n" }.joined() }

    private func json(_ row: [Value]) -> JSONValue {
        .object(JSONObject(zip(columns, row).map { ($0, $1.resultJSON) }))
    }

    /// A line of names, then a line for each row.
    var csv: String { Self.line(columns) + csvRows }

    var csvRows: String { rows.map { Self.line($0.map(\.plainText)) }.joined() }

    private static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\n" }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension FetchTable {
    /// Aligned columns, with numbers to the right. On a terminal, wide columns are truncated.
    ///
    /// - Parameter name: The name of a referenced object.
    func text(on terminal: Terminal, naming name: (ObjectReference) -> String = { $0.uri }) -> StyledText {
        let cells = rows.map { $0.map { $0.resultText(naming: name).printable() } }
        let isNumeric = columns.indices.map { column in
            rows.contains { $0[column].isNumber } && rows.allSatisfy { $0[column].isNumber || $0[column] == .null }
        }
        var widths = columns.indices.map { column in
            max(columns[column].count, cells.lazy.map { $0[column].count }.max() ?? 0)
        }
        if terminal.isInteractive { Self.narrow(&widths, to: terminal.width) }
        let lines = ([columns] + cells).map { line in
            let padded = line.indices.map { Self.padded(line[$0], to: widths[$0], right: isNumeric[$0]) }
            return String(padded.joined(separator: "  ").trimmingSuffix { $0 == " " })
        }
        return ([StyledText(lines[0], .bold)] + lines.dropFirst().map { StyledText($0) }).joined(separator: "\n")
    }

    /// Narrows the widest columns until the line fits.
    private static func narrow(_ widths: inout [Int], to room: Int) {
        let least = 8
        while widths.reduce(2 * (widths.count - 1), +) > room {
            guard let widest = widths.max(), widest > least, let place = widths.firstIndex(of: widest) else { return }
            widths[place] -= 1
        }
    }

    private static func padded(_ text: String, to width: Int, right: Bool) -> String {
        if text.count > width { return text.prefix(width - 1) + "…" }
        let space = String(repeating: " ", count: width - text.count)
        return right ? space + text : text + space
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
        var rest = self[...]
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
