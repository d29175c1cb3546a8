// SPDX-License-Identifier: Apache-2.0

// Slow queries, from the store to the log.

import Foundation
import HTTPMessage
import JSON
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Slow queries")
struct SlowQueryTests {
    /// The lines logged while a served demo processes requests, except those of the store's own checks.
    private func lines(
        slowQuery: Duration,
        logsValues: Bool = false,
        of work: (any HTTPApplication) throws -> Void
    ) throws -> [JSONValue] {
        try Checkout.withFolder { folder in
            var settings = ServeSettings()
            settings.demo = true
            settings.demoSize = 100
            settings.stores = [try StoreChoice(folder + "/Demo.sqlite")]
            (settings.slowQuery, settings.logValues) = (slowQuery, logsValues)
            let stack = try ServedStack(opening: settings)
            let file = try LogFile(path: folder + "/log")
            let log = ServerLog(
                LogWriter(format: .json, showsValues: settings.logValues),
                level: settings.logLevel,
                file: file
            )
            let api = try API(stack.coordinator, options: settings.api)
            log.watch(stack.coordinator, settings: settings)
            try work(LoggedApplication(application: api, log: log, watchesQueries: settings.slowQuery > .zero))
            log.flush()
            let all = try String(contentsOfFile: folder + "/log", encoding: .utf8).split(separator: "\n").map {
                try JSONValue(parsing: String($0))
            }
            return all.filter { $0["statement"]?.string?.hasPrefix("PRAGMA") != true }
        }
    }

    private let fetch = HTTPRequest(
        .get,
        "/api/posts?where=title%20CONTAINS%20%27secret%27",
        fields: ["X-Request-Id": "mine"]
    )

    @Test("a slow query is logged with its plan and request ID, but without values")
    func reading() throws {
        let lines = try lines(slowQuery: .nanoseconds(1)) { application in
            #expect(application.respond(to: fetch).status == .ok)
        }
        #expect(!lines.isEmpty && lines.allSatisfy { $0["event"]?.string == "slowQuery" })
        #expect(lines.allSatisfy { $0["requestId"]?.string == "mine" && $0["values"] == nil })
        let line = try #require(lines.first { $0["statement"]?.string?.contains("ZPOST") == true })
        #expect(line["plan"]?.array?.isEmpty == false && line["rows"]?.int64 == 0)
        #expect(!lines.description.contains("secret"))
    }

    @Test("a slow query is logged with values on request")
    func values() throws {
        let lines = try lines(slowQuery: .nanoseconds(1), logsValues: true) { _ = $0.respond(to: fetch) }
        #expect(lines.contains { $0["values"]?.description.contains("secret") == true })
    }

    @Test("a slow change is logged without a request ID")
    func writing() throws {
        let lines = try lines(slowQuery: .nanoseconds(1)) { application in
            let body = HTTPRequestBody.bytes(Array(#"{"name":"slow"}"#.utf8))
            let fields: HeaderFields = ["Content-Type": "application/json", "X-Request-Id": "mine"]
            let request = HTTPRequest(.post, "/api/tags", fields: fields, body: body)
            #expect(application.respond(to: request).status == .created)
        }
        let line = try #require(lines.first { $0["statement"]?.string?.hasPrefix("INSERT INTO ZTAG") == true })
        #expect(line["requestId"] == nil && line["rows"] == nil)
    }

    @Test(
        "a query below the threshold isn't logged, and a threshold of zero disables logging",
        arguments: [Duration.zero, .seconds(3_600)]
    )
    func quick(slowQuery: Duration) throws {
        #expect(try lines(slowQuery: slowQuery) { _ = $0.respond(to: fetch) }.isEmpty)
    }
}
