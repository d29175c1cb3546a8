// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import SQLiteStore
import Testing

@Suite("Store statistics")
struct StoreStatisticsTests {
    /// The statistics of what the store did during a closure. Durations are compared with zero only.
    private func done(_ logged: LoggedStore, _ work: () throws -> Void) rethrows -> StoreStatistics {
        let before = logged.store.statistics
        try work()
        return logged.store.statistics.since(before)
    }

    @Test("statistics count fetches with their rows, and counts without rows")
    func fetches() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma", "Persuasion", "Sanditon")
            let done = try done(logged) {
                try logged.coordinator.withContext { context in
                    _ = try context.fetch(FetchRequest<ManagedObject>("Book"))
                    _ = try context.count(FetchRequest<ManagedObject>("Book"))
                }
            }
            #expect((done.fetches.count, done.fetches.objects) == (2, 3))
            #expect(done.fetches.duration > .zero)
            #expect((done.faults.count, done.saves.count, done.commits) == (0, 0, 0))
            #expect(done.statements == 6)
        }
    }

    @Test("statistics count faults and relationship faults with the requested objects")
    func faults() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen", books: "Emma", "Persuasion")
            let books = try #require(author.entity.relationship(named: "books"))
            let done = try done(logged) {
                _ = try logged.store.snapshots(of: [author], at: nil)
                _ = try logged.store.snapshots(of: [author, author], at: nil)
                _ = try logged.store.members(of: books, owners: [author], at: nil)
                _ = try logged.store.related(along: books, owners: [author, author], matching: nil, at: nil)
            }
            #expect((done.faults.count, done.faults.objects) == (2, 3))
            #expect((done.relationshipFaults.count, done.relationshipFaults.objects) == (2, 3))
            #expect(done.faults.duration > .zero && done.relationshipFaults.duration > .zero)
            #expect(done.fetches.count == 0)
        }
    }

    @Test("statistics count saves with their rows, conflicts, and commits")
    func saves() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen", books: "Emma")
            let done = try done(logged) {
                try logged.insertAuthor("Eliot", books: "Romola", "Middlemarch")
                try logged.coordinator.withContext { context in
                    try context.object(with: author).setValue("Jane", forKey: "name")
                    for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                        if try book.value(forKey: "title") == "Emma" { context.delete(book) }
                    }
                    try context.save()
                }
                #expect(throws: GraphError.self) { try logged.insertAuthor("Eliot") }
            }
            #expect(done.insertedObjects == 3)
            #expect(done.updatedObjects == 1)
            #expect(done.deletedObjects == 1)
            #expect((done.saves.count, done.saves.objects) == (2, 5))
            #expect(done.saves.duration > .zero)
            #expect(done.conflicts == 1)
            #expect(done.commits == 3)
        }
    }

    @Test("statistics count batches with their objects")
    func batches() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma", "Persuasion")
            let done = try done(logged) {
                var request = BatchUpdateRequest("Book")
                request.propertiesToUpdate = ["pages": .constant(300)]
                try logged.coordinator.execute(request)
            }
            #expect((done.batches.count, done.batches.objects) == (1, 2))
        }
    }

    @Test("statistics don't count failed calls")
    func failures() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen")
            let deletion = StoreSaveRequest.Deletion(objectID: author, version: 7)
            var request = StoreSaveRequest()
            request.deletions = [deletion]
            let asked = request
            let done = try done(logged) { _ = try logged.store.save(asked) }
            #expect((done.saves.count, done.deletedObjects, done.conflicts) == (0, 0, 1))
        }
    }

    @Test("statistics are the same whether the log is on or off")
    func withLog() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen")
            let silent = try done(logged) { _ = try logged.store.snapshots(of: [author], at: nil) }
            var logging = StoreStatistics()
            _ = try logged.lines(level: 4) {
                logging = try done(logged) { _ = try logged.store.snapshots(of: [author], at: nil) }
            }
            #expect(logging.statements == silent.statements)
            #expect(logging.faults.count == silent.faults.count)
        }
    }
}
