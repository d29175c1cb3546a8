// SPDX-License-Identifier: Apache-2.0

// docs/sqlite-store.md, compared with its example's log, and with the existing settings and counters.

import FoundationEssentials
import ObjectGraph
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("docs/sqlite-store.md")
struct SQLiteStorePageTests {
    private final class Log: Sendable {
        private let kept = Mutex<[String]>([])

        var lines: [String] { kept.withLock { $0 } }

        func add(_ lines: [String]) { kept.withLock { $0 += lines } }
    }

    private let page: Page

    init() throws {
        page = try Page("docs/sqlite-store.md")
    }

    @Test("docs/sqlite-store.md shows the real log of its example, apart from times")
    func log() throws {
        #expect(FileManager.default.changeCurrentDirectoryPath(Checkout.path))
        let log = Log()
        _ = try SwiftExample.sqliteStore.run { log.add($0) }
        let times = /[0-9]+\.[0-9]{4}s/
        let shown = page.blocks(in: "log").map { $0.text.replacing(times, with: "0.0000s") }
        #expect(shown == [log.lines.joined(separator: "\n").replacing(times, with: "0.0000s")])
    }

    @Test("docs/sqlite-store.md names each setting and each counter, and nothing else, in its tables")
    func tables() throws {
        let named = ["Opening a store", "Counters"].map { page.section($0)?.rows.flatMap { $0[0].codeSpans } }
        // Users don't choose the file system.
        #expect(named[0] == Self.names(SQLiteStoreOptions()).filter { $0 != "fileSystem" })
        #expect(named[1] == Self.names(StoreStatistics()) + Self.names(RowCacheStatistics()))
    }

    @Test("docs/sqlite-store.md describes each level of the log")
    func levels() throws {
        let levels = try #require(page.section("The SQL log")).rows.map { $0[0] }
        #expect(levels == (0...SQLLog(level: .max).level).map(String.init))
    }

    @Test("docs/sqlite-store.md has every error code, and no other")
    func codes() throws {
        let source = try Checkout.text(of: "Sources/SQLiteStore/StoreError.swift")
        let codes = source.matches(of: /Code\(rawValue: "([A-Za-z]+)"\)/).map { String($0.1) }
        let named = try #require(page.section("Errors")).rows.flatMap { $0[0].codeSpans }
        #expect(codes.count > 15 && named == codes)
    }

    private static func names(_ value: Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label) }
}
