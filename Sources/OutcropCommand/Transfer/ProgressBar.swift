// SPDX-License-Identifier: Apache-2.0

// How far something has come, for whoever watches a terminal.

import FoundationEssentials
import Glibc

/// A line on the error output that is written anew as things go on. Nothing is written where that is no terminal.
final class ProgressBar {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var latest: ContinuousClock.Instant?

    init(isWanted: Bool) { isShown = isWanted && isatty(STDERR_FILENO) == 1 }

    /// - Parameter fraction: How much of all is done; nil where that isn't known.
    func show(_ rows: Int, fraction: Double?) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let latest, now - latest < .milliseconds(200) { return }
        latest = now
        write("\r\u{1B}[K" + Self.line(rows, fraction, (now - start) / .seconds(1)))
    }

    /// Takes the line away.
    func end() {
        if isShown, latest != nil { write("\r\u{1B}[K") }
    }

    static func line(_ rows: Int, _ fraction: Double?, _ seconds: Double) -> String {
        var line = ""
        if let fraction {
            let width = 30
            let full = Int(max(0, min(1, fraction)) * Double(width))
            line += "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "] "
            line += "\(Int(max(0, min(1, fraction)) * 100)) %  "
        }
        line += "\(rows) objects"
        if seconds > 1 { line += ", \(Int(Double(rows) / seconds)) a second" }
        return line
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
