// SPDX-License-Identifier: Apache-2.0

// The guide to the API: each line that calls curl is run, and its response is compared with the page.

import DemoData
import FoundationEssentials
import Glibc
import HTTPMessage
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("Guide to the API")
struct HTTPGuideTests {
    static let page = "docs/http-api.md"
    /// Each page is run on a server of its own.
    static let pages = [
        page, "docs/editing-contexts.md", "docs/history.md", "docs/live-queries.md", "docs/performance.md",
    ]

    @Test("a guide shows the responses that the demo really gives", arguments: pages)
    func answers(name: String) throws {
        let page = try Checkout.text(of: name)
        let written = try Self.written(page)
        // With this variable the responses in the file are replaced by the real ones.
        if ProcessInfo.processInfo.environment["OUTCROP_WRITE_ANSWERS"] == "1" {
            try Data(written.utf8).write(to: URL(filePath: Checkout.path + "/" + name))
        } else {
            let pairs = zip(page.split(separator: "\n"), written.split(separator: "\n"))
            if let (shown, real) = pairs.first(where: { $0 != $1 }) { #expect(shown == real) }
            #expect(page == written)
        }
    }

    @Test("each request in the README succeeds and finds something")
    func cheatSheet() throws {
        let lines = try Page("README.md").blocks(in: "sh").flatMap(\.lines).filter { $0.hasPrefix("curl ") }
        #expect(lines.count == 5)
        try Checkout.withFolder { folder in
            let api = try Self.demo(folder).api
            for line in lines {
                let curl = try CurlLine(String(line.prefix { $0 != "#" }))
                let answer = api.respond(to: curl.request)
                #expect(answer.status == .ok, "\(line)")
                #expect(try !curl.text(of: answer).contains("\"items\": []"), "\(line)")
            }
        }
    }

    @Test("the guide calls every kind of route and shows problems")
    func coverage() throws {
        let lines = try Page(Self.page).blocks(in: "console").flatMap(Console.commands).map(\.line)
        #expect(lines.count > 30)
        for part in [
            "fetch", "batch-insert", "batch-update", "batch-delete", "transaction", "queries", "explain=true",
            "dryRun=true", "-X PATCH", "-X PUT", "-X DELETE", "If-Match", "If-None-Match", "Idempotency-Key",
            "include=", "select=",
            "cursor=", "result=dictionary", "problems/", "openapi.json",
        ] {
            #expect(lines.contains { $0.contains(part) }, "\(part)")
        }
    }

    /// The page with the real responses.
    private static func written(_ page: String) throws -> String {
        try Checkout.withFolder { folder in
            let (api, store) = try demo(folder)
            return try written(page, api).replacing(store.uuidString.lowercased(), with: "…")
                .replacing(/[0-9a-f]{32}-\d+(?:-\d+)?/, with: "…")
                .replacing(/"time": "[^"]*"/, with: "\"time\": \"…\"")
        }
    }

    private static func written(_ page: String, _ api: API) throws -> String {
        var written: [String] = []
        var command: String?
        var isCode = false
        /// The stream that a line with “&” at its end has opened in this block.
        var feed: GuideFeed?
        func run() throws {
            guard let line = command, line.hasPrefix("curl") || line.hasPrefix("printf") else { return }
            command = nil
            let isStream = line.hasSuffix(" &")
            let curl = try CurlLine(isStream ? String(line.dropLast(2)) : line)
            let response = api.respond(to: curl.request)
            if isStream, case .feed(let start) = response.body {
                let opened = GuideFeed()
                start(opened)
                feed = opened
            } else {
                let text = try curl.text(of: response)
                if !text.isEmpty { written.append(text) }
            }
            if let event = feed?.nextEvent() { written.append(event) }
        }
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                try run()
                feed = nil
                isCode = !isCode && line == "```console"
                written.append(String(line))
            } else if isCode, line.hasPrefix("$ ") {
                try run()
                command = String(line.dropFirst(2))
                written.append(String(line))
            } else if isCode, let begun = command, begun.hasSuffix("\\") {
                command = String(begun.dropLast()) + String(line)
                written.append(String(line))
            } else if !isCode {
                written.append(String(line))
            }
        }
        return written.joined(separator: "\n")
    }

    /// The API as `outcrop serve --demo --store sqlite:demo.sqlite` serves it.
    private static func demo(_ folder: String) throws -> (api: API, store: UUID) {
        let file = try ModelFile(json: Array(DemoModel.json.utf8), name: "Demo")
        let model = try ManagedObjectModel(file.current.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try SQLiteStore(path: folder + "/demo.sqlite", model: model)
        try coordinator.add(store)
        try DemoData(model: model, seed: 1, size: 2_000).fill(coordinator)
        return (try API(coordinator), store.identifier)
    }
}

/// The events of a stream, as curl prints them.
private final class GuideFeed: HTTPFeed {
    private let received = Mutex<[UInt8]>([])

    func send(_ bytes: [UInt8]) -> Bool {
        received.withLock { $0 += bytes }
        return true
    }

    func whenDrained(_ body: @escaping @Sendable () -> Void) { body() }

    func end() {}

    /// The next event with the empty line behind it, or nil if none comes.
    func nextEvent() -> String? {
        for _ in 0..<3_000 {
            let event = received.withLock { bytes -> String? in
                let text = String(decoding: bytes, as: UTF8.self)
                guard let end = text.firstRange(of: "\n\n") else { return nil }
                bytes.removeFirst(text[..<end.upperBound].utf8.count)
                return String(text[..<end.lowerBound]) + "\n"
            }
            if let event { return event }
            usleep(1_000)
        }
        return nil
    }
}
