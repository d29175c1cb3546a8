// SPDX-License-Identifier: Apache-2.0

// The statements of deletions that cascade over several levels: their number doesn't depend on that of the objects.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The SQL of cascades")
struct CascadeStatementTests {
    @Test("a cascade reads each relationship of a wave, and deletes the rows of an entity, by one statement")
    func cascade() throws {
        try Company.with { company in
            let firm = try company.firm(users: 10, posts: 3, comments: 2)
            let statements = try company.statementsOfDeleting(firm)
            #expect(
                statements.reading == [
                    Self.rows("ZUSER", of: "ZFIRM", by: "ZFIRM", "ZFIRM, m.ZNAME", "?"),
                    Self.rows("ZPOST", of: "ZUSER", by: "ZAUTHOR", "ZAUTHOR, m.ZTITLE", Self.marks(16)),
                    Self.rows("ZCOMMENT", of: "ZUSER", by: "ZAUTHOR", "ZAUTHOR, m.ZPOST, m.ZTEXT", Self.marks(16)),
                    """
                    SELECT o.Z_PK, m.Z_PK, m.Z_ENT FROM ZPOST AS o CROSS JOIN Z_3TAGS AS p ON p.Z_3POSTS = o.Z_PK \
                    CROSS JOIN ZTAG AS m ON m.Z_PK = p.Z_4TAGS WHERE o.Z_PK IN (\(Self.marks(32))) \
                    ORDER BY o.Z_PK, m.Z_PK
                    """,
                    """
                    SELECT o.Z_PK, m.Z_PK, m.Z_ENT FROM ZPOST AS o CROSS JOIN ZCOMMENT AS m ON m.ZPOST = o.Z_PK \
                    WHERE o.Z_PK IN (\(Self.marks(32))) ORDER BY o.Z_PK, m.Z_PK
                    """,
                ]
            )
            #expect(
                statements.writing == [
                    "DELETE FROM ZFIRM WHERE Z_PK = ? AND Z_OPT = ?",
                    "DELETE FROM ZUSER WHERE Z_PK IN (\(Self.marks(16))) AND Z_OPT = ?",
                    "DELETE FROM ZPOST WHERE Z_PK IN (\(Self.marks(32))) AND Z_OPT = ?",
                    "DELETE FROM Z_3TAGS WHERE Z_3POSTS IN (\(Self.marks(32)))",
                    "DELETE FROM ZCOMMENT WHERE Z_PK IN (\(Self.marks(64))) AND Z_OPT = ?",
                    "SELECT 1 FROM ZCOMMENT WHERE ZAUTHOR IN (\(Self.marks(16))) LIMIT 1",
                    "SELECT 1 FROM ZCOMMENT WHERE ZPOST IN (\(Self.marks(32))) LIMIT 1",
                    "SELECT 1 FROM ZPOST WHERE ZAUTHOR IN (\(Self.marks(16))) LIMIT 1",
                    "SELECT 1 FROM ZUSER WHERE ZFIRM IN (?) LIMIT 1",
                    "SELECT Z_PK FROM ZTAG WHERE Z_PK IN (?)",
                ]
            )
        }
    }

    @Test("the number of statements is the same for ten times as many objects", arguments: [8, 80])
    func growth(users: Int) throws {
        try Company.with { company in
            let firm = try company.firm(users: users, posts: 10, comments: 3)
            let statements = try company.statementsOfDeleting(firm)
            #expect(statements.reading.count == 5 && statements.writing.count == 10, "\(statements)")
            #expect(try company.count(["ZFIRM", "ZUSER", "ZPOST", "ZCOMMENT", "Z_3TAGS"]) == 0)
        }
    }

    @Test("rows of several versions are deleted by a statement for each version")
    func versions() throws {
        try Company.with { company in
            let firm = try company.firm(users: 20, posts: 0, comments: 0)
            try company.store.database.write { try $0.execute("UPDATE ZUSER SET Z_OPT = 1 + Z_PK % 3") }
            let statements = try company.statementsOfDeleting(firm)
            let deletion = "DELETE FROM ZUSER WHERE Z_PK IN (\(Self.marks(8))) AND Z_OPT = ?"
            #expect(statements.writing.filter { $0 == deletion }.count == 3)
            #expect(try company.count(["ZFIRM", "ZUSER"]) == 0)
        }
    }

    @Test("a row that another writer has changed meanwhile keeps the whole set from being deleted", arguments: [1, 30])
    func conflict(users: Int) throws {
        try Company.with { company in
            let firm = try company.firm(users: users, posts: 2, comments: 1)
            let before = try company.count(["ZFIRM", "ZUSER", "ZPOST", "ZCOMMENT", "Z_3TAGS"])
            let error = #expect(throws: GraphError.self) {
                try company.coordinator.withContext { context in
                    context.delete(try context.existingObject(with: firm))
                    try context.processPendingChanges()
                    try company.store.database.write { connection in
                        try connection.execute("UPDATE ZPOST SET Z_OPT = Z_OPT + 1 WHERE Z_PK = 2")
                    }
                    try context.save()
                }
            }
            #expect(error?.code == .conflict && error?.conflicts.count == 1)
            #expect(try company.count(["ZFIRM", "ZUSER", "ZPOST", "ZCOMMENT", "Z_3TAGS"]) == before)
        }
    }

    @Test("the history has each deleted row, with preserved values, in the order of their deletion")
    func history() throws {
        try Company.with(history: .on) { company in
            let firm = try company.firm(users: 20, posts: 1, comments: 1)
            try company.delete(firm)
            let changes = try company.store.database.read { connection in
                try connection.rows(
                    """
                    SELECT ZENTITY, count(*), count(ZTOMBSTONE0), min(Z_PK), max(Z_PK) FROM ACHANGE \
                    WHERE ZCHANGETYPE = 2 GROUP BY ZENTITY ORDER BY min(Z_PK)
                    """
                ) { row in (0..<5).map { row.int64($0) } }
            }
            let first = try #require(changes.first?[3])
            #expect(
                changes == [
                    [2, 1, 0, first, first],
                    [5, 20, 20, first + 1, first + 20],
                    [3, 20, 0, first + 21, first + 40],
                    [1, 20, 0, first + 41, first + 60],
                ],
                "\(changes)"
            )
        }
    }

    private static func rows(
        _ table: String,
        of owner: String,
        by key: String,
        _ columns: String,
        _ marks: String
    ) -> String {
        """
        SELECT o.Z_PK, m.Z_PK, m.Z_ENT, m.Z_OPT, m.\(columns) FROM \(owner) AS o CROSS JOIN \(table) AS m \
        ON m.\(key) = o.Z_PK WHERE o.Z_PK IN (\(marks)) ORDER BY o.Z_PK, m.Z_PK
        """
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

/// Firms of users who write posts with tags, and comments.
private struct Company {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Firm") {
                    Attribute("name", .string)
                    Relationship("users", toMany: "User", inverse: "firm", deleteRule: .cascade).optional()
                }
                Entity("User") {
                    Attribute("name", .string).preservedAfterDeletion()
                    Relationship("firm", toOne: "Firm", inverse: "users")
                    Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
                    Relationship("comments", toMany: "Comment", inverse: "author", deleteRule: .cascade).optional()
                }
                Entity("Post") {
                    Attribute("title", .string)
                    Relationship("author", toOne: "User", inverse: "posts")
                    Relationship("tags", toMany: "Tag", inverse: "posts").optional()
                    Relationship("comments", toMany: "Comment", inverse: "post", deleteRule: .cascade).optional()
                }
                Entity("Tag") {
                    Attribute("name", .string)
                    Relationship("posts", toMany: "Post", inverse: "tags").optional()
                }
                Entity("Comment") {
                    Attribute("text", .string)
                    Relationship("author", toOne: "User", inverse: "comments")
                    Relationship("post", toOne: "Post", inverse: "comments")
                }
            }
        )
    }

    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator
    private let log = Log()

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    static func with(history: HistoryMode = .off, _ body: (Company) throws -> Void) throws {
        try Checkout.withFolder { folder in
            var options = SQLiteStoreOptions.unwatched
            options.history = history
            try body(Company(path: folder + "/Company.sqlite", options))
        }
    }

    private init(path: String, _ options: SQLiteStoreOptions) throws {
        let model = try Self.model.get()
        store = try SQLiteStore(path: path, model: model, options: options)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    /// A firm with users who have posts each; all posts have the same tag, and comments by their authors.
    func firm(users: Int, posts: Int, comments: Int) throws -> ManagedObjectID {
        try coordinator.withContext { context in
            func insert(_ entity: String, _ attribute: String) throws -> ManagedObject {
                let object = try context.insert(entity)
                try object.setValue("some", forKey: attribute)
                return object
            }
            let firm = try insert("Firm", "name")
            let tag = try insert("Tag", "name")
            for _ in 0..<users {
                let user = try insert("User", "name")
                try user.setObject(firm, forKey: "firm")
                for _ in 0..<posts {
                    let post = try insert("Post", "title")
                    try post.setObject(user, forKey: "author")
                    try post.add(tag, forKey: "tags")
                    for _ in 0..<comments {
                        let comment = try insert("Comment", "text")
                        try comment.setObject(user, forKey: "author")
                        try comment.setObject(post, forKey: "post")
                    }
                }
            }
            try context.save()
            return firm.objectID
        }
    }

    func delete(_ objectID: ManagedObjectID) throws {
        try coordinator.withContext { context in
            context.delete(try context.existingObject(with: objectID))
            try context.save()
        }
    }

    /// The statements of a deletion and its save, without those that begin and end transactions, sorted as far as their
    /// order depends on that of sets.
    func statementsOfDeleting(_ objectID: ManagedObjectID) throws -> (reading: [String], writing: [String]) {
        try coordinator.withContext { context in
            context.delete(try context.existingObject(with: objectID))
            let reading = try statements { try context.processPendingChanges() }
            let writing = try statements { try context.save() }
            let (checks, deletions) = (
                writing.filter { $0.hasPrefix("SELECT") }, writing.filter { !$0.hasPrefix("SELECT") }
            )
            return (reading, deletions + checks.sorted())
        }
    }

    private func statements(_ body: () throws -> Void) throws -> [String] {
        log.lines.withLock { $0 = [] }
        store.database.tracer = { [log] event in log.lines.withLock { $0.append(event.sql) } }
        defer { store.database.tracer = nil }
        try body()
        return log.lines.withLock { lines in
            lines.filter { line in
                !["BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"].contains { line.hasPrefix($0) }
            }
        }
    }

    /// The number of rows of some tables.
    func count(_ tables: [String]) throws -> Int64 {
        try store.database.read { connection in
            try tables.reduce(0) { sum, table in
                try sum + (connection.first("SELECT count(*) FROM \(identifier: table)") { $0.int64(0) } ?? 0)
            }
        }
    }
}
