// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import ObjectGraph
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Taking a store back to an earlier time")
struct RewindTests {
    /// Changes a store at random, and returns its states and the times behind them.
    private static func changes(
        _ path: String,
        _ count: Int,
        backup: Int,
        to copy: String,
        _ random: inout SeededGenerator
    ) throws -> [(state: Archive.State, end: Date)] {
        let archive = try Archive(path)
        var states: [(state: Archive.State, end: Date)] = []
        for number in 0..<count {
            try archive.change(&random)
            if number == backup { try archive.store.backUp(to: copy) }
            usleep(1_000)
            states.append((try archive.state, .now))
            usleep(1_000)
        }
        return states
    }

    @Test(
        "a store has the state of the time again, except for what is reported as unknown or lost",
        arguments: SeededGenerator.seeds(24)
    )
    func random(seed: UInt64) throws {
        try Checkout.withFolder { folder in
            var random = SeededGenerator(seed: seed)
            let (path, copy) = (folder + "/Archive.sqlite", folder + "/Copy.sqlite")
            let first = Int.random(in: 5..<15, using: &random)
            let count = first + Int.random(in: 1..<12, using: &random)
            let states = try Self.changes(path, count, backup: first, to: copy, &random)
            let moment = Int.random(in: first..<count, using: &random)
            let report = try SQLiteStore.rewind(path, to: states[moment].end, with: copy)
            let archive = try Archive(path)
            let state = try archive.state
            try Self.expect(state, states[moment].state, report, "seed \(seed)")
            let findings = try archive.store.check().filter { $0.code != .fileOrphaned }
            #expect(findings.isEmpty, "seed \(seed): \(findings)")
            if moment == count - 1 { #expect(report.undoneTransactions == 0 && report.unknown.isEmpty) }
        }
    }

    /// A store whose backup was made before its last changes.
    private static func withStore(
        _ body: (_ path: String, _ copy: String, _ states: [(state: Archive.State, end: Date)]) throws -> Void
    ) throws {
        try Checkout.withFolder { folder in
            var random = SeededGenerator(seed: 1)
            let (path, copy) = (folder + "/Archive.sqlite", folder + "/Copy.sqlite")
            let states = try changes(path, 8, backup: 4, to: copy, &random)
            try body(path, copy, states)
        }
    }

    private static func expectRefusal(
        _ code: StoreError.Code,
        _ path: String,
        _ date: Date,
        _ copy: String
    ) {
        let error = #expect(throws: StoreError.self) { try SQLiteStore.rewind(path, to: date, with: copy) }
        #expect(error?.code == code, "\(error?.message ?? "")")
    }

    @Test("a backup that was made after the time is refused, and so is a copy of another store")
    func wrongBackup() throws {
        try Self.withStore { path, copy, states in
            Self.expectRefusal(.noHistory, path, states[2].end, copy)
            let other = copy + ".other.sqlite"
            try Archive(other).store.backUp(to: copy + ".backup.sqlite")
            Self.expectRefusal(.noHistory, path, states[6].end, copy + ".backup.sqlite")
            #expect(try Archive(path).state == states[7].state)
        }
    }

    @Test("a history that was trimmed since the backup isn't enough")
    func trimmed() throws {
        try Self.withStore { path, copy, states in
            do {
                let store = try Archive(path).store
                var trim = HistoryTrim()
                trim.before = .now
                #expect(try store.trimHistory(trim) > 0)
            }
            Self.expectRefusal(.noHistory, path, states[6].end, copy)
        }
    }

    @Test("undone transactions are gone from the history, and their numbers aren't assigned again")
    func history() throws {
        try Self.withStore { path, copy, states in
            let end = try Archive(path).store.historyEnd(at: nil)
            _ = try SQLiteStore.rewind(path, to: states[5].end, with: copy)
            let archive = try Archive(path)
            #expect(try archive.store.historyEnd(at: nil) < end)
            var random = SeededGenerator(seed: 7)
            for _ in 0..<5 { try archive.change(&random) }
            #expect(try archive.store.historyEnd(at: nil) > end)
            #expect(throws: GraphError.self) { try archive.store.history(StoreHistoryRequest(after: end)) }
        }
    }

    private static func expect(
        _ state: Archive.State,
        _ expected: Archive.State,
        _ report: RewindReport,
        _ seed: Comment
    ) throws {
        let lost = Set(report.lost)
        #expect(Set(state.keys) == Set(expected.keys).subtracting(lost), seed)
        #expect(lost.isSubset(of: expected.keys), seed)
        let unknown = Dictionary(uniqueKeysWithValues: report.unknown.map { ($0.object, Set($0.properties)) })
        var affected = Set(report.unknown.flatMap(\.properties).flatMap { [$0, inverses[$0] ?? $0] })
        // What is derived from values that aren't known, and references to objects that are lost.
        if !report.unknown.isEmpty || !lost.isEmpty { affected.formUnion(["itemCount", "plainName"]) }
        if !lost.isEmpty { affected.formUnion(inverses.keys) }
        for (object, values) in expected {
            guard let found = state[object] else { continue }
            for (name, value) in values where !(unknown[object]?.contains(name) ?? false) {
                if affected.contains(name), unknown[object] != nil || name != "name" { continue }
                #expect(found[name] == value, "\(object) \(name), \(seed)")
            }
        }
    }

    private static let inverses = [
        "box": "items", "items": "box", "tags": "tagged", "tagged": "tags", "similar": "similar", "label": "item",
        "item": "label",
        "references": "references",
    ]
}
