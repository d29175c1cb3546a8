// SPDX-License-Identifier: Apache-2.0

// The properties of the output: a terminal, or a pipe.

import FoundationEssentials
import Glibc

/// What is known of the output.
struct Terminal {
    var width: Int
    /// Whether text may have bold and colour.
    var isStyled: Bool
    /// Whether the output is a terminal, where text that doesn't fit is truncated.
    var isInteractive = false

    static let plain = Terminal(width: 80, isStyled: false)

    /// The standard output: styled if it is a terminal that supports it, unless NO_COLOR is set.
    static var standardOutput: Terminal {
        let environment = ProcessInfo.processInfo.environment
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let width = environment["COLUMNS"].flatMap(Int.init) ?? (isTerminal ? columns() : nil) ?? 80
        let isDumb = environment["TERM"] == nil || environment["TERM"] == "dumb"
        let isStyled = isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
        return Terminal(width: max(40, min(width, 200)), isStyled: isStyled, isInteractive: isTerminal)
    }

    private static func columns() -> Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// The style of a part of a text, as its ANSI code.
enum Style: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
}
