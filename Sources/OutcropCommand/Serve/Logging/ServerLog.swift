// SPDX-License-Identifier: Apache-2.0

// The log of a server, which never blocks its callers.

import Dispatch
import FoundationEssentials
import HTTPMessage
import JSON
import RESTAPI
import Synchronization

/// Accepts entries on any thread, and writes them on a queue of its own.
///
/// 1. Logging only appends to a list; formatting and writing are done on the queue.
/// 2. The list is bounded. Entries beyond the bound are dropped and counted, and the count is logged as soon as
///    possible.
/// 3. Lines are written completely and in order.
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
        self.writer = writer
        self.level = level
        self.file = file
        self.capacity = capacity
    }

    var format: LogFormat { writer.format }

    func log(_ level: LogLevel, _ event: LogEvent, _ message: String, _ fields: JSONObject = [:]) {
        guard isLogged(level) else { return }
        append(LogEntry(level, .event(event, message, fields)))
    }

    /// A server error is a warning; client errors aren't.
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

    /// Reopens the log's file after the earlier entries are written.
    func reopen() {
        queue.async { [self] in
            do throws(LogFileError) {
                try file.reopen()
                log(.info, .log, "The log was reopened.")
            } catch {
                log(.error, .log, error.message)
            }
        }
    }

    /// Waits until the earlier entries are written; false if that takes longer than the timeout.
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
                defer {
                    state.entries = []
                    state.dropped = 0
                }
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

    /// A write that fails, such as on a full disk, can't be reported anywhere.
    private func send(_ bytes: inout [UInt8]) {
        _ = file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private static func lost(_ count: Int) -> LogEntry {
        LogEntry(
            .warning,
            .event(
                .dropped,
                "\(Wording.count(count, "line")) of the log \(count == 1 ? "was" : "were") dropped, because the buffer was full.",
                ["count": .integer(count)]
            )
        )
    }
}
