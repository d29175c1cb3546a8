// SPDX-License-Identifier: Apache-2.0

// Editing contexts for tests: opening, writing and reading them.

import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import Testing

@testable import RESTAPI

extension APIWorld {
    /// Opens an editing context and returns its path.
    func openContext(_ body: String? = nil) throws -> String {
        let answer = try send(.post, "/api/contexts", body)
        try #require(answer.status == 201)
        let name = try #require(answer["context"]?.string)
        #expect(answer.fields[.location] == "/api/contexts/\(name)")
        return "/api/contexts/\(name)"
    }

    /// The pending changes of a context.
    func changes(_ context: String) throws -> JSONValue { try #require(try get("\(context)/changes").json) }

    /// The names of the posts found by a fetch, in order.
    func titles(_ target: String) throws -> [String?] {
        let answer = try get(target)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer["items"]?.array).map { $0["title"]?.string ?? $0["name"]?.string }
    }
}

/// A clock that stands still until it is advanced.
final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock(\.self) }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

extension EditingContexts {
    /// The names of the contexts that are in memory.
    var inMemory: [String] {
        state.withLock { $0.entries.values.filter { $0.context != nil }.map(\.head.name) }.sorted()
    }

    /// Has all leave memory that may.
    func unloadAll() { loading.withLock { _ in _ = makeRoom(for: .max / 2) } }

    /// Runs a closure with a context, which may have to come into memory.
    func with<Result: Sendable>(
        _ name: String,
        of api: API,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let context = try held(name, in: api)
        defer { context.head.release() }
        return try context.perform(body)
    }
}
