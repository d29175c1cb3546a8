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
        let width = environment["COLUMNS"].flatMap(Int.init) ?? (isTerminal ? columns(of: STDOUT_FILENO) : nil) ?? 80
        return Terminal(
            width: max(40, min(width, 200)),
            isStyled: isTerminal && supportsStyles(environment),
            isInteractive: isTerminal
        )
    }

    /// Whether text on the error output may have bold and colour.
    static var errorsAreStyled: Bool {
        isatty(STDERR_FILENO) == 1 && supportsStyles(ProcessInfo.processInfo.environment)
    }

    private static func supportsStyles(_ environment: [String: String]) -> Bool {
        let isDumb = environment["TERM"] == nil || environment["TERM"] == "dumb"
        return !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The width of the terminal that a descriptor is, or nil.
    static func columns(of descriptor: CInt) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
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
