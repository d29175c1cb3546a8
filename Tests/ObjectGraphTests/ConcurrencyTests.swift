// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Contexts on many threads")
struct ConcurrencyTests {
    @Test("no update is lost between contexts that save the same row, and a live context shows the last value")
    func counting() async throws {
        let world = try World()
        let id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        let live = world.coordinator.liveContext()
        let (tasks, rounds) = (8, 40)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    for _ in 0..<rounds { try Self.increment(id, in: world) }
                }
            }
            group.addTask {
                for _ in 0..<rounds {
                    try await live.perform { context in
                        _ = try context.existingObject(with: id).value(forKey: "views")
                    }
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        let seen = try await live.perform { try $0.existingObject(with: id).value(forKey: "views") }
        #expect(seen == .integer(Int64(tasks * rounds)))
    }

    private static func increment(_ id: ManagedObjectID, in world: World) throws {
        while true {
            do {
                return try world.run { context in
                    let post = try context.existingObject(with: id)
                    guard case .integer(let views) = try post.value(forKey: "views") else { return }
                    try post.setValue(.integer(views + 1), forKey: "views")
                    try context.save()
                }
            } catch let error as GraphError where error.code == .conflict {
                continue
            }
        }
    }
}
