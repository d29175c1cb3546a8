// SPDX-License-Identifier: Apache-2.0

// The log of a server, which nobody waits for.

import Dispatch
import FoundationEssentials
import HTTPMessage
import JSON
import RESTAPI
import Synchronization

/// Takes entries on any thread, and has them written by one of its own.
///
/// 1. Whoever logs only appends to a list: entries become text, and text is written, by the writer.
/// 2. The list is bounded. What has no room is dropped and counted, and the count is logged as soon as there is room.
/// 3. Lines are written in the order in which they were logged, whole.
final class ServerLog: Sendable {
    private struct State {
        var entries: [LogEntry] = []
        var dropped = 0
        var isWriting = false
    }

    let level: LogLevel
    private let writer: LogWriter
    private let file: LogFile
    private let capacity: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "log")

    init(_ writer: LogWriter, level: LogLevel, file: LogFile, capacity: Int = 16_384) {
        (self.writer, self.level, self.file, self.capacity) = (writer, level, file, capacity)
    }

    var format: LogFormat { writer.format }

    func log(_ level: LogLevel, _ event: LogEvent, _ message: String, _ fields: JSONObject = [:]) {
        guard isLogged(level) else { return }
        append(LogEntry(level, .event(event, message, fields)))
    }

    /// What went wrong in the server is more than information, whatever the client did is not.
    func log(_ exchange: HTTPExchangeRecord) {
        let level: LogLevel = exchange.status.code >= 500 ? .warning : .info
        guard isLogged(level) else { return }
        append(LogEntry(level, .exchange(exchange)))
    }

    func log(_ query: SlowQuery) {
        guard isLogged(.warning) else { return }
        append(LogEntry(.warning, .slowQuery(query)))
    }

    func log(_ failure: APIFailure) {
        log(
            .error,
            .failure,
            "\(failure.requestID) \(failure.method) \(failure.target) failed: \(failure.reason)",
            [
                "requestId": .string(failure.requestID), "method": .string(failure.method.name),
                "target": .string(failure.target), "reason": .string(failure.reason),
            ]
        )
    }

    /// Opens the log's file anew, after what was logged before is written.
    func reopen() {
        queue.async { [self] in
            do throws(LogFileError) {
                try file.reopen()
                log(.info, .log, "The log was opened anew.")
            } catch {
                log(.error, .log, error.message)
            }
        }
    }

    /// Waits until all is written that was logged before, for as long as that is sensible. False where it took longer.
    @discardableResult
    func flush(within time: DispatchTimeInterval = .seconds(2)) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { isDone.signal() }
        return isDone.wait(timeout: .now() + time) == .success
    }

    private func isLogged(_ level: LogLevel) -> Bool { level >= self.level && self.level != .off }

    private func append(_ entry: LogEntry) {
        let startsWriting = state.withLock { state in
            guard state.entries.count < capacity else {
                state.dropped += 1
                return false
            }
            state.entries.append(entry)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if startsWriting { queue.async { [self] in writeAll() } }
    }

    private func writeAll() {
        while true {
            let (entries, dropped) = state.withLock { state in
                defer { (state.entries, state.dropped) = ([], 0) }
                state.isWriting = !state.entries.isEmpty || state.dropped > 0
                return (state.entries, state.dropped)
            }
            guard !entries.isEmpty || dropped > 0 else { return }
            var bytes: [UInt8] = []
            for entry in entries {
                writer.write(entry, into: &bytes)
                if bytes.count > 1 << 16 { send(&bytes) }
            }
            if dropped > 0 { writer.write(Self.lost(dropped), into: &bytes) }
            send(&bytes)
        }
    }

    /// What a full disk doesn't take is lost; there is nobody to tell.
    private func send(_ bytes: inout [UInt8]) {
        _ = file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private static func lost(_ count: Int) -> LogEntry {
        LogEntry(
            .warning,
            .event(
                .dropped,
                "\(Wording.count(count, "line")) of the log had no room and \(count == 1 ? "was" : "were") dropped.",
                ["count": .integer(count)]
            )
        )
    }
}
