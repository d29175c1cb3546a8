// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The SQL of members")
struct MemberStatementTests {
    @Test(
        "the number of statements to add a member doesn't depend on the number of members",
        arguments: Crowd.relationships
    )
    func adding(relationship name: String) throws {
        let few = try Crowd.with(0) { try add(to: name, $0, now: 1) }
        let many = try Crowd.with(2_000) { try add(to: name, $0, now: 2_001) }
        #expect(few.sorted() == many.sorted())
        expectNoMembers(many)
    }

    @Test(
        "the number of statements to remove a member doesn't depend on the number of members",
        arguments: Crowd.relationships
    )
    func removing(relationship name: String) throws {
        let few = try Crowd.with(1) { try remove(from: name, $0, now: 0) }
        let many = try Crowd.with(2_000) { try remove(from: name, $0, now: 1_999) }
        #expect(few.sorted() == many.sorted())
        expectNoMembers(many)
    }

    @Test(
        "the number of statements to delete a member doesn't depend on the number of members",
        arguments: Crowd.relationships
    )
    func deleting(relationship name: String) throws {
        let few = try Crowd.with(1) { try remove(from: name, $0, now: 0, byDeleting: true) }
        let many = try Crowd.with(2_000) { try remove(from: name, $0, now: 1_999, byDeleting: true) }
        #expect(few.sorted() == many.sorted())
        expectNoMembers(many)
    }

    private func expectNoMembers(_ statements: [String]) {
        let reading = statements.filter { $0.contains("m.ZLABEL") }
        #expect(reading.isEmpty, "the members' rows are read")
    }

    private static let counts = ["plain": "things", "inOrder": "places", "shared": "marks"]

    private func add(to name: String, _ crowd: Crowd, now count: Int) throws -> [String] {
        let statements = try crowd.statements {
            try crowd.coordinator.withContext { context in
                let owner = try context.existingObject(with: crowd.owner)
                let relationship = try #require(owner.entity.relationship(named: name))
                let member = try context.insert(crowd.coordinator.model.destination(of: relationship))
                if name == "plain" { try member.setValue(3, forKey: "weight") }
                try owner.add(member, to: relationship)
                try context.save()
            }
        }
        if let counter = Self.counts[name] { #expect(try crowd.value(counter) == .integer(Int64(count))) }
        if name == "plain" { #expect(try crowd.value("load") == .integer(Int64(2 * count + 1))) }
        return statements
    }

    private func remove(
        from name: String,
        _ crowd: Crowd,
        now count: Int,
        byDeleting isDeletion: Bool = false
    ) throws -> [String] {
        let statements = try crowd.statements {
            try crowd.coordinator.withContext { context in
                let owner = try context.existingObject(with: crowd.owner)
                let relationship = try #require(owner.entity.relationship(named: name))
                let request = FetchRequest<ManagedObject>(
                    crowd.coordinator.model.destination(of: relationship).name,
                    predicate: try ObjectPredicate("label == 't0' OR label == 'm0'")
                )
                let member = try #require(try context.fetch(request).first)
                if isDeletion { context.delete(member) } else { try owner.remove(member, from: relationship) }
                try context.save()
            }
        }
        if let counter = Self.counts[name] { #expect(try crowd.value(counter) == .integer(Int64(count))) }
        return statements
    }

    @Test(
        "a page needs one statement, and one more for each prefetched key path",
        arguments: [
            ([], 1), (["author"], 2), (["author", "comments"], 3), (["author", "comments", "tags"], 4),
            (["comments"], 2), (["tags"], 2), (["author", "tags"], 3), (["tags", "comments"], 3),
        ]
    )
    func prefetching(paths: [String], most: Int) throws {
        try page(paths, most)
    }

    @Test("a nested key path needs one statement for each step, however many objects are on the way")
    func nestedPrefetching() throws {
        try page(["comments.post"], 3)
        try page(["tags.posts"], 3)
        try page(["author.posts"], 3)
        try page(["author.posts.tags"], 4)
    }

    private func page(_ paths: [String], _ most: Int) throws {
        try Blog.withStore { blog in
            let coordinator = PersistentStoreCoordinator(model: blog.model)
            try coordinator.add(blog.store)
            try coordinator.withContext { context in
                let tags = try (0..<3).map { number in
                    let tag = try context.insert("Tag")
                    try tag.setValue(.string("t\(number)"), forKey: "name")
                    return tag
                }
                for number in 0..<50 {
                    let (post, author) = (try context.insert("Post"), try context.insert("Person"))
                    try post.setValue(.string("p\(number)"), forKey: "title")
                    try post.setObject(author, of: #require(post.entity.relationship(named: "author")))
                    for tag in tags { try post.add(tag, to: #require(post.entity.relationship(named: "tags"))) }
                    for _ in 0..<2 {
                        try post.add(
                            context.insert("Comment"),
                            to: #require(post.entity.relationship(named: "comments"))
                        )
                    }
                }
                try context.save()
            }
            let reading = PersistentStoreCoordinator(model: blog.model)
            try reading.add(blog.store)
            let lines = StatementLines()
            try reading.withContext { context in
                var request = FetchRequest<ManagedObject>("Post")
                request.sortDescriptors = [ObjectSortDescriptor("title")]
                request.fetchLimit = 20
                request.relationshipKeyPathsForPrefetching = paths
                blog.store.database.tracer = { lines.add($0.sql) }
                defer { blog.store.database.tracer = nil }
                let posts = try context.fetch(request)
                #expect(posts.count == 20)
                for post in posts { _ = try post.value(forKey: "title") }
            }
            let statements = lines.all.filter { $0.hasPrefix("SELECT") }
            #expect(statements.count <= most, "\(paths): \(statements)")
        }
    }
}
