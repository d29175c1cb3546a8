// SPDX-License-Identifier: Apache-2.0

// Deliveries of hooks: in order, at least once, given up, and continued.

import AtomicStores
import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Deliveries of hooks")
struct HookDeliveryTests {
    @Test("each save after the hook's start is delivered once, in order")
    func order() throws {
        try HookWorld.each { world in
            try world.start(HookWorld.hook())
            let tags = try (0..<20).map { try world.tag("tag \($0)") }
            _ = try world.send(.delete, "/api/\(tags[3])")
            try world.expect(deliveries: tags.map { ["inserted \($0)"] } + [["deleted \(tags[3])"]])
            let first = try #require(world.receiver.deliveries.first)
            #expect(first.body["hook"] == "search")
            #expect(first.body["delivery"]?.string == first.id)
            #expect(first.fields["Outcrop-Hook"] == "search")
            #expect(first.body.object?.names == ["hook", "delivery", "token", "time", "author", "context", "changes"])
            #expect(Set(world.receiver.deliveries.map(\.id)).count == 21)
        }
    }

    @Test("a failing delivery is repeated with the same ID, and later ones wait for it")
    func repeats() throws {
        try HookWorld.each { world in
            let attempts = Mutex(0)
            world.receiver.answer { _ in
                attempts.withLock { count in
                    count += 1
                    return count < 3 ? .status(503) : count == 3 ? .failed("no answer") : .status(200)
                }
            }
            try world.start(HookWorld.hook())
            let tags = [try world.tag("a"), try world.tag("b")]
            try world.expect(deliveries: [0, 0, 0, 0, 1].map { ["inserted \(tags[$0])"] })
            #expect(Set(world.receiver.deliveries.prefix(4).map(\.id)).count == 1)
        }
    }

    @Test("what was delivered before a crash is delivered again with the same ID, and nothing after an orderly end")
    func restarts() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook()
            try world.start(hook)
            let first = try world.tag("a")
            try world.expect(deliveries: [["inserted \(first)"]])
            try world.crash()
            let second = try world.tag("b")
            try world.start(hook)
            try world.expect(deliveries: [["inserted \(first)"], ["inserted \(first)"], ["inserted \(second)"]])
            #expect(world.receiver.deliveries[0].id == world.receiver.deliveries[1].id)
            #expect(world.receiver.deliveries[0].body == world.receiver.deliveries[1].body)
            try world.restart()
            let third = try world.tag("c")
            try world.start(hook)
            try world.expect({ world.receiver.deliveries.count >= 4 }, "nothing follows")
            #expect(world.receiver.deliveries.last?.changes == ["inserted \(third)"])
            #expect(world.receiver.deliveries.count == 4)
        }
    }

    @Test("entities, kinds and a predicate select changes, and deletions are selected by any predicate")
    func selects() throws {
        try HookWorld.each { world in
            try world.start(
                HookWorld.hook("tags") { $0.entities = ["tags"] },
                HookWorld.hook("updates") { hook in
                    hook.entities = ["Post"]
                    hook.kinds = [.update]
                },
                HookWorld.hook("viewed") { hook in
                    hook.entities = ["posts"]
                    hook.predicate = "views > 10 AND _id != nil"
                }
            )
            let tag = try world.tag("z")
            let post = try #require(try world.send(.post, "/api/posts", #"{"title":"a","views":1}"#)["_id"]?.string)
            _ = try world.send(.patch, "/api/\(post)", #"{"views":11}"#)
            _ = try world.send(.patch, "/api/\(post)", #"{"title":"b"}"#)
            _ = try world.send(.delete, "/api/\(post)")
            func changes(of hook: String) -> [String] {
                world.receiver.deliveries.filter { $0.body["hook"]?.string == hook }.flatMap(\.changes)
            }
            try world.expect({ changes(of: "viewed").contains("deleted \(post)") }, "no deletion")
            try world.expect({ changes(of: "updates").count == 2 }, "no updates")
            #expect(changes(of: "tags") == ["inserted \(tag)"])
            #expect(changes(of: "updates") == ["updated \(post)", "updated \(post)"])
            // Earlier changes are selected by what the object is when they are delivered.
            #expect(changes(of: "viewed").suffix(3).contains("updated \(post)"))
        }
    }

    @Test("an object that doesn't match when its change is delivered isn't delivered")
    func rejects() throws {
        try HookWorld.each { world in
            try world.start(
                HookWorld.hook { hook in
                    hook.entities = ["posts", "tags"]
                    hook.predicate = "_id != nil AND _entity == 'Post'"
                }
            )
            try world.tag("z")
            let post = try #require(try world.send(.post, "/api/posts", #"{"title":"a"}"#)["_id"]?.string)
            try world.expect(deliveries: [["inserted \(post)"]])
        }
    }

    @Test("a large transaction is delivered in parts with IDs of their own")
    func parts() throws {
        try HookWorld.each { world in
            try world.start(HookWorld.hook())
            let rows = (0..<2_500).map { "{\"name\":\"row \($0)\"}" }.joined(separator: ",")
            #expect(try world.send(.post, "/api/tags/batch-insert", "[\(rows)]").status == 200)
            try world.expect({ world.receiver.deliveries.flatMap(\.changes).count >= 2_500 }, "incomplete")
            #expect(world.receiver.deliveries.map(\.changes.count) == [1_000, 1_000, 500])
            #expect(world.receiver.deliveries.map { $0.body["more"] } == [true, true, nil])
            #expect(Set(world.receiver.deliveries.map(\.id)).count == 3)
            #expect(Set(world.receiver.deliveries.flatMap(\.changes)).count == 2_500)
        }
    }

    @Test("410 disables a hook, also after a restart, until it is resumed")
    func gone() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook()
            world.receiver.answer(with: 410)
            try world.start(hook)
            let tag = try world.tag("a")
            try world.expect({ try world.send(.get, "/api/hooks/search")["state"] == "disabled" }, "it goes on")
            try world.restart()
            world.receiver.answer(with: 204)
            try world.start(hook)
            let state = try world.send(.get, "/api/hooks/search")
            #expect(state["state"] == "disabled")
            #expect(state["pending"] == 1)
            #expect(world.receiver.deliveries.count == 1)
            #expect(try world.send(.post, "/api/hooks/search/resume")["state"] == "active")
            try world.expect(deliveries: [["inserted \(tag)"], ["inserted \(tag)"]])
        }
    }

    @Test("a paused hook delivers nothing, and goes on where it was")
    func pauses() throws {
        try HookWorld.each { world in
            try world.start(HookWorld.hook())
            #expect(try world.send(.post, "/api/hooks/search/pause")["state"] == "paused")
            let tags = [try world.tag("a"), try world.tag("b")]
            let paused = try world.send(.get, "/api/hooks")["items"]?[0]
            #expect(paused?["state"] == "paused")
            #expect(paused?["pending"] == 2)
            #expect(world.receiver.deliveries.isEmpty)
            try world.send(.post, "/api/hooks/search/resume")
            try world.expect(deliveries: tags.map { ["inserted \($0)"] })
            try world.expect({ try world.send(.get, "/api/hooks/search")["pending"] == 0 }, "it is behind")
            let state = try world.send(.get, "/api/hooks/search")
            #expect(state["lastSuccess"]?["status"] == 204)
            #expect(state["lastFailure"] == .null)
        }
    }

    @Test("what is pending is counted by transactions, by the hook's rule, and says if there are more")
    func pending() throws {
        try HookWorld.each { world in
            try world.start(HookWorld.hook { $0.entities = ["tags"] })
            try world.send(.post, "/api/hooks/search/pause")
            _ = try world.send(.post, "/api/posts", #"{"title":"a"}"#)
            func insert(_ batch: Int) throws {
                let rows = (0..<2_500).map { "{\"name\":\"row \(batch) \($0)\"}" }.joined(separator: ",")
                #expect(try world.send(.post, "/api/tags/batch-insert", "[\(rows)]").status == 200)
            }
            for batch in 0..<2 { try insert(batch) }
            var state = try world.send(.get, "/api/hooks/search")
            #expect(state["pending"] == 2 && state["morePending"] == false && state["pendingSince"] != .null)
            for batch in 2..<5 { try insert(batch) }
            state = try world.send(.get, "/api/hooks/search")
            #expect(state["pending"] == 4 && state["morePending"] == true)
        }
    }

    @Test("history that was trimmed before it was delivered is skipped, counted and logged")
    func losses() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook()
            try world.start(hook)
            #expect(try world.send(.post, "/api/hooks/search/pause").status == 200)
            let tags = try (0..<4).map { try world.tag("\($0)") }
            let all = try #require(try world.send(.get, "/api/history?limit=1000")["transactions"]?.array)
            // As the limits of consumers do.
            try world.coordinator.removeHistoryConsumer(hook.consumer)
            let before = try #require(all[all.count - 3]["token"]?.string)
            #expect(try world.send(.delete, "/api/history?before=\(before)").status == 200)
            try world.send(.post, "/api/hooks/search/resume")
            try world.expect(deliveries: tags.suffix(2).map { ["inserted \($0)"] })
            let state = try world.send(.get, "/api/hooks/search")
            #expect(state["losses"] == 1)
            #expect(state["lastLoss"] != .null)
            #expect(world.events.contains { $0.level == .error && $0.message.contains("lost") })
            // The position holds trimming back again.
            #expect(try world.send(.get, "/api/history/consumers/hook:search").status == 200)
        }
    }

    @Test("hooks are added, changed and removed while others go on")
    func replaces() throws {
        try HookWorld.each { world in
            let kept = try HookWorld.hook("kept") { $0.entities = ["tags"] }
            let former = try HookWorld.hook("changed")
            try world.start(kept, former, HookWorld.hook("removed"))
            let first = try world.tag("a")
            try world.expect({ world.receiver.deliveries.count == 3 }, "not all")
            var changed = former
            changed.kinds = [.delete]
            try world.start(kept, changed, HookWorld.hook("new"))
            _ = try world.send(.delete, "/api/\(first)")
            try world.expect({ world.receiver.deliveries.count == 6 }, "not all again")
            let hooks = world.receiver.deliveries.suffix(3).compactMap { $0.body["hook"]?.string }.sorted()
            #expect(hooks == ["changed", "kept", "new"])
            #expect(try Hooks.leftConsumers(besides: [kept, changed], in: world.api) == ["hook:new", "hook:removed"])
            #expect(try world.send(.get, "/api/hooks/removed").status == 404)
        }
    }

    @Test("a hook doesn't hold up saves or other hooks, and a slow end is bounded")
    func slowReceiver() throws {
        try HookWorld.each { world in
            let gate = Mutex(true)
            world.receiver.answer { delivery in
                while delivery.body["hook"] == "slow", gate.withLock(\.self) { usleep(2_000) }
                return .status(200)
            }
            try world.start(HookWorld.hook("slow"), HookWorld.hook("quick"))
            let tags = [try world.tag("a"), try world.tag("b")]
            try world.expect(
                { world.receiver.deliveries.filter { $0.body["hook"] == "quick" }.count == tags.count },
                "the other hook waits"
            )
            let start = ContinuousClock.now
            world.hooks.end(within: .milliseconds(50))
            #expect(ContinuousClock.now - start < .seconds(5))
            gate.withLock { $0 = false }
        }
    }

    @Test("what doesn't fit the model is found with the place in the hook")
    func rules() throws {
        try HookWorld.each { world in
            func problem(_ change: (inout Hook) -> Void) throws -> HookProblem {
                try #require(Hooks.problems(of: [HookWorld.hook("x", change)], in: world.api).first).problem
            }
            let entity = try problem { $0.entities = ["Pots"] }
            #expect(entity.member == "entities" && entity.hint?.contains("Post") == true)
            let predicate = try problem { hook in
                hook.entities = ["Post"]
                hook.predicate = "veiws > 3"
            }
            #expect(predicate.member == "predicate" && predicate.hint?.contains("views") == true)
            let general = try problem { $0.predicate = "views > 3" }
            #expect(general.member == "predicate")
            #expect(try Hooks.problems(of: [HookWorld.hook { $0.predicate = "_id != nil" }], in: world.api).isEmpty)
        }
    }

    @Test("requests for hooks that there aren't are refused with the most similar name")
    func unknown() throws {
        try HookWorld.each { world in
            #expect(try world.send(.get, "/api/hooks").json == ["items": []])
            try world.start(HookWorld.hook())
            let answer = try world.send(.get, "/api/hooks/serch")
            #expect(answer.status == 404)
            #expect(answer["hint"]?.string?.contains("search") == true)
            for action in ["retry", "pause", "resume"] {
                #expect(try world.send(.post, "/api/hooks/x/\(action)").status == 404)
                #expect(try world.send(.post, "/api/hooks/search/\(action)", #"{"x":1}"#).status == 422)
            }
            #expect(try world.send(.delete, "/api/hooks/x/dead-letters").status == 404)
            #expect(try world.send(.delete, "/api/hooks/search").status == 405)
        }
    }
}
