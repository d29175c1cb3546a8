// SPDX-License-Identifier: Apache-2.0

// Styled text for people. Control characters in it are escaped when it is rendered.

import SourceText

/// Text with styled parts.
struct StyledText: ExpressibleByStringLiteral {
    private var runs: [(text: String, style: Style?)]

    init(_ text: String, _ style: Style? = nil) {
        runs = [(text, style)]
    }

    init(stringLiteral text: String) {
        self.init(text)
    }

    static func + (one: StyledText, other: StyledText) -> StyledText {
        var sum = one
        sum += other
        return sum
    }

    static func += (one: inout StyledText, other: StyledText) {
        one.runs += other.runs
    }

    /// The text for a terminal, with its control characters escaped.
    func rendered(on terminal: Terminal) -> String {
        runs.map { run in
            let text = run.text.printable(keepingLineBreaks: true)
            guard terminal.isStyled, let style = run.style else { return text }
            return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
        }
        .joined()
    }
}

extension [StyledText] {
    func joined(separator: StyledText) -> StyledText {
        var joined: StyledText = ""
        for (index, text) in enumerated() {
            if index > 0 { joined += separator }
            joined += text
        }
        return joined
    }
}
