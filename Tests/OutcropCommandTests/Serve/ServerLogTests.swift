// SPDX-License-Identifier: Apache-2.0

// The lines of the log, and writing them without blocking the server.

import Dispatch
import FoundationEssentials
import HTTPMessage
import JSON
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Server log")
struct ServerLogTests {
    private let time = Date(timeIntervalSinceReferenceDate: 817_032_600.25)

    private func exchange(_ target: String, _ status: HTTPStatus = .ok, isAborted: Bool = false) -> HTTPExchangeRecord {
        HTTPExchangeRecord(
            method: .get,
            target: target,
            client: "127.0.0.1",
            status: status,
            requestID: "r1",
            received: 0,
            sent: 512,
            duration: .microseconds(1_234),
            queued: .microseconds(17),
            isAborted: isAborted
        )
    }

    private func line(_ content: LogEntry.Content, _ format: LogFormat, showsValues: Bool = false) -> String {
        var bytes: [UInt8] = []
        LogWriter(format: format, showsValues: showsValues).write(LogEntry(.info, content, time: time), into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a request's line has its time, method, target, status, duration, bytes and request ID")
    func people() {
        #expect(
            line(.exchange(exchange("/api/posts?limit=2")), .people)
                == "2026-11-22T09:30:00.250Z GET /api/posts?limit=2 200 1.234 ms 512 B r1\n"
        )
        #expect(line(.exchange(exchange("/", isAborted: true)), .people).hasSuffix(" r1 (the client disconnected)\n"))
        var slow = exchange("/", isAborted: true)
        slow.isTooSlow = true
        #expect(line(.exchange(slow), .people).hasSuffix(" r1 (aborted: read too slowly)\n"))
        #expect(line(.exchange(slow), .json).contains("\"aborted\":true,\"tooSlow\":true"))
    }

    @Test("levels and statuses are coloured if the log is styled, and only in lines for people")
    func colours() {
        func line(_ level: LogLevel, _ format: LogFormat, _ content: LogEntry.Content) -> String {
            var bytes: [UInt8] = []
            LogWriter(format: format, isStyled: true).write(LogEntry(level, content, time: time), into: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        let event = LogEntry.Content.event(.setting, "Beware.", [:])
        #expect(line(.warning, .people, event) == "2026-11-22T09:30:00.250Z \u{1B}[33mWARNING\u{1B}[0m Beware.\n")
        #expect(line(.error, .people, event).contains(" \u{1B}[31mERROR\u{1B}[0m Beware."))
        #expect(line(.info, .people, event) == "2026-11-22T09:30:00.250Z Beware.\n")
        #expect(!line(.warning, .json, event).contains("\u{1B}"))
        #expect(!line(.info, .people, .exchange(exchange("/"))).contains("\u{1B}"))
    }

    @Test("a line of progress has what is done, and how fast")
    func progress() {
        func line(_ objects: Int?, _ fraction: Double?, _ seconds: Double) -> String {
            ProgressBar.line("Importing", objects: objects, fraction: fraction, seconds: seconds)
        }
        #expect(line(nil, nil, 3.5) == "Importing  3 s")
        #expect(line(10, nil, 0.5) == "Importing  10 objects")
        #expect(line(50, 0.5, 2) == "Importing  [###############...............] 50 %  50 objects, 25 per second")
        #expect(line(50, 1.5, 2).contains("[##############################] 100 %"))
    }

    @Test("the JSON format has one object per line")
    func machines() throws {
        let json = try JSONValue(parsing: line(.exchange(exchange("/a\"\n")), .json))
        #expect(json["event"]?.string == "request" && json["target"]?.string == "/a\"\n")
        #expect(json["status"]?.int64 == 200 && json["ms"]?.double == 1.234 && json["queuedMs"]?.double == 0.017)
        #expect(json["requestId"]?.string == "r1" && json["sent"]?.int64 == 512)
    }

    @Test(
        "a request can't break or add a line of the log",
        arguments: ["/a\nb", "/\u{1B}[2J", "/\u{202E}x", "/\u{2028}", "/\u{7F}"]
    )
    func hostile(target: String) throws {
        for format in LogFormat.allCases {
            let line = line(.exchange(exchange(target)), format)
            #expect(line.unicodeScalars.filter { $0 == "\n" }.count == 1 && line.hasSuffix("\n"))
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        }
    }

    @Test("a slow query is logged with its plan, and with its values only on request")
    func slowQueries() throws {
        let query = SlowQuery(
            requestID: "r7",
            statement: "SELECT * FROM ZPOST WHERE ZTITLE = ?",
            values: ["secret"],
            plan: ["SCAN ZPOST"],
            duration: .milliseconds(300),
            rows: 4
        )
        let people = line(.slowQuery(query), .people)
        #expect(people.contains("slow query, 300.000 ms, 4 rows, r7: SELECT") && people.contains("SCAN ZPOST"))
        #expect(!people.contains("secret"))
        #expect(!line(.slowQuery(query), .json).contains("secret"))
        #expect(line(.slowQuery(query), .people, showsValues: true).contains("secret"))
        let json = try JSONValue(parsing: line(.slowQuery(query), .json, showsValues: true))
        #expect(json["values"]?[0]?.string == "secret" && json["plan"]?[0]?.string == "SCAN ZPOST")
    }

    @Test("a failure is logged with its reason and request ID", arguments: LogFormat.allCases)
    func failures(format: LogFormat) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/log"
            let log = ServerLog(LogWriter(format: format), level: .error, file: try LogFile(path: path))
            let failure = APIFailure(requestID: "r9", method: .get, target: "/api/posts", reason: "disk\nfailed")
            log.log(failure)
            log.flush()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.split(separator: "\n").count == 1)
            switch format {
            case .people: #expect(text.contains(" ERROR r9 GET /api/posts failed: disk"))
            case .json:
                let json = try JSONValue(parsing: text)
                #expect(json["event"]?.string == "failure" && json["level"]?.string == "error")
                #expect(json["requestId"]?.string == "r9" && json["target"]?.string == "/api/posts")
                #expect(json["method"]?.string == "GET" && json["reason"]?.string == "disk\nfailed")
            }
        }
    }

    @Test("entries below the log's level are omitted")
    func levels() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/log"
            let log = ServerLog(LogWriter(format: .people), level: .warning, file: try LogFile(path: path))
            log.log(exchange("/fine"))
            log.log(exchange("/broken", .internalServerError))
            log.log(.info, .setting, "Not this.")
            log.log(.error, .setting, "But this.")
            log.flush()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!text.contains("/fine") && !text.contains("Not this"))
            #expect(text.contains("WARNING GET /broken 500") && text.contains("ERROR But this."))
        }
    }

    @Test("after reopening the log continues in a new file, and no line is lost or repeated")
    func reopening() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/log"
            let log = ServerLog(LogWriter(format: .people), level: .info, file: try LogFile(path: path))
            log.log(exchange("/one"))
            log.flush()
            try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
            log.reopen()
            log.log(exchange("/two"))
            log.flush()
            let (old, new) = try (
                String(contentsOfFile: path + ".1", encoding: .utf8), String(contentsOfFile: path, encoding: .utf8)
            )
            #expect(old.contains("/one") && !old.contains("/two"))
            #expect(new.contains("/two") && new.contains("The log was reopened."))
        }
    }

    @Test("a log that can't write drops lines without blocking, and reports their number")
    func dropping() throws {
        try Checkout.withFolder { folder in
            // A pipe without a reader accepts some bytes and then no more.
            let path = folder + "/pipe"
            let reader = try #require(PipeReader(makingPipeAt: path))
            let log = ServerLog(LogWriter(format: .json), level: .info, file: try LogFile(path: path), capacity: 100)
            for number in 0..<20_000 { log.log(exchange("/\(number)")) }
            var bytes = reader.available()
            while !log.flush(within: .milliseconds(10)) { bytes += reader.available() }
            let text = String(decoding: bytes + reader.available(), as: UTF8.self)
            let lines = text.split(separator: "\n")
            let told = try lines.map { try JSONValue(parsing: String($0)) }
            let dropped = told.filter { $0["event"]?.string == "dropped" }.reduce(0) { $0 + ($1["count"]?.int64 ?? 0) }
            let written = told.filter { $0["event"]?.string == "request" }.count
            #expect(dropped > 0)
            #expect(written + Int(dropped) == 20_000)
        }
    }

    @Test("opening a log in a missing folder throws an error")
    func unopened() throws {
        #expect(throws: LogFileError.self) { try LogFile(path: "/nowhere/log") }
    }
}
