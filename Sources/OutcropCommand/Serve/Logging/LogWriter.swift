// SPDX-License-Identifier: Apache-2.0

// Lines of a log: for people, or for machines.

import FoundationEssentials
import HTTPMessage
import JSON
import SourceText

/// Writes entries as lines. Whatever comes from outside is escaped, so that nobody makes lines of their own.
struct LogWriter: Sendable {
    let format: LogFormat
    /// Whether values that were bound to statements are shown.
    var showsValues = false

    func write(_ entry: LogEntry, into output: inout [UInt8]) {
        switch format {
        case .people: output += people(entry)
        case .json: output += json(entry)
        }
        output.append(UInt8(ascii: "\n"))
    }

    private func people(_ entry: LogEntry) -> [UInt8] {
        var line = Self.time(entry.time)
        func add(_ text: String) { line += " \(text)".utf8 }
        if entry.level != .info { add(entry.level.rawValue.uppercased()) }
        switch entry.content {
        case .exchange(let exchange):
            add(exchange.method.name.shown)
            add(exchange.target.shown)
            add("\(exchange.status.code)")
            add("\(Self.milliseconds(exchange.duration)) ms")
            add("\(exchange.sent) B")
            if let requestID = exchange.requestID { add(requestID.shown) }
            if exchange.isAborted { add("(the client went away)") }
        case .slowQuery(let query):
            let rows = query.rows.map { ", \(Wording.count($0, "row"))" } ?? ""
            add(
                "slow query, \(Self.milliseconds(query.duration)) ms\(rows)\(query.requestID.map { ", \($0)" } ?? ""):"
                    .shown
            )
            add(query.statement.shown)
            if showsValues, !query.values.isEmpty { add("-- " + query.values.joined(separator: ", ").shown) }
            if !query.plan.isEmpty { add("-- " + query.plan.joined(separator: "; ").shown) }
        case .event(_, let message, _): add(message.shown)
        }
        return line
    }

    private func json(_ entry: LogEntry) -> [UInt8] {
        var buffer = JSONBuffer(capacity: 256)
        buffer.write(raw: "{\"time\":\"")
        buffer.write(raw: Self.time(entry.time))
        buffer.write(raw: "\",\"level\":\"\(entry.level.rawValue)\"")
        func key(_ name: String) { buffer.write(raw: ",\"\(name)\":") }
        func add(_ name: String, _ text: String) {
            key(name)
            buffer.write(string: text)
        }
        func add(_ event: LogEvent) { add("event", event.rawValue) }
        func add(_ name: String, _ number: Int) {
            key(name)
            buffer.write(Int64(number))
        }
        func add(_ name: String, _ duration: Duration) {
            key(name)
            buffer.write(raw: Self.milliseconds(duration))
        }
        switch entry.content {
        case .exchange(let exchange):
            add(.request)
            add("method", exchange.method.name)
            add("target", exchange.target)
            add("status", exchange.status.code)
            add("ms", exchange.duration)
            add("queuedMs", exchange.queued)
            add("received", exchange.received)
            add("sent", exchange.sent)
            add("client", exchange.client)
            if let requestID = exchange.requestID { add("requestId", requestID) }
            if exchange.isAborted {
                key("aborted")
                buffer.write(true)
            }
        case .slowQuery(let query):
            add(.slowQuery)
            if let requestID = query.requestID { add("requestId", requestID) }
            add("ms", query.duration)
            if let rows = query.rows { add("rows", rows) }
            add("statement", query.statement)
            if showsValues {
                key("values")
                buffer.write(.array(query.values.map(JSONValue.string)))
            }
            key("plan")
            buffer.write(.array(query.plan.map(JSONValue.string)))
        case .event(let event, let message, let fields):
            add(event)
            add("message", message)
            for member in fields.members {
                key(member.name)
                buffer.write(member.value)
            }
        }
        buffer.write(byte: "}")
        return buffer.bytes
    }

    /// `2026-11-21T09:30:00.250Z`, always of the same length.
    private static func time(_ date: Date) -> [UInt8] {
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1_000).rounded(.down)
        let seconds = (milliseconds / 1_000).rounded(.down)
        var text: [UInt8] = []
        DateText.write(Date(timeIntervalSinceReferenceDate: seconds), into: &text)
        let digits = "\(1_000 + Int(milliseconds - seconds * 1_000))".dropFirst()
        if text.last == UInt8(ascii: "Z") { text.removeLast() }
        return text + ".\(digits)Z".utf8
    }

    /// With three decimals: `0.042`.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let micros = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return "\(micros / 1_000).\("\(1_000 + micros % 1_000)".dropFirst())"
    }
}

extension String {
    /// As it is shown in a line: most texts as they are, others without what could end the line or play tricks with a terminal.
    fileprivate var shown: String {
        let isPlain = utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPlain ? self : printable()
    }
}
