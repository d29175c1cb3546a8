// SPDX-License-Identifier: Apache-2.0

// The progress of work that takes long, on a terminal.

import Dispatch
import Glibc
import SourceText
import Synchronization

/// A line on the error output that says what the program does, for as long as that takes. It appears after a second, and is
/// updated repeatedly. Nothing is written unless the error output is a terminal.
///
///     let findings = try ProgressBar.showing("Checking App.sqlite") { _ in try store.check() }
final class ProgressBar: Sendable {
    private struct State {
        var objects: Int?
        var fraction: Double?
        var isDrawn = false
        var isEnded = false
    }

    private let title: String
    private let start = ContinuousClock.now
    private let state = Mutex(State())
    private let isShown: Bool
    private let queue = DispatchQueue(label: "progress")

    init(_ title: String, isWanted: Bool = true) {
        self.title = title.printable()
        isShown = isWanted && isatty(STDERR_FILENO) == 1
        if isShown { draw(after: .seconds(1)) }
    }

    deinit { end() }

    /// Shows the progress of some work until it ends.
    static func showing<Result>(_ title: String, of work: (ProgressBar) throws -> Result) rethrows -> Result {
        let bar = ProgressBar(title)
        defer { bar.end() }
        return try work(bar)
    }

    /// - Parameter fraction: The completed part of the work; nil if unknown.
    func show(_ objects: Int, fraction: Double?) {
        guard isShown else { return }
        state.withLock { state in
            state.objects = objects
            state.fraction = fraction
        }
    }

    /// Erases the line.
    func end() {
        guard isShown else { return }
        state.withLock { state in
            if state.isDrawn { Self.write("\r\u{1B}[K") }
            state.isDrawn = false
            state.isEnded = true
        }
    }

    private func draw(after delay: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self, draw() else { return }
            draw(after: .milliseconds(200))
        }
    }

    /// Draws the line, unless the work has ended.
    private func draw() -> Bool {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let width = Terminal.columns(of: STDERR_FILENO) ?? 80
        return state.withLock { state in
            guard !state.isEnded else { return false }
            state.isDrawn = true
            let line = Self.line(title, objects: state.objects, fraction: state.fraction, seconds: seconds)
            // A line that is wrapped couldn't be erased.
            Self.write("\r\u{1B}[K" + line.prefix(width - 1))
            return true
        }
    }

    static func line(_ title: String, objects: Int?, fraction: Double?, seconds: Double) -> String {
        var line = title + "  "
        if let fraction {
            let part = max(0, min(1, fraction))
            let width = 30
            let full = Int(part * Double(width))
            line += "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "] "
            line += "\(Int(part * 100)) %  "
        }
        guard let objects else { return line + "\(Int(seconds)) s" }
        line += "\(objects) objects"
        if seconds > 1 { line += ", \(Int(Double(objects) / seconds)) per second" }
        return line
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
