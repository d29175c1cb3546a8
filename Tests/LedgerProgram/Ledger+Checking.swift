// SPDX-License-Identifier: Apache-2.0

// Checks that a ledger has its expected contents.

import FoundationEssentials
import Glibc
import ObjectGraph
import Predicates
import SQLiteStore

extension Ledger {
    /// The problems of the payload files, after removing those left by a crash; an empty list if each file exists and
    /// is named by a row.
    public func fileProblems() throws -> [String] {
        var problems: [String] = []
        // Only one caller at a time removes files, and the removal begun by opening the store may still be running.
        for _ in 0..<3_000 {
            try store.removeOrphanedFiles()
            problems = try fileProblemsNow()
            if problems.isEmpty { break }
            usleep(10_000)
        }
        return problems
    }

    private func fileProblemsNow() throws -> [String] {
        let named = try store.externalFiles()
        let folder = SQLiteStore.externalFolder(ofStoreAt: store.path)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return named.filter { $0.size == nil }.map { "Not there: \($0.name)" }
            + Set(files).subtracting(named.map(\.name)).sorted().map { "Left behind: \($0)" }
    }

    /// The problems of the object graph, as contexts read it, or an empty list.
    ///
    /// - Parameter acknowledged: The number of completed saves of each writer. One more may be stored, as a whole.
    public func problems(acknowledged: [Int: ClosedRange<Int>] = [:]) throws -> [String] {
        try coordinator.withContext { context in
            var problems: [String] = []
            var expected: [String] = []
            var (total, shared) = (0, 0)
            var writers: Set<Int> = []
            for counter in try context.all("Counter") {
                let (name, count) = (try counter.text("name"), try counter.number("value"))
                guard let writer = Int(name) else {
                    shared = count
                    continue
                }
                writers.insert(writer)
                if let range = acknowledged[writer], !range.contains(count) {
                    problems.append("Writer \(writer) has \(count) saves, not \(range)")
                }
                expected += Self.lines(of: writer, after: count)
                total += (0..<(count + 1)).count { $0 > 0 && Self.counts($0) }
            }
            for (writer, range) in acknowledged where !writers.contains(writer) && range.lowerBound > 0 {
                problems.append("Writer \(writer) has no counter")
            }
            if total != shared { problems.append("\(shared) saves were counted together, not \(total)") }
            let found = try lines(in: context)
            problems += Set(expected).subtracting(found).sorted().map { "Missing: \($0)" }
            problems += Set(found).subtracting(expected).sorted().map { "Not expected: \($0)" }
            if found.count != Set(found).count { problems.append("There are batches twice") }
            for writer in writers.sorted() {
                let count = try context.the("Counter", "name", "\(writer)").number("value")
                problems += try noteProblems(of: writer, count)
            }
            return try problems + inverseProblems(in: context)
        }
    }

    private func lines(in context: ManagedObjectContext) throws -> [String] {
        try context.all("Batch").map { batch in
            let items = try batch.objects(of: batch.relationship("items")).map { item in
                let tags = try item.objects(of: item.relationship("tags")).map { try $0.text("name") }
                guard case .data(let payload) = try item.value(forKey: "payload") else { return "no payload" }
                return Self.item(try item.text("name"), tags.sorted(), payload)
            }
            return Self.batch(
                try batch.number("writer"),
                try batch.number("number"),
                revision: try batch.number("revision"),
                size: try batch.number("size"),
                items
            )
        }
    }

    /// Each save has its note, and the next one has none.
    private func noteProblems(of writer: Int, _ count: Int) throws -> [String] {
        try [1, count / 2, count, count + 1].filter { $0 > 0 }.compactMap { number in
            let expected: [UInt8]? = number > count ? nil : Array("\(number)".utf8)
            let key = Self.noteKey(writer, number)
            return try coordinator.note(key)?.content == expected
                ? nil : "The note of \(key) isn't that of \(count) saves"
        }
    }

    private func inverseProblems(in context: ManagedObjectContext) throws -> [String] {
        var problems: [String] = []
        var items: Set<ManagedObjectID> = []
        for batch in try context.all("Batch") {
            let members = try batch.objects(of: batch.relationship("items"))
            for item in members where try item.object(of: item.relationship("batch")) !== batch {
                problems.append("\(try item.text("name")) is an item of a batch that is not its own")
            }
            items.formUnion(members.map(\.objectID))
        }
        let all = try context.all("Item")
        if Set(all.map(\.objectID)) != items { problems.append("There are items without a batch") }
        var pairs: Set<[ManagedObjectID]> = []
        for item in all {
            for tag in try item.objects(of: item.relationship("tags")) { pairs.insert([item.objectID, tag.objectID]) }
        }
        var inverse: Set<[ManagedObjectID]> = []
        for tag in try context.all("Tag") {
            for item in try tag.objects(of: tag.relationship("items")) {
                inverse.insert([item.objectID, tag.objectID])
            }
        }
        if pairs != inverse { problems.append("Items and tags don't tell the same of each other") }
        return problems
    }
}
