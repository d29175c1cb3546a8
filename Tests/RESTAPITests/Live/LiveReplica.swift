// SPDX-License-Identifier: Apache-2.0

// A client of a live query, which applies its events.

import Dispatch
import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import Synchronization

@testable import RESTAPI

/// A list, a count or rows, as a client has them after the events so far.
final class LiveReplica: HTTPFeed {
    struct Event {
        let id: String?
        let name: String
        let data: JSONValue
    }

    struct State {
        var items: [JSONValue] = []
        var total: JSONValue?
        var sections: JSONValue?
        var count: JSONValue?
        var events: [Event] = []
        var lastID: String?
        /// What contradicts the protocol.
        var faults: [String] = []
        var isEnded = false
        fileprivate var rest: [UInt8] = []
        fileprivate var isSlow = false
        fileprivate var waiting: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    /// - Parameter former: The client whose events it continues after.
    init(after former: LiveReplica? = nil) {
        var state = former?.current ?? State()
        state.events = []
        state.isEnded = false
        self.state = Mutex(state)
    }

    struct NoFeed: Error {
        let target: String
        let response: HTTPResponse
    }

    func listen(_ target: String, as identity: String? = nil, of api: API) throws {
        var fields: HeaderFields = [.accept: "text/event-stream"]
        if let identity { fields[.authorization] = "Bearer \(identity)" }
        if let last = current.lastID { fields["Last-Event-ID"] = last }
        let response = api.respond(to: HTTPRequest(.get, target, fields: fields))
        guard case .feed(let start) = response.body else { throw NoFeed(target: target, response: response) }
        start(self)
    }

    var current: State { state.withLock(\.self) }

    var isSlow: Bool { state.withLock(\.isSlow) }

    /// Whether it accepts what is sent only up to a limit, until it is drained.
    func setSlow(_ isSlow: Bool) {
        let waiting = state.withLock { state in
            state.isSlow = isSlow
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }

    func send(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            state.rest += bytes
            state.applyEvents()
            return true
        }
    }

    func whenDrained(_ body: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            if state.isSlow { state.waiting.append(body) }
            return !state.isSlow
        }
        if isDrained { body() }
    }

    func end() { state.withLock { $0.isEnded = true } }

    /// Waits until a condition holds.
    func wait(until condition: (State) throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(3)
        while try !condition(current) {
            if ContinuousClock.now > end { return false }
            usleep(1_000)
        }
        return true
    }
}

extension LiveReplica.State {
    fileprivate mutating func applyEvents() {
        while let end = rest.indices.dropLast().first(where: { rest[$0] == 10 && rest[$0 + 1] == 10 }) {
            let block = String(decoding: rest[..<end], as: UTF8.self)
            rest.removeFirst(end + 2)
            apply(block.split(separator: "\n"))
        }
    }

    private mutating func apply(_ lines: [Substring]) {
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        if let id = value("id") { lastID = id }
        guard let name = value("event"), let text = value("data") else { return }
        guard let data = try? JSONValue(parsing: Array(text.utf8)) else { return faults.append("not JSON: \(text)") }
        events.append(LiveReplica.Event(id: value("id"), name: name, data: data))
        switch name {
        case "result", "reset":
            items = data["items"]?.array ?? []
            total = data["total"]
            sections = data["sections"]
        case "count": count = data["count"]
        case "change":
            apply(data["changes"]?.array ?? [])
            if let new = data["total"] { total = new }
            if let new = data["sections"] { sections = new }
        case "transaction", "end": break
        default: faults.append("unknown event \(name)")
        }
    }

    private mutating func apply(_ changes: [JSONValue]) {
        var leaving: Set<Int> = []
        var arriving: [(place: Int, object: JSONValue)] = []
        var updates: [(place: Int, object: JSONValue)] = []
        func place(_ value: JSONValue?) -> Int? { value?.int64.map(Int.init) }
        for change in changes {
            if let old = place(change["delete"]) {
                leaving.insert(old)
            } else if let from = place(change["move"]?["from"]), let to = place(change["move"]?["to"]) {
                leaving.insert(from)
                guard items.indices.contains(from) else { return faults.append("no place \(from)") }
                arriving.append((to, change["object"] ?? items[from]))
            } else if let new = place(change["insert"]), let object = change["object"] {
                arriving.append((new, object))
            } else if let new = place(change["update"]), let object = change["object"] {
                updates.append((new, object))
            } else {
                faults.append("unknown change \(change)")
            }
        }
        guard leaving.allSatisfy(items.indices.contains) else { return faults.append("no places \(leaving)") }
        items = items.indices.filter { !leaving.contains($0) }.map { items[$0] }
        for (place, object) in arriving.sorted(by: { $0.place < $1.place }) {
            guard place <= items.count else { return faults.append("no place \(place)") }
            items.insert(object, at: place)
        }
        for (place, object) in updates {
            guard items.indices.contains(place) else { return faults.append("no place \(place)") }
            if items[place] == object { faults.append("an update without a change") }
            items[place] = object
        }
    }
}
