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
        context.undoManager = UndoManager()
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
    return made + used
}

private let blog = Model {
    Entity("User") {
        Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
    }
    Entity("Post") {
        Attribute("title", .string).default("Untitled")
        Attribute("views", .int64).default(0)
        Relationship("author", toOne: "User", inverse: "posts").optional()
    }
}
