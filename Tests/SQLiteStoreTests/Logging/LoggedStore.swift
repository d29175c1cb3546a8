// SPDX-License-Identifier: Apache-2.0

// A store with a recorded log, for the tests of logging.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Synchronization
import TestSupport

/// A store of authors and their books, and a coordinator without a row cache.
struct LoggedStore: Sendable {
    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator
    private let log = Log()

    /// The lines of a log.
    final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ more: [String]) { lines.withLock { $0 += more } }

        func takeAll() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    static func with(_ body: (LoggedStore) throws -> Void) throws {
        try Checkout.withFolder { try body(LoggedStore(in: $0)) }
    }

    /// The same for asynchronous tests, such as those of several tasks.
    static func withAsync(_ body: (LoggedStore) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(LoggedStore(in: folder.path))
    }

    private init(in folder: String) throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Author") {
                    Attribute("name", .string).optional()
                    Relationship("books", toMany: "Book", inverse: "author").optional()
                    UniquenessConstraint("name")
                }
                Entity("Book") {
                    Attribute("title", .string).optional()
                    Attribute("pages", .int32).optional()
                    Relationship("author", toOne: "Author", inverse: "books").optional()
                }
            }
        )
        store = try SQLiteStore(path: folder + "/Books.sqlite", model: model, options: .unrecorded)
        coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: 0)
        try coordinator.add(store)
        // Opens a connection for reading, so that opening it is in no test's log or counts.
        _ = store.metadata
    }

    /// Inserts an author with books of the given titles.
    @discardableResult
    func insertAuthor(_ name: String, books titles: String...) throws -> ManagedObjectID {
        try coordinator.withContext { context in
            let author = try context.insert("Author")
            try author.setValue(.string(name), forKey: "name")
            for title in titles {
                let book = try context.insert("Book")
                try book.setValue(.string(title), forKey: "title")
                if let relationship = book.entity.relationship(named: "author") {
                    try book.setObject(author, of: relationship)
                }
            }
            try context.save()
            return author.objectID
        }
    }

    /// The lines logged at a level during a closure, with times and the store's identifier replaced, and with only the
    /// beginning of SQL.
    func lines(level: Int, of work: () throws -> Void) rethrows -> [String] {
        store.sqlLog = SQLLog(level: level) { [log] in log.add($0) }
        defer { store.sqlLog = .off }
        try work()
        return log.takeAll().map { line in
            line.replacing(/[0-9]+\.[0-9]{4}s/, with: "0.0000s").replacing(store.identifier.uuidString, with: "STORE")
                .replacing(/(sql: |sql text ')((INSERT INTO|[A-Z]+)( \w+)?)([^']*)/) { match in
                    match.2.hasPrefix("SELECT") ? "\(match.1)SELECT" : "\(match.1)\(match.2)"
                }
        }
    }
}
