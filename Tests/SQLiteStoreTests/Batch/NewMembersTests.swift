// SPDX-License-Identifier: Apache-2.0

// Batches that add members to required ordered relationships with many existing members.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import StoreConformance
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("New members of a required ordered relationship")
struct NewMembersTests {
    /// Authors: each requires a post, and sums the views of its posts.
    private struct Blog {
        let store: SQLiteStore
        let coordinator: PersistentStoreCoordinator
        let label: ManagedObjectID
        let authors: [ManagedObjectID]

        init(_ folder: String) throws {
            let model = try ManagedObjectModel(
                Model {
                    Entity("Author") {
                        Attribute("note", .string).optional()
                        Attribute("views", .int64).optional().derived("posts.views.@sum")
                        Attribute("cost", .decimal).optional().derived("posts.cost.@sum")
                        Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).ordered()
                            .count(1...)
                    }
                    Entity("Post") {
                        Attribute("title", .string)
                        Attribute("views", .int64).default(1)
                        Attribute("cost", .decimal).default(0.5)
                        Relationship("author", toOne: "Author", inverse: "posts").optional()
                        Relationship("labels", toMany: "Label", inverse: "posts").optional()
                    }
                    Entity("Label") { Relationship("posts", toMany: "Post", inverse: "labels").optional() }
                }
            )
            store = try SQLiteStore(path: folder + "/Blog.sqlite", model: model)
            coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let made = try coordinator.withContext { context -> [ManagedObjectID] in
                let label = try context.insert("Label")
                let authors = try (0..<3).map { _ in
                    let author = try context.insert("Author")
                    try author.setValue(.string(String(repeating: "n", count: 4_000)), forKey: "note")
                    for title in ["a", "b"] {
                        let post = try context.insert("Post")
                        try post.setValue(.string(title), forKey: "title")
                        try author.relate("posts", post)
                    }
                    return author
                }
                try context.save()
                return [label.objectID] + authors.map(\.objectID)
            }
            label = made[0]
            authors = Array(made.dropFirst())
        }

        static let newRows = """
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZVIEWS, t0.ZAUTHOR, t0.Z_FOK_AUTHOR, t0.ZCOST, t0.ZTITLE FROM ZPOST AS t0 \
            WHERE t0.Z_PK IN (?, ?, ?, ?)
            """

        /// The statements that look for posts of authors, of a batch that inserts one post for each.
        func insert(_ title: String, isLabelled: Bool) throws -> Set<String> {
            let seen = Mutex<Set<String>>([])
            store.database.tracer = { event in seen.withLock { _ = $0.insert(event.sql) } }
            defer { store.database.tracer = nil }
            let rows = authors.map { author in
                var row: [String: Value] = ["title": .string(title), "author": author.value]
                if isLabelled { row["labels"] = .array([label.value]) }
                return row
            }
            try coordinator.execute(BatchInsertRequest("Post", rows: rows))
            return seen.withLock { statements in
                statements.filter { $0.hasPrefix("SELECT") && $0.contains("FROM ZPOST") && $0.contains("ZAUTHOR") }
            }
        }

        func sums() throws -> [[Value]] {
            try coordinator.withContext { [authors] context in
                try authors.map { author in
                    let author = try context.existingObject(with: author)
                    return try ["views", "cost"].map { try author.value(forKey: $0) }
                }
            }
        }

        func titles() throws -> [[Value]] {
            try coordinator.withContext { [authors] context in
                try authors.map { author in
                    let author = try context.existingObject(with: author)
                    let posts = try #require(author.entity.relationship(named: "posts"))
                    return try author.objects(of: posts).map { try $0.value(forKey: "title") }
                }
            }
        }
    }

    @Test("a batch appends new members without reading the existing ones", arguments: [false, true])
    func appending(isLabelled: Bool) throws {
        try Checkout.withFolder { folder in
            let blog = try Blog(folder)
            let statements = try blog.insert("c", isLabelled: isLabelled)
            // The greatest position is found by the index of positions.
            var expected: Set = ["SELECT MAX(Z_FOK_AUTHOR) FROM ZPOST WHERE ZAUTHOR = ?"]
            // Rows that aren't written one by one are read again to derive their values: only the three new rows.
            if isLabelled { expected.insert(Blog.newRows) }
            #expect(statements.filter { !$0.contains("outcrop_sum") } == expected)
            #expect(try blog.titles() == blog.authors.map { _ in ["a", "b", "c"].map(Value.string) })
            #expect(try blog.sums() == blog.authors.map { _ in [3, .decimal(1.5)] })
        }
    }

    @Test("appending members is not limited by the size or number of the existing ones")
    func allowance() throws {
        try Checkout.withFolder { folder in
            let blog = try Blog(folder)
            let limits = WorkLimits(allowance: ReadAllowance(100_000))
            for title in ["x", String(repeating: "y", count: 1_000)] {
                let rows = (0..<5_000).map { number -> [String: Value] in
                    [
                        "title": .string(title), "author": blog.authors[number % 3].value,
                        "labels": .array([blog.label.value]),
                    ]
                }
                try limits.hold { _ = try blog.coordinator.execute(BatchInsertRequest("Post", rows: rows)) }
                // Saving members one by one isn't limited either.
                try limits.hold {
                    try blog.coordinator.withContext { context in
                        let post = try context.insert("Post")
                        try post.setValue(.string(title), forKey: "title")
                        try post.setObject(context.object(with: blog.authors[0]), forKey: "author")
                        try context.save()
                    }
                }
            }
            #expect(try blog.sums() == [3338, 3336, 3334].map { [.integer($0), .decimal(Decimal($0) / 2)] })
        }
    }
}
