// SPDX-License-Identifier: Apache-2.0

// Hooks that are changed, removed and ended while they deliver.

import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Changes of hooks")
struct HookChangeTests {
    /// 1. and 2.
    @Test("a hook that is changed, or removed and added, during an attempt makes no second one and holds up nothing")
    func changesDuringAttempt() throws {
        try HookWorld.each { world in
            let isHeld = Mutex(true)
            defer { isHeld.withLock { $0 = false } }
            world.receiver.answer { _ in
                while isHeld.withLock(\.self) { usleep(2_000) }
                return .status(200)
            }
            let hook = try HookWorld.hook { $0.kinds = [.insert] }
            try world.start(hook)
            let tags = [try world.tag("a"), try world.tag("b")]
            try world.expect({ world.receiver.deliveries.count == 1 }, "no attempt")
            var changed = hook
            changed.kinds = [.insert, .update]
            let start = ContinuousClock.now
            try world.start(changed)
            #expect(try world.send(.get, "/api/hooks/search")["kinds"] == ["inserted", "updated"])
            try world.start()
            #expect(try world.send(.get, "/api/hooks/search").status == 404)
            try world.start(changed)
            world.hooks.suspend()
            world.hooks.attach(world.api)
            #expect(ContinuousClock.now - start < .seconds(10))
            usleep(100_000)
            #expect(world.receiver.deliveries.count == 1)
            isHeld.withLock { $0 = false }
            try world.expect(deliveries: tags.map { ["inserted \($0)"] })
            try world.send(.patch, "/api/\(tags[0])", #"{"name":"c"}"#)
            try world.expect(deliveries: tags.map { ["inserted \($0)"] } + [["updated \(tags[0])"]])
        }
    }

    @Test("a removed hook that comes back goes on where it was, or at the end if its consumer was removed")
    func returns() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook()
            try world.start(hook)
            var made = [try world.tag("a")]
            try world.expect({ world.receiver.deliveries.count == 1 }, "not delivered")
            try world.start()
            made.append(try world.tag("b"))
            try world.start(hook)
            try world.expect(deliveries: made.map { ["inserted \($0)"] })
            try world.start()
            try world.expect({ try world.position(of: hook) == world.coordinator.currentHistoryToken() }, "no position")
            try world.coordinator.removeHistoryConsumer(hook.consumer)
            try world.tag("c")
            try world.start(hook)
            made.append(try world.tag("d"))
            try world.expect(deliveries: made.map { ["inserted \($0)"] })
        }
    }

    @Test("a consumer doesn't move back")
    func positions() throws {
        try HookWorld.each { world in
            let early = try world.coordinator.currentHistoryToken()
            try world.tag("a")
            let late = try world.coordinator.currentHistoryToken()
            try world.coordinator.advanceHistoryConsumer("hook:x", to: early)
            #expect(try world.coordinator.historyConsumers()["hook:x"]?.token == early)
            try world.coordinator.advanceHistoryConsumer("hook:x", to: late)
            try world.coordinator.advanceHistoryConsumer("hook:x", to: early)
            #expect(try world.coordinator.historyConsumers()["hook:x"]?.token == late)
        }
    }

    @Test("if a hook can't be started, the former ones go on as they were")
    func failingStart() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook { $0.kinds = [.insert] }
            try world.start(hook, HookWorld.hook("other"))
            try Data().write(to: URL(filePath: world.folder + "/new"))
            var changed = hook
            changed.kinds = [.delete]
            #expect(throws: (any Error).self) { try world.start(changed, HookWorld.hook("new")) }
            let names = try world.send(.get, "/api/hooks")["items"]?.array?.compactMap { $0["name"]?.string }
            #expect(names == ["search", "other"])
            #expect(try world.send(.get, "/api/hooks/search")["kinds"] == ["inserted"])
            let tag = try world.tag("a")
            try world.expect({ world.receiver.deliveries.count >= 2 }, "not delivered")
            #expect(world.receiver.deliveries.map(\.changes) == [["inserted \(tag)"], ["inserted \(tag)"]])
        }
    }

    @Test("without a folder, a changed hook keeps its dead letters and its state, also if it is away for a while")
    func memory() throws {
        try HookWorld.each(keepingFiles: false) { world in
            var hook = try HookWorld.hook { $0.limits.attempts = 1 }
            world.receiver.answer(with: 400)
            try world.start(hook)
            try world.tag("a")
            try world.expect({ try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 1 }, "no dead letter")
            try world.send(.post, "/api/hooks/search/pause")
            for change in 0..<2 {
                if change == 1 { try world.start() }
                hook.limits.attempts = 2 + change
                try world.start(hook)
                let state = try world.send(.get, "/api/hooks/search")
                #expect(state["deadLetterCount"] == 1)
                #expect(state["state"] == "paused")
            }
        }
    }

    /// 3.
    @Test("after the end nothing is started, and no position is written by a late attempt")
    func ends() throws {
        try HookWorld.each { world in
            let isHeld = Mutex(true)
            defer { isHeld.withLock { $0 = false } }
            world.receiver.answer { _ in
                while isHeld.withLock(\.self) { usleep(2_000) }
                return .status(200)
            }
            let hook = try HookWorld.hook()
            try world.start(hook)
            let position = try world.position(of: hook)
            try world.tag("a")
            try world.expect({ world.receiver.deliveries.count == 1 }, "no attempt")
            world.hooks.end(within: .milliseconds(20))
            #expect(throws: HooksUnavailable.self) { try world.start(hook, HookWorld.hook("new")) }
            world.hooks.attach(world.api)
            isHeld.withLock { $0 = false }
            try world.tag("b")
            world.hooks.end(within: .seconds(10))
            #expect(world.receiver.deliveries.count == 1)
            #expect(try world.position(of: hook) == position)
        }
    }

    @Test("while the model is changed, hooks can't be started")
    func busy() throws {
        try HookWorld.each { world in
            try world.start(HookWorld.hook())
            world.hooks.suspend()
            #expect(throws: HooksUnavailable.self) { try world.start(HookWorld.hook("new")) }
            world.hooks.resume()
            try world.start(HookWorld.hook("new"))
        }
    }
}
