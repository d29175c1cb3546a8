// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Confinement")
struct ConfinementTests {
    /// Carries an object past the compiler.
    private final class Smuggler: @unchecked Sendable {
        var object: ManagedObject?
    }

    @Test("an object that is used after its context ended traps with a sentence")
    func afterTheEnd() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggler = Smuggler()
            try World().run { smuggler.object = try $0.insert("Tag") }
            _ = try smuggler.object?.value(forKey: "name")
        }
        #expect(
            try Self.text(of: result).contains(
                "An object was used after its managed object context had come to its end."
            )
        )
    }

    @Test("an object that is used between two closures of its context traps with a sentence")
    func betweenClosures() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggler = Smuggler()
            let live = try World().coordinator.liveContext()
            try await live.perform { smuggler.object = try $0.insert("Tag") }
            _ = try smuggler.object?.value(forKey: "name")
        }
        #expect(try Self.text(of: result).contains("was used outside the closure that it belongs to."))
    }

    @Test("an object of another context is no partner and can't be deleted here")
    func otherContext() async throws {
        let world = try World()
        let error = #expect(throws: GraphError.self) {
            let smuggler = Smuggler()
            try world.run { context in
                smuggler.object = try context.insert("Post")
                try world.run { other in try smuggler.object?.relate("author", try other.insert("User")) }
            }
        }
        #expect(error?.code == .otherContext)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = try World()
            let smuggler = Smuggler()
            try world.run { context in
                let post = try context.insert("Post")
                smuggler.object = post
                try world.run { other in smuggler.object.map(other.delete) }
            }
        }
        #expect(try Self.text(of: result).contains("An object can be deleted in its own context only."))
    }

    private static func text(of result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }
}
