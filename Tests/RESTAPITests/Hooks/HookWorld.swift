// SPDX-License-Identifier: Apache-2.0

// An API with hooks.

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

/// A coordinator and an API with hooks, which can be restarted.
final class HookWorld {
    let receiver = ScriptedReceiver()
    let coordinator: PersistentStoreCoordinator
    let folder: String
    private(set) var hooks: Hooks
    private(set) var api: API
    private let logged: EventLog
    private let keepsFiles: Bool

    private final class EventLog: Sendable {
        let events = Mutex<[HookEvent]>([])
    }

    var events: [HookEvent] { logged.events.withLock(\.self) }

    /// - Parameter keepsFiles: Whether dead letters and states are kept in the folder.
    init(
        in folder: String,
        _ stores: [any PersistentStore],
        model: ManagedObjectModel,
        keepsFiles: Bool = true
    ) throws {
        self.folder = folder
        self.keepsFiles = keepsFiles
        coordinator = PersistentStoreCoordinator(model: model)
        for store in stores { try coordinator.add(store) }
        let logged = EventLog()
        self.logged = logged
        hooks = Self.hooks(keepsFiles ? folder : nil, receiver, logged)
        api = try API(coordinator, options: APIOptions().patient, hooks: hooks)
    }

    private static func hooks(_ folder: String?, _ receiver: ScriptedReceiver, _ logged: EventLog) -> Hooks {
        Hooks(
            folder: folder,
            send: { receiver.receive($0) },
            report: { event in logged.events.withLock { $0.append(event) } }
        )
    }

    /// Runs a closure with a world over a store in memory, and one over a SQLite store.
    static func each(keepingFiles keepsFiles: Bool = true, _ body: (HookWorld) throws -> Void) throws {
        let model = try ManagedObjectModel(Blog.model)
        for isInMemory in [true, false] {
            try Checkout.withFolder { folder in
                let store: any PersistentStore =
                    isInMemory
                    ? InMemoryStore(model: model) : try SQLiteStore(path: folder + "/Blog.sqlite", model: model)
                let world = try HookWorld(in: folder, [store], model: model, keepsFiles: keepsFiles)
                try Blog.fill(world.coordinator)
                defer { world.hooks.end(within: .seconds(10)) }
                do {
                    try body(world)
                } catch {
                    Issue.record("\(isInMemory ? "in memory" : "SQLite"): \(error)")
                }
            }
        }
    }

    static func hook(_ name: String = "search", _ change: (inout Hook) -> Void = { _ in }) throws -> Hook {
        var hook = Hook(name: name, url: try HookURL("http://localhost:9/in"), secret: Array("0123456789abcdef".utf8))
        hook.limits.firstDelay = .milliseconds(4)
        hook.limits.maximumDelay = .milliseconds(20)
        change(&hook)
        return hook
    }

    func start(_ hooks: Hook...) throws { try self.hooks.start(hooks, with: api) }

    /// The position of a hook in the stores.
    func position(of hook: Hook) throws -> HistoryToken? { try coordinator.historyConsumers()[hook.consumer]?.token }

    /// Ends the hooks as a crash would, without writing their positions, and makes new ones.
    func crash() throws {
        hooks.suspend()
        try renew()
    }

    /// Ends the hooks, and makes new ones.
    func restart() throws {
        hooks.end(within: .seconds(10))
        try renew()
    }

    private func renew() throws {
        hooks = Self.hooks(keepsFiles ? folder : nil, receiver, logged)
        api = try API(coordinator, options: APIOptions().patient, hooks: hooks)
    }

    @discardableResult
    func send(_ method: HTTPMethod, _ target: String, _ json: String? = nil) throws -> Answer {
        let fields: HeaderFields = json == nil ? HeaderFields() : [.contentType: "application/json"]
        let body = json.map { HTTPRequestBody.bytes(Array($0.utf8)) } ?? .none
        return try Answer(
            api.respond(to: HTTPRequest(method, target, fields: fields, body: body)),
            statements: nil
        )
    }

    /// Creates a tag, and returns its reference.
    @discardableResult
    func tag(_ name: String) throws -> String {
        try #require(try send(.post, "/api/tags", "{\"name\":\"\(name)\"}")["_id"]?.string)
    }

    /// Waits until a condition holds.
    func expect(
        _ condition: () throws -> Bool,
        _ comment: Comment,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<2_000 {
            if try condition() { return }
            usleep(5_000)
        }
        Issue.record("\(comment): \(receiver.deliveries.map(\.changes))", sourceLocation: location)
    }

    func expect(deliveries: [[String]], at location: SourceLocation = #_sourceLocation) throws {
        try expect({ receiver.deliveries.count >= deliveries.count }, "too few deliveries", at: location)
        #expect(receiver.deliveries.map(\.changes) == deliveries, sourceLocation: location)
    }
}
