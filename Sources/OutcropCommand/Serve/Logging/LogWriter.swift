// SPDX-License-Identifier: Apache-2.0

// Formats entries of the log as text or JSON.

import FoundationEssentials
import HTTPMessage
import JSON
import SourceText

/// Formats entries as lines. External input is escaped, so that it can't inject lines.
struct LogWriter: Sendable {
    let format: LogFormat
    /// Whether values bound to statements are shown.
    var showsValues = false
    /// Whether lines for people are coloured.
    var isStyled = false

    func write(_ entry: LogEntry, into output: inout [UInt8]) {
        switch format {
        case .people: people(entry, &output)
        case .json: output += json(entry)
        }
        output.append(UInt8(ascii: "\n"))
    }

    private func people(_ entry: LogEntry, _ line: inout [UInt8]) {
        line.append(time: entry.time)
        if entry.level != .info {
            line.append(UInt8(ascii: " "))
            styled(entry.level.style, &line) { $0 += entry.level.rawValue.uppercased().utf8 }
        }
        switch entry.content {
        case .exchange(let exchange):
            line.append(part: exchange.method.name)
            line.append(part: exchange.target)
            line.append(UInt8(ascii: " "))
            styled(exchange.status.style, &line) { $0.append(number: exchange.status.code) }
            line.append(UInt8(ascii: " "))
            line.append(milliseconds: exchange.duration)
            line.append(part: "ms ")
            line.append(number: exchange.sent)
            line.append(part: "B")
            if let requestID = exchange.requestID { line.append(part: requestID) }
            if exchange.isAborted {
                line.append(part: exchange.isTooSlow ? "(aborted: read too slowly)" : "(the client disconnected)")
            }
        case .slowQuery(let query):
            line.append(part: "slow query, ")
            line.append(milliseconds: query.duration)
            let rows = query.rows.map { ", \(Wording.count($0, "row"))" } ?? ""
            line.append(part: "ms\(rows)\(query.requestID.map { ", \($0)" } ?? ""):")
            line.append(part: query.statement)
            if showsValues, !query.values.isEmpty { line.append(part: "-- " + query.values.joined(separator: ", ")) }
            if !query.plan.isEmpty { line.append(part: "-- " + query.plan.joined(separator: "; ")) }
        case .event(_, let message, _): line.append(part: message)
        }
    }

    /// Writes a part of a line in a style, on a terminal that has styles.
    private func styled(_ style: Style?, _ line: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        guard isStyled, let style else { return write(&line) }
        line += "\u{1B}[\(style.rawValue)m".utf8
        write(&line)
        line += "\u{1B}[0m".utf8
    }

    private func json(_ entry: LogEntry) -> [UInt8] {
        var buffer = JSONBuffer(capacity: 256)
        var time: [UInt8] = []
        time.append(time: entry.time)
        buffer.write(raw: "{\"time\":\"")
        buffer.write(raw: time)
        buffer.write(raw: "\",\"level\":\"")
        buffer.write(raw: entry.level.rawValue)
        buffer.write(byte: "\"")
        func key(_ name: String) {
            buffer.write(raw: ",\"")
            buffer.write(raw: name)
            buffer.write(raw: "\":")
        }
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
            var text: [UInt8] = []
            text.append(milliseconds: duration)
            buffer.write(raw: text)
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
            if exchange.isTooSlow {
                key("tooSlow")
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
}

extension [UInt8] {
    /// `2026-11-21T09:30:00.250Z`, always with the same length.
    fileprivate mutating func append(time: Date) {
        let milliseconds = (time.timeIntervalSinceReferenceDate * 1_000).rounded(.down)
        let seconds = (milliseconds / 1_000).rounded(.down)
        DateText.write(Date(timeIntervalSinceReferenceDate: seconds), into: &self)
        if last == UInt8(ascii: "Z") { removeLast() }
        append(UInt8(ascii: "."))
        append(decimals: Int(milliseconds - seconds * 1_000))
        append(UInt8(ascii: "Z"))
    }

    /// With three decimals: `0.042`.
    fileprivate mutating func append(milliseconds duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let micros = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        append(number: micros / 1_000)
        append(UInt8(ascii: "."))
        append(decimals: micros % 1_000)
    }

    private mutating func append(decimals number: Int) {
        for divisor in [100, 10, 1] { append(UInt8(ascii: "0") + UInt8(number / divisor % 10)) }
    }

    fileprivate mutating func append(number: Int) { append(contentsOf: String(number).utf8) }

    /// A space and a text, with characters escaped that could end the line or manipulate a terminal.
    fileprivate mutating func append(part text: String) {
        append(UInt8(ascii: " "))
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        append(contentsOf: (isPlain ? text : text.printable()).utf8)
    }
}

extension LogLevel {
    fileprivate var style: Style? {
        switch self {
        case .debug: .faint
        case .warning: .yellow
        case .error: .red
        case .info, .off: nil
        }
    }
}

extension HTTPStatus {
    /// Red for failures of the server, yellow for requests that were refused.
    fileprivate var style: Style? {
        switch code {
        case 500...: .red
        case 400...: .yellow
        default: nil
        }
    }
}
