// SPDX-License-Identifier: Apache-2.0

// Whom the output is for: a person at a terminal, or a pipe.

import FoundationEssentials
import Glibc

/// What is known of the place that output goes to.
struct Terminal {
    var width: Int
    /// Whether text may be set off by bold and colour.
    var isStyled: Bool
    /// Whether a person looks at it, who is better off with a part of what has no room.
    var isWatched = false

    static let plain = Terminal(width: 80, isStyled: false)

    /// The standard output: styled where it is a terminal that shows styles and the user hasn't asked for none.
    static var standardOutput: Terminal {
        let environment = ProcessInfo.processInfo.environment
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let width = environment["COLUMNS"].flatMap(Int.init) ?? (isTerminal ? columns() : nil) ?? 80
        let isDumb = environment["TERM"] == nil || environment["TERM"] == "dumb"
        let isStyled = isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
        return Terminal(width: max(40, min(width, 200)), isStyled: isStyled, isWatched: isTerminal)
    }

    private static func columns() -> Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// How a piece of text is set off.
enum Style: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
}
