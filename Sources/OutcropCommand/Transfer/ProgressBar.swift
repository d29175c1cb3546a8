// SPDX-License-Identifier: Apache-2.0

// Progress on a terminal.

import FoundationEssentials
import Glibc

/// A line on the error output that is updated repeatedly. Nothing is written unless that is a terminal.
final class ProgressBar {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var latest: ContinuousClock.Instant?

    init(isWanted: Bool) { isShown = isWanted && isatty(STDERR_FILENO) == 1 }

    /// - Parameter fraction: The completed part of the work; nil if unknown.
    func show(_ rows: Int, fraction: Double?) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let latest, now - latest < .milliseconds(200) { return }
        latest = now
        write("\r\u{1B}[K" + Self.line(rows, fraction: fraction, seconds: (now - start) / .seconds(1)))
    }

    /// Erases the line.
    func end() {
        if isShown, latest != nil { write("\r\u{1B}[K") }
    }

    static func line(_ rows: Int, fraction: Double?, seconds: Double) -> String {
        var line = ""
        if let fraction {
            let width = 30
            let full = Int(max(0, min(1, fraction)) * Double(width))
            line += "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "] "
            line += "\(Int(max(0, min(1, fraction)) * 100)) %  "
        }
        line += "\(rows) objects"
        if seconds > 1 { line += ", \(Int(Double(rows) / seconds)) per second" }
        return line
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
