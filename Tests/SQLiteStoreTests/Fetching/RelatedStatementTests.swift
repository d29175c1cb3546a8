// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectGraph
import Predicates
import SQLiteDriver
import Testing

@testable import SQLiteStore

@Suite("The SQL of related requests")
struct RelatedStatementTests {
    private static func statement(
        _ blog: Blog,
        _ entity: String,
        _ name: String,
        _ request: RelatedRequest,
        owners: Int
    ) throws -> String {
        let owner = try blog.entity(entity)
        let relationship = try #require(owner.relationship(named: name))
        let ids = (1...owners).map {
            ManagedObjectID(entity: owner, store: blog.store.identifier, reference: .integer(Int64($0)))
        }
        let log = StatementLines()
        blog.store.database.tracer = { log.add($0.sql) }
        defer { blog.store.database.tracer = nil }
        _ = try blog.store.related(along: relationship, owners: ids, matching: request, at: nil)
        let lines = log.all.filter { !$0.hasPrefix("BEGIN") && !$0.hasPrefix("COMMIT") }
        #expect(lines.count == 1)
        // The columns are the same for all rows.
        return lines.joined(separator: "\n").replacing(/(?:t0\.\w+, )+t0\.\w+(?= FROM)/, with: "…")
    }

    private static let latest = RelatedRequest(
        predicate: ObjectPredicate.comparing(.keyPath("views"), .greater, .constant(3)),
        sortDescriptors: [ObjectSortDescriptor("createdAt", ascending: false)],
        limit: 5
    )

    @Test("one statement numbers the members of each owner and reads the first rows")
    func several() throws {
        try Blog.withStore { blog in
            let latest = try Self.statement(blog, "Person", "posts", Self.latest, owners: 3)
            #expect(
                latest
                    == """
                    SELECT r.o, … FROM (SELECT o.Z_PK AS o, t0.Z_PK AS m, ROW_NUMBER() OVER (PARTITION BY o.Z_PK \
                    ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK) AS n FROM ZPERSON AS o CROSS JOIN ZPOST AS t0 \
                    ON t0.ZAUTHOR = o.Z_PK WHERE o.Z_PK IN (?, ?, ?, ?) AND t0.ZVIEWS > ?) AS r \
                    CROSS JOIN ZPOST AS t0 ON t0.Z_PK = r.m WHERE r.n <= ? ORDER BY r.o, r.n
                    """
            )
        }
    }

    @Test("a single owner, or a request without a limit, needs no row numbers")
    func plain() throws {
        try Blog.withStore { blog in
            let best = try Self.statement(blog, "Person", "posts", Self.latest, owners: 1)
            #expect(
                best
                    == """
                    SELECT o.Z_PK, … FROM ZPERSON AS o CROSS JOIN ZPOST AS t0 ON t0.ZAUTHOR = o.Z_PK \
                    WHERE o.Z_PK IN (?) AND t0.ZVIEWS > ? ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK LIMIT ?
                    """
            )
            let named = RelatedRequest(sortDescriptors: [ObjectSortDescriptor("name")])
            let byName = try Self.statement(blog, "Post", "tags", named, owners: 2)
            #expect(
                byName
                    == """
                    SELECT o.Z_PK, … FROM ZPOST AS o CROSS JOIN Z_4TAGS AS p ON p.Z_4POSTS = o.Z_PK \
                    CROSS JOIN ZTAG AS t0 ON t0.Z_PK = p.Z_5TAGS WHERE o.Z_PK IN (?, ?) \
                    ORDER BY o.Z_PK, t0.ZNAME, p.Z_FOK_5TAGS, t0.Z_PK
                    """
            )
        }
    }

    @Test("a request for no members or no owners runs no query")
    func nothing() throws {
        try Blog.withStore { blog in
            let person = try blog.entity("Person")
            let posts = try #require(person.relationship(named: "posts"))
            let before = blog.store.statistics
            let none = try blog.store.related(along: posts, owners: [], matching: Self.latest, at: nil)
            #expect(none.members.isEmpty && none.rows.isEmpty)
            let id = ManagedObjectID(entity: person, store: blog.store.identifier, reference: .integer(1))
            let zero = try blog.store.related(along: posts, owners: [id], matching: RelatedRequest(limit: 0), at: nil)
            #expect(zero.members == [[]])
            // Only the statements that begin and end the reads.
            #expect(blog.store.statistics.since(before).statements == 4)
        }
    }

    @Test("a condition on members that SQL can't express is evaluated in memory")
    func evaluated() throws {
        try Blog.withStore { blog in
            let coordinator = PersistentStoreCoordinator(model: blog.model)
            try coordinator.add(blog.store)
            try coordinator.withContext { context in
                let author = try context.insert("Person")
                let posts = try #require(author.entity.relationship(named: "posts"))
                for number in 0..<4 {
                    let post = try context.insert("Post")
                    try post.setValue(.integer(Int64(number)), forKey: "views")
                    try post.setValue(.dictionary(["a": .integer(Int64(number))]), forKey: "payload")
                    try author.add(post, to: posts)
                }
                try context.save()
                let request = RelatedRequest(
                    predicate: try ObjectPredicate("payload.a > 0"),
                    sortDescriptors: [ObjectSortDescriptor("views", ascending: false)],
                    limit: 2
                )
                let owners = [author.objectID]
                let found = try coordinator.read { reader in
                    try reader.related(along: posts, owners: owners, matching: request)
                }
                let views = try #require(blog.model.entity(named: "Post")?.attribute(named: "views"))
                #expect(found.members[0].count == 2)
                #expect(Set(found.rows.map { $0.row[views] }) == [3, 2])
            }
        }
    }
}
