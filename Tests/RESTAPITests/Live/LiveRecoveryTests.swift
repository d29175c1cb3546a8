// SPDX-License-Identifier: Apache-2.0

// Live queries that can't simply go on: too many commits, reads that fail, other servers and other models.

import Dispatch
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import SQLiteStore
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Live queries that recover")
struct LiveRecoveryTests {
    @Test("more commits than can wait are made up for by reading again")
    func overflow() throws {
        try APIWorld.each { world throws in
            guard world.sqlite == nil else { return }
            let (replica, blocked) = (LiveReplica(), BlockedFeed())
            try replica.listen("/api/tags/live?sort=name&limit=2", of: world.api)
            #expect(replica.wait { $0.events.count == 1 })
            let asStream = HTTPRequest(.get, "/api/tags/live?limit=1", fields: [.accept: "text/event-stream"])
            guard case .feed(let start) = world.api.respond(to: asStream).body else {
                Issue.record("The answer is no feed.")
                return
            }
            // Its first event isn't accepted until more commits have come than can wait.
            start(blocked)
            let tag = try world.reference("Tag", "core")
            for number in 0...10_000 {
                _ = try world.send(.patch, "/api/\(tag)", "{\"name\":\"a\(number)\"}")
            }
            blocked.unblock()
            #expect(replica.wait { $0.items.first?["name"] == "a10000" })
            #expect(replica.current.events.count < 10)
            #expect(replica.current.faults == [])
        }
    }

    @Test("a read that fails is repeated, and the client gets what it has missed")
    func failingReads() throws {
        try APIWorld.each { world throws in
            let source = FailingSource(world.coordinator)
            let api = world.api
            let target = "/api/posts/live?where=author.name=='Anna'&sort=title&select=title"
            let request = HTTPRequest(.get, target.replacing("'", with: "%27"))
            guard case .live(let plan, _) = try api.plan(api.parsed(request)) else {
                Issue.record("The request isn't for a live query.")
                return
            }
            let replica = LiveReplica()
            let reply = try api.liveQueries.reply(to: plan, after: nil, from: source, in: api)
            guard case .feed(let start) = reply.content else {
                Issue.record("The reply is no feed.")
                return
            }
            start(replica)
            #expect(replica.wait { $0.events.count == 1 })
            let first = try #require(replica.current.items.first?["_id"]?.string)
            source.fail(times: 1)
            _ = try world.send(.patch, "/api/\(first)", #"{"title":"Zebra"}"#)
            #expect(replica.wait { $0.items.last?["title"] == "Zebra" })
            #expect(replica.current.events.map(\.name) == ["result", "change"])
            #expect(source.failures == 0)
            #expect(replica.current.faults == [])
        }
    }

    @Test("a client that has seen a later state on another server isn't sent a difference from an earlier one")
    func otherServer() throws {
        try APIWorld.each(watching: .seconds(60)) { world throws in
            guard let store = world.sqlite else { return }
            let coordinator = PersistentStoreCoordinator(model: world.coordinator.model)
            var options = SQLiteStoreOptions()
            options.watchInterval = .seconds(60)
            try coordinator.add(try SQLiteStore(path: store.path, model: coordinator.model, options: options))
            let other = try API(coordinator)
            let target = "/api/posts/live?sort=title&select=title"
            let (here, there) = (LiveReplica(), LiveReplica())
            try here.listen(target, of: world.api)
            try there.listen(target, of: other)
            #expect(here.wait { $0.events.count == 1 } && there.wait { $0.events.count == 1 })
            let faults = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Aaa"}"#)
            #expect(here.wait { $0.items.first?["title"] == "Aaa" })
            here.end()
            // The other server hasn't noticed the change yet.
            #expect(there.current.items.first?["title"] != "Aaa")
            let moved = LiveReplica(after: here)
            try moved.listen(target, of: other)
            #expect(there.wait { $0.items.first?["title"] == "Aaa" })
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"A"}"#)
            _ = other.respond(to: HTTPRequest(.get, "/api/posts?limit=1"))
            #expect(moved.wait { $0.items.first?["title"] == "A" })
            #expect(moved.current.items == there.current.items)
            #expect(moved.current.faults == [] && there.current.faults == [])
        }
    }

    @Test("after a migration a client that connects again gets the whole result")
    func migration() throws {
        try APIWorld.each { world throws in
            guard let store = world.sqlite else { return }
            let target = "/api/posts/live?sort=title&limit=3"
            let before = LiveReplica()
            try before.listen(target, of: world.api)
            #expect(before.wait { $0.events.count == 1 })
            before.end()
            let (api, _) = try MigratedStreamTests.continued(world, store)
            let after = LiveReplica(after: before)
            try after.listen(target, of: api)
            #expect(after.wait { !$0.events.isEmpty })
            #expect(after.current.events.map(\.name) == ["reset"])
            #expect(after.current.items.allSatisfy { $0["kind"] == "long" })
            // What it has received since is of this version.
            after.end()
            let again = LiveReplica(after: after)
            try again.listen(target, of: try API(api.coordinator))
            _ = api.respond(
                to: HTTPRequest(
                    .post,
                    "/api/posts",
                    fields: [.contentType: "application/json"],
                    body: .bytes(Array(#"{"title":"Aaa"}"#.utf8))
                )
            )
            #expect(again.wait { $0.items.first?["title"] == "Aaa" })
            #expect(again.current.faults == [])
        }
    }
}

/// A client that accepts nothing until it is unblocked.
private final class BlockedFeed: HTTPFeed {
    private let gate = DispatchSemaphore(value: 0)

    func unblock() { gate.signal() }

    func send(_ bytes: [UInt8]) -> Bool {
        gate.wait()
        gate.signal()
        return true
    }

    func whenDrained(_ body: @escaping @Sendable () -> Void) { body() }
    func end() {}
}

/// Stores of which some reads fail.
private final class FailingSource: LiveSource {
    private let coordinator: PersistentStoreCoordinator
    private let count = Mutex(0)

    init(_ coordinator: PersistentStoreCoordinator) { self.coordinator = coordinator }

    /// The number of reads that are still to fail.
    var failures: Int { count.withLock(\.self) }

    func fail(times: Int) { count.withLock { $0 = times } }

    func read(_ plan: LivePlan, at state: LiveState?, in api: API) throws -> LiveReading {
        let fails = count.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if fails { throw GraphError.limitExceeded(0) }
        return try coordinator.read(plan, at: state, in: api)
    }
}
