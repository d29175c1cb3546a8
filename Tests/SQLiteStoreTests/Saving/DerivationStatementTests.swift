// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("The SQL of derived values")
struct DerivationStatementTests {
    private static let model = Model {
        Entity("Author") {
            Attribute("views", .int64).optional().derived("posts.views.@sum")
            Relationship("posts", toMany: "Post", inverse: "author")
        }
        Entity("Post") {
            Attribute("views", .int32).default(0)
            Relationship("author", toOne: "Author", inverse: "posts").optional()
        }
    }

    @Test("each changed object costs three statements: an update, a sum, and the update of the sum")
    func reading() throws {
        #expect(try statements(posts: 40) - statements(posts: 20) == 3 * 20)
    }

    /// The number of statements that saving so many posts of as many authors takes.
    private func statements(posts count: Int) throws -> Int {
        try Checkout.withFolder { folder in
            let model = try ManagedObjectModel(Self.model)
            let store = try SQLiteStore(path: folder + "/Store.sqlite", model: model, options: .unrecorded)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            return try coordinator.withContext { context in
                let posts = try (0..<count).map { _ in
                    let post = try context.insert("Post")
                    let author = try context.insert("Author")
                    try post.setObject(author, of: #require(post.entity.relationship(named: "author")))
                    return post
                }
                try context.save()
                let before = store.statistics.statements
                for post in posts { try post.setValue(7, forKey: "views") }
                try context.save()
                return store.statistics.statements - before
            }
        }
    }
}
