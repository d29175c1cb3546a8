// SPDX-License-Identifier: Apache-2.0

// Dead letters of hooks: kept, sent again, and removed.

import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Dead letters of hooks")
struct HookLetterTests {
    @Test("a delivery that is given up is a dead letter, survives a restart, and can be delivered again")
    func deadLetters() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook { $0.limits.attempts = 2 }
            try world.start(hook)
            world.receiver.answer(with: 400)
            let first = try world.tag("a")
            try world.expect({ try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 1 }, "no dead letter")
            world.receiver.answer(with: 204)
            let second = try world.tag("b")
            try world.expect(deliveries: [first, first, second].map { ["inserted \($0)"] })
            try world.restart()
            try world.start(hook)
            let listed = try world.send(.get, "/api/hooks/search")
            let letter = try #require(listed["deadLetters"]?[0])
            #expect(letter["delivery"]?.string == world.receiver.deliveries[0].id)
            #expect(letter["status"] == 400)
            #expect(letter["attempts"] == 2)
            let retried = try world.send(.post, "/api/hooks/search/retry")
            #expect(retried.status == 202)
            #expect(retried.json == ["queued": 1])
            try world.expect({ world.receiver.deliveries.count == 4 }, "not delivered again")
            #expect(world.receiver.deliveries[3].body == world.receiver.deliveries[0].body)
            try world.expect({ try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 0 }, "it is kept")
        }
    }

    @Test("the oldest dead letters beyond the limit are dropped and counted, and others can be removed")
    func letterLimit() throws {
        try HookWorld.each { world in
            world.receiver.answer(with: 500)
            try world.start(
                HookWorld.hook { hook in
                    hook.limits.attempts = 1
                    hook.limits.deadLetters = 3
                }
            )
            let tags = try (0..<5).map { try world.tag("\($0)") }
            try world.expect({ try world.send(.get, "/api/hooks/search")["droppedDeadLetters"] == 2 }, "none dropped")
            let letters = try #require(try world.send(.get, "/api/hooks/search")["deadLetters"]?.array)
            #expect(letters.map { $0["delivery"]?.string } == world.receiver.deliveries.suffix(3).map(\.id))
            #expect(world.receiver.deliveries.suffix(3).map(\.changes) == tags.suffix(3).map { ["inserted \($0)"] })
            let path = "/api/hooks/search/dead-letters"
            let id = try #require(letters[1]["delivery"]?.string)
            #expect(try world.send(.delete, "\(path)/\(id)").status == 204)
            #expect(try world.send(.delete, "\(path)/\(id)").status == 404)
            #expect(try world.send(.post, "/api/hooks/search/retry?delivery=\(id)").status == 404)
            #expect(try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 2)
            #expect(try world.send(.delete, path).status == 204)
            #expect(try world.send(.get, "/api/hooks/search")["deadLetters"] == [])
        }
    }

    @Test("each dead letter is sent again once, in order, and stays if it fails")
    func retries() throws {
        try HookWorld.each { world in
            world.receiver.answer(with: 500)
            try world.start(HookWorld.hook { $0.limits.attempts = 1 })
            let tags = try (0..<3).map { try world.tag("\($0)") }
            try world.expect({ try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 3 }, "no dead letters")
            try world.send(.post, "/api/hooks/search/pause")
            for _ in 0..<2 { #expect(try world.send(.post, "/api/hooks/search/retry").json == ["queued": 3]) }
            try world.send(.post, "/api/hooks/search/resume")
            func attempts() throws -> [Int64] {
                let letters = try world.send(.get, "/api/hooks/search")["deadLetters"]?.array ?? []
                return letters.compactMap { $0["attempts"]?.int64 }
            }
            try world.expect({ try attempts() == [2, 2, 2] }, "not sent again")
            try world.expect(deliveries: (tags + tags).map { ["inserted \($0)"] })
        }
    }

    @Test("a dead letter that is removed while it is sent again doesn't come back")
    func removedMeanwhile() throws {
        try HookWorld.each { world in
            world.receiver.answer(with: 500)
            try world.start(HookWorld.hook { $0.limits.attempts = 1 })
            try world.tag("a")
            try world.expect({ try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 1 }, "no dead letter")
            let isHeld = Mutex(true)
            defer { isHeld.withLock { $0 = false } }
            world.receiver.answer { _ in
                while isHeld.withLock(\.self) { usleep(2_000) }
                return .status(500)
            }
            #expect(try world.send(.post, "/api/hooks/search/retry").status == 202)
            try world.expect({ world.receiver.deliveries.count == 2 }, "not sent again")
            #expect(try world.send(.delete, "/api/hooks/search/dead-letters").status == 204)
            isHeld.withLock { $0 = false }
            try world.expect({ world.events.contains { $0.message.contains("failed again") } }, "not failed again")
            #expect(try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 0)
        }
    }

    @Test("a crash between the dead letter and the position loses nothing, and makes no second letter")
    func crash() throws {
        for status in [500, 204] {
            try HookWorld.each { world in
                let hook = try HookWorld.hook { $0.limits.attempts = 1 }
                let hooks = world.hooks
                // Then no position can be written any more.
                world.receiver.answer { _ in
                    hooks.suspend()
                    return .status(500)
                }
                try world.start(hook)
                let position = try world.position(of: hook)
                let tags = [try world.tag("a"), try world.tag("b")]
                try world.expect({ try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 1 }, "no letter")
                try world.crash()
                #expect(try world.position(of: hook) == position)
                world.receiver.answer(with: status)
                try world.start(hook)
                try world.expect(deliveries: [tags[0], tags[0], tags[1]].map { ["inserted \($0)"] })
                #expect(Set(world.receiver.deliveries.map(\.id)).count == 2)
                let expected = status == 500 ? 2 : 0
                try world.expect(
                    { try world.send(.get, "/api/hooks/search")["deadLetterCount"] == .integer(expected) },
                    "a letter is lost or kept"
                )
            }
        }
    }

    @Test("the number of failed attempts survives a restart")
    func attempts() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook()
            world.receiver.answer(with: 500)
            try world.start(hook)
            try world.tag("a")
            func attempts() throws -> Int64 { try world.send(.get, "/api/hooks/search")["attempts"]?.int64 ?? 0 }
            try world.expect({ try attempts() >= 3 }, "too few attempts")
            try world.send(.post, "/api/hooks/search/pause")
            try world.restart()
            try world.start(hook)
            #expect(try attempts() >= 3)
            // A resumed hook begins again.
            world.hooks.suspend()
            try world.send(.post, "/api/hooks/search/resume")
            #expect(try attempts() == 0)
        }
    }

    @Test("a damaged dead letter is logged and ignored")
    func damage() throws {
        try HookWorld.each { world in
            let hook = try HookWorld.hook { $0.limits.attempts = 1 }
            world.receiver.answer(with: 500)
            try world.start(hook)
            try world.tag("a")
            try world.expect({ try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 1 }, "no dead letter")
            try world.restart()
            let path = world.folder + "/search/000000000001.json"
            #expect(FileManager.default.fileExists(atPath: path))
            try Data("{".utf8).write(to: URL(filePath: path))
            try world.start(hook)
            #expect(try world.send(.get, "/api/hooks/search")["deadLetterCount"] == 0)
            #expect(world.events.contains { $0.message.contains("000000000001.json") })
        }
    }
}
