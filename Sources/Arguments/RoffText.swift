// SPDX-License-Identifier: Apache-2.0

/// Text in roff, the language of manual pages.
struct RoffText {
    private(set) var text = ""

    /// Adds a request with arguments in quotes.
    mutating func macro(_ name: String, _ arguments: String...) {
        let words = arguments.map { "\"\(Self.escaped($0))\"" }
        text += (["." + name] + words).joined(separator: " ") + "\n"
    }

    /// Adds a line of text that is already in roff.
    mutating func line(_ line: String) {
        // A line that begins with a dot or an apostrophe would be a request.
        text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
    }

    /// Adds paragraphs separated by empty lines. Lines that begin with a space are kept as they are.
    mutating func paragraphs(_ text: String) {
        var isFixed = false
        var isFirst = true
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isIndented = line.hasPrefix(" ")
            if isIndented != isFixed, isFixed || isIndented { macro(isIndented ? "EX" : "EE") }
            isFixed = isIndented
            if line.isEmpty {
                if !isFirst { macro("PP") }
            } else {
                self.line(Self.escaped(String(line)))
            }
            isFirst = false
        }
        if isFixed { macro("EE") }
    }

    /// Adds a section with a labelled paragraph for each element, unless there are none.
    mutating func list<Element>(_ title: String, _ elements: [Element], _ row: (Element) -> (label: String, String)) {
        if elements.isEmpty { return }
        macro("SH", title)
        for element in elements {
            let (label, description) = row(element)
            macro("TP")
            line(label)
            if !description.isEmpty { line(Self.escaped(description)) }
        }
    }

    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
    static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// Escapes characters with a meaning in roff, and those that aren't ASCII.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "\"": escaped += "\\(dq"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return escaped
    }
}
