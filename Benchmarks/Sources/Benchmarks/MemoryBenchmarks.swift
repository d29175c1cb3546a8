// SPDX-License-Identifier: Apache-2.0

// What an object takes of memory: what the allocator has handed out before and after, divided by the number of objects.

import CAllocator
import Outcrop

/// The bytes of an object in each state that it may be in.
struct Footprint {
    let name: String
    let bytes: Int

    var row: String { name + String(repeating: " ", count: max(1, 44 - name.count)) + "\(bytes) bytes" }
}

func memoryBenchmarks(count: Int) throws -> [Footprint] {
    let model = try ManagedObjectModel(
        Model {
            Entity("Post") {
                Attribute("title", .string).default("Untitled, as most of them are")
                Attribute("views", .int64).default(0)
                Attribute("published", .bool).default(false)
            }
        }
    )
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    var footprints: [Footprint] = []
    let empty = Footprint.taken
    try coordinator.withContext { context in
        for _ in 0..<count { try context.insert("Post") }
        try context.save()
    }
    footprints.append(
        Footprint(name: "a row in memory, with its ID and values", bytes: (Footprint.taken - empty) / count)
    )
    let states = try coordinator.withContext { context in
        let before = Footprint.taken
        let posts = try context.fetch(FetchRequest<ManagedObject>("Post"))
        let fetched = Footprint.taken
        for post in posts { _ = try post.value(forKey: "title") }
        let fired = Footprint.taken
        for post in posts { try post.setValue(1, forKey: "views") }
        let changed = Footprint.taken
        return [
            ("a fault", fetched), ("an object without changes", fired), ("a changed object, with its values", changed),
        ]
        .map { Footprint(name: $0, bytes: ($1 - before) / count) }
    }
    return footprints + states
}

extension Footprint {
    /// The bytes that the program has from its allocator now.
    static var taken: Int { Int(allocated_bytes()) }
}
