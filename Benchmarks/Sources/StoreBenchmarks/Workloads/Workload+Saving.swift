// SPDX-License-Identifier: Apache-2.0

// Saves of one object each, by many threads.

import FoundationEssentials
import Outcrop

extension Workload {
    /// One post for each save.
    func insertPosts() throws {
        let (operations, users, first) = try (option("operations"), option("users"), option("posts") + 1)
        let content = Self.content(try option("content"))
        let authors = try (0...users).map { try id("User", $0) }
        try measure(operations) { [coordinator] n in
            try coordinator.withContext { context in
                let post = try context.insert("Post")
                try post.fill(first + n, content)
                try post.setObject(
                    context.object(with: authors[spread(n, users)]),
                    of: post.entity.relationship(named: "author")!
                )
                try context.save()
            }
        }
    }

    /// Another title for each save.
    func updatePosts() throws {
        let (operations, posts) = try (option("operations"), option("posts"))
        let ids = try (0..<operations).map { try id("Post", spread($0, posts)) }
        try measure(operations) { [coordinator] n in
            try coordinator.withContext { context in
                let post = context.object(with: ids[n])
                try post.setValue(.string("Post \(n), with another title"), forKey: "title")
                try context.save()
            }
        }
    }

    /// One more post for a user, who has a million of them or none.
    func addMember() throws {
        let (operations, owner, first) = try (option("operations"), option("owner"), option("posts") + 1)
        let content = Self.content(try option("content"))
        let author = try id("User", owner)
        try measure(operations) { [coordinator] n in
            try coordinator.withContext { context in
                let user = try context.existingObject(with: author)
                let post = try context.insert("Post")
                try post.fill(first + n, content)
                try user.add(post, to: user.entity.relationship(named: "posts")!)
                try context.save()
            }
        }
    }

    private func measure(_ operations: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let threads = try option("threads")
        let watch = Stopwatch()
        let times = try onThreads(threads) { thread in
            try stride(from: thread, to: operations, by: threads).map { n in try timing { try body(n) } }
        }
        watch.stop(operations: operations, times: times)
    }
}

extension ManagedObject {
    /// Gives a post its values, which are told by its number.
    fileprivate func fill(_ number: Int, _ content: String) throws {
        try setValue(.string("Post \(number), and what it is about"), forKey: "title")
        try setValue(.string(content), forKey: "content")
        try setValue(.date(Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(number))), forKey: "createdAt")
        try setValue(.date(Date(timeIntervalSinceReferenceDate: 700_003_600 + Double(number))), forKey: "updatedAt")
        try setValue(.integer(Int64(number * 31 % 1000)), forKey: "views")
        try setValue(.bool(number % 10 != 0), forKey: "published")
    }
}
