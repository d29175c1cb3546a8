// SPDX-License-Identifier: Apache-2.0

// What objects cost, over a store in memory: made, saved, faulted, fired, changed, undone, deleted. Each at two sizes, whose
// times an object must be about the same, or something is quadratic.

import Outcrop

func graphBenchmarks(rounds: Int) throws -> [Measurement] {
    let sizes = rounds > 1 ? [10_000, 100_000] : [1_000, 10_000]
    return try sizes.flatMap { try graphBenchmarks(count: $0, rounds: max(1, rounds / 8)) }
}

private func graphBenchmarks(count: Int, rounds: Int) throws -> [Measurement] {
    let model = try ManagedObjectModel(blog)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    var times: [String: [Duration]] = [:]
    var names: [String] = []
    for _ in 0..<rounds {
        for (name, time) in try measureRound(coordinator, count: count) {
            if times[name] == nil { names.append(name) }
            times[name, default: []].append(time)
        }
    }
    return names.map { Measurement("\($0), each of \(count)", times: times[$0] ?? [], count: count) }
}

private func measureRound(
    _ coordinator: PersistentStoreCoordinator,
    count: Int
) throws -> [(String, Duration)] {
    let clock = ContinuousClock()
    let made = try coordinator.withContext { context in
        var times: [(String, Duration)] = []
        let user = try context.insert("User")
        let posts = user.entity.relationship(named: "posts")!
        times.append(
            (
                "insert and relate",
                try clock.measure {
                    for _ in 0..<count { try user.add(try context.insert("Post"), to: posts) }
                }
            )
        )
        times.append(("save new", try clock.measure { try context.save() }))
        return times
    }
    let used = try coordinator.withContext { context in
        var times: [(String, Duration)] = []
        var found: [ManagedObject] = []
        times.append(("fetch", try clock.measure { found = try context.fetch(FetchRequest<ManagedObject>("Post")) }))
        let title = found[0].entity.attribute(named: "title")!
        times.append(("fire", try clock.measure { for post in found { _ = try post.value(of: title) } }))
        context.undoManager = ObjectUndoManager()
        times.append(
            (
                "change",
                try clock.measure {
                    for post in found { try post.setValue("Changed", of: title) }
                    try context.processPendingChanges()
                }
            )
        )
        times.append(("save changed", try clock.measure { try context.save() }))
        times.append(("undo", try clock.measure { try context.undo() }))
        context.undoManager = nil
        let users = try context.fetch(FetchRequest<ManagedObject>("User"))
        times.append(
            (
                "delete by cascade",
                try clock.measure {
                    users.forEach(context.delete)
                    try context.save()
                }
            )
        )
        return times
    }
    return try made + used + measureOrder(coordinator, count: count) + measureBatches(coordinator, count: count)
        + measureMerging(coordinator, count: count)
}

/// Members whose order counts: put before all others, taken away one by one, and brought back.
private func measureOrder(
    _ coordinator: PersistentStoreCoordinator,
    count: Int
) throws -> [(String, Duration)] {
    let clock = ContinuousClock()
    return try coordinator.withContext { context in
        var times: [(String, Duration)] = []
        let user = try context.insert("User")
        let favorites = user.entity.relationship(named: "favorites")!
        let posts = try (0..<count).map { _ in try context.insert("Post") }
        try context.processPendingChanges()
        context.undoManager = ObjectUndoManager()
        times.append(
            ("add at the front", try clock.measure { for post in posts { try user.add(post, to: favorites, at: 0) } })
        )
        try context.processPendingChanges()
        times.append(
            (
                "remove from an order, and undo",
                try clock.measure {
                    for post in posts { try user.remove(post, from: favorites) }
                    try context.processPendingChanges()
                    try context.undo()
                }
            )
        )
        return times
    }
}

/// What goes straight to the store. It leaves nothing there.
private func measureBatches(
    _ coordinator: PersistentStoreCoordinator,
    count: Int
) throws -> [(String, Duration)] {
    let clock = ContinuousClock()
    var left = count
    let insertion = BatchInsertRequest("Post") {
        left -= 1
        return left < 0 ? nil : ["title": "Inserted", "views": .integer(Int64(left))]
    }
    var update = BatchUpdateRequest("Post")
    update.propertiesToUpdate["views"] = try ObjectExpression("views + 1")
    let all = FetchRequest<ManagedObject>("Post")
    return [
        ("batch insert", try clock.measure { try coordinator.execute(insertion) }),
        ("batch update", try clock.measure { try coordinator.execute(update) }),
        ("batch delete", try clock.measure { try coordinator.execute(BatchDeleteRequest(all)) }),
    ]
}

/// What a context does with what others save, and a controller with it. It leaves nothing in the store.
private func measureMerging(
    _ coordinator: PersistentStoreCoordinator,
    count: Int
) throws -> [(String, Duration)] {
    let clock = ContinuousClock()
    let rows = (0..<count).map { ["views": Value.integer(Int64($0))] }
    try coordinator.execute(BatchInsertRequest("Post", rows: rows))
    defer { _ = try? coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Post"))) }
    return try coordinator.withContext { context in
        var times: [(String, Duration)] = []
        var request = FetchRequest<ManagedObject>("Post")
        request.sortDescriptors = [ObjectSortDescriptor("views")]
        request.returnsObjectsAsFaults = false
        let posts = try context.fetch(request)
        var update = BatchUpdateRequest("Post")
        update.propertiesToUpdate["title"] = .constant("Merged")
        // The context's own batch is merged by it as those of others are.
        times.append(("batch update and merge", try clock.measure { try context.execute(update) }))
        let controller = try FetchedResultsController(request: request, context: context)
        try controller.performFetch()
        for (place, post) in posts.enumerated() where place.isMultiple(of: 10) {
            try post.setValue(.integer(-Int64(place)), forKey: "views")
        }
        times.append(("controller, a tenth moved", try clock.measure { try context.processPendingChanges() }))
        controller.stop()
        return times
    }
}

private let blog = Model {
    Entity("User") {
        Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
        Relationship("favorites", toMany: "Post", inverse: "fans").optional().ordered()
    }
    Entity("Post") {
        Attribute("title", .string).default("Untitled")
        Attribute("views", .int64).default(0)
        Relationship("author", toOne: "User", inverse: "posts").optional()
        Relationship("fans", toMany: "User", inverse: "favorites").optional()
    }
}
