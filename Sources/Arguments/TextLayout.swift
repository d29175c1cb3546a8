// SPDX-License-Identifier: Apache-2.0
// Layout of text in columns.

struct TextLayout {
    let width: Int

    /// Text narrower than 40 columns would be unreadable.
    init(width: Int) {
        self.width = max(width, 40)
    }

    /// Wraps paragraphs separated by empty lines. Lines that begin with a space are not wrapped.
    func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var paragraph = ""
        func flush() {
            if !paragraph.isEmpty { lines += wrap(paragraph, width: width) }
            paragraph = ""
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty || line.hasPrefix(" ") {
                flush()
                lines.append(String(line))
            } else {
                paragraph += (paragraph.isEmpty ? "" : " ") + line
            }
        }
        flush()
        return lines
    }

    /// The text after a label, with a hanging indent.
    func hanging(_ text: String, under label: String) -> [String] {
        let lines = wrap(text, width: width - label.count)
        let indent = String(repeating: " ", count: label.count)
        return lines.enumerated().map { ($0.offset == 0 ? label : indent) + $0.element }
    }

    /// Two columns. A left cell wider than its column gets a line of its own.
    func table(_ rows: [(String, String)]) -> [String] {
        let widest = 28
        let column = rows.map(\.0.count).filter { $0 <= widest }.max() ?? widest
        return rows.flatMap { left, right in
            if left.count > column {
                return ["  " + left] + hanging(right, under: String(repeating: " ", count: column + 4))
            }
            return hanging(right, under: "  " + left + String(repeating: " ", count: column - left.count + 2))
        }
    }

    func example(_ example: Example) -> [String] {
        ["  $ " + example.line] + (example.summary.isEmpty ? [] : hanging(example.summary, under: "      "))
    }

    private func wrap(_ text: String, width: Int) -> [String] {
        var lines = [""]
        var room = width
        for word in text.split(separator: " ") {
            let length = word.count
            if room < width, length + 1 > room {
                lines.append("")
                room = width
            }
            if room < width {
                lines[lines.count - 1] += " "
                room -= 1
            }
            lines[lines.count - 1] += word
            room -= length
        }
        return lines
    }
}
