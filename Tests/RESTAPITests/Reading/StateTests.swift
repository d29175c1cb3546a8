// SPDX-License-Identifier: Apache-2.0

// Responses that need several calls of the stores.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Consistency of responses")
struct StateTests {
    @Test(
        "a list shows one state, although changes are saved between its calls",
        arguments: [
            "posts?count=true", "posts?count=true&include=author.posts", "posts?result=ids&sort=title&count=true",
        ]
    )
    func oneState(query: String) throws {
        try APIWorld.each { world throws in
            let plan = try world.plan(query)
            let reply = try world.api.execute(plan, under: world.savingBetween)
            guard case .list(let list) = reply.content else {
                Issue.record("no list")
                return
            }
            let count =
                switch list.items {
                case .objects(let objects): objects.count
                case .rows(let rows): rows.rows.count
                case .references(let references): references.count
                }
            #expect(list.total == count)
            guard case .objects(let objects) = list.items else { return }
            for object in objects {
                for case .one(let author?) in object.related {
                    guard case .many(let posts)? = author.related.first else { continue }
                    #expect(posts.allSatisfy { post in objects.contains { $0.row.objectID == post.row.objectID } })
                }
            }
        }
    }

    @Test("an object and its embedded objects show one state")
    func oneObject() throws {
        try APIWorld.each { world throws in
            let faults = try world.post("Faults")
            let reply = try world.api.execute(
                world.plan("\(faults)?include=comments"),
                under: world.savingBetween
            )
            guard case .object(let object) = reply.content, case .many(let comments)? = object.related.first else {
                Issue.record("no object")
                return
            }
            let attribute = try #require(object.row.objectID.entity.attribute(named: "commentCount"))
            #expect(object.row.row.attributes[attribute.slot] == .integer(Int64(comments.count)))
        }
    }
}

extension APIWorld {
    fileprivate func plan(_ path: String) throws -> Plan {
        try api.plan(api.parsed(HTTPRequest(.get, "/api/\(path)")))
    }

    /// Limits that save another post and a comment before each call of a store except the first.
    fileprivate var savingBetween: WorkLimits {
        let isReady = Mutex(Bool?.none)
        return WorkLimits(isCancelled: { [coordinator] in
            let isDue = isReady.withLock { isReady in
                // These saves check the limits, too.
                defer { isReady = isReady == nil }
                return isReady == true
            }
            guard isDue else { return false }
            #expect(throws: Never.self) { try Self.save(in: coordinator) }
            isReady.withLock { $0 = true }
            return false
        })
    }

    private static func save(in coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            func first(_ entity: String, _ predicate: String) throws -> ManagedObject {
                let request = FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate(predicate))
                return try #require(context.fetch(request).first)
            }
            let post = try context.insert("Post")
            try post.setObject(first("User", "name == 'Anna'"), forKey: "author")
            let comment = try context.insert("Comment")
            try comment.setValue("More.", forKey: "text")
            try comment.setObject(first("Post", "title == 'Faults'"), forKey: "post")
            try context.save()
        }
    }
}
