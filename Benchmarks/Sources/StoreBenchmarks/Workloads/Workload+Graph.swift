// SPDX-License-Identifier: Apache-2.0

// The engine alone: many objects fetched, fired, changed and saved in one context.

import CAllocator
import Outcrop

extension Workload {
    func fireAndChange() throws {
        let posts = try option("posts")
        let values = try option("content") + "Post 100000, and what it is about".utf8.count + 5 * MemoryLayout<Int>.size
        // SQLite has read the table, so that its own cache doesn't grow with the objects.
        let all = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("content ENDSWITH %@", "?"))
        guard try coordinator.withContext({ try $0.count(all) }) == 0 else { throw BenchError("Another world.") }
        let empty = allocated_bytes()
        let watch = Stopwatch()
        let bytes = try coordinator.withContext { context in
            let posts = try context.fetch(FetchRequest<ManagedObject>("Post"))
            guard let entity = posts.first?.entity, let views = entity.attribute(named: "views") else { return 0 }
            for post in posts { for attribute in entity.attributes { _ = try post.value(of: attribute) } }
            let bytes = Int(allocated_bytes() - empty) / posts.count
            for (number, post) in posts.enumerated() { try post.setValue(.integer(Int64(5000 + number)), of: views) }
            try context.save()
            return bytes
        }
        watch.stop(operations: posts, bytes: bytes - values)
    }
}
