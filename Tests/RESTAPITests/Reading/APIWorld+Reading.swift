// SPDX-License-Identifier: Apache-2.0

// Helpers of the tests about reading.

import HTTPMessage
import JSON
import ObjectGraph
import SQLiteStore
import Synchronization
import Testing

@testable import RESTAPI

extension APIWorld {
    /// The reference of the post with a title; stores choose the numbers of objects.
    func post(_ title: String) throws -> String {
        try #require(try get("/api/posts?result=ids&title=\(title)")["items"]?[0]?.string)
    }

    func user(_ name: String) throws -> String {
        try #require(try get("/api/users?result=ids&name=\(name)")["items"]?[0]?.string)
    }

    func tag(_ name: String) throws -> String {
        try #require(try get("/api/tags?result=ids&name=\(name)")["items"]?[0]?.string)
    }

    /// The lines of the SQLite store's log caused by a request.
    func statements(_ target: String) throws -> [String] {
        let lines = Mutex<[String]>([])
        sqlite?.sqlLog = SQLLog(level: 1) { more in lines.withLock { $0 += more } }
        defer { sqlite?.sqlLog = .off }
        #expect(try get(target).status == 200)
        return lines.withLock { $0 }
    }

    /// The titles, names or texts of a list, in order, separated by spaces; or the problem.
    func list(_ target: String) throws -> String { try get(target).list }

    /// The number of reading statements of a request when no row is in memory, or nil for the in-memory store.
    func coldSelects(_ target: String) throws -> Int? {
        guard let sqlite else { return nil }
        let cold = PersistentStoreCoordinator(model: coordinator.model)
        try cold.add(sqlite)
        let selects = Atomic(0)
        sqlite.sqlLog = SQLLog(level: 1) { lines in
            if lines.contains(where: { $0.contains("sql: SELECT") || $0.contains("sql: WITH") }) {
                selects.add(1, ordering: .relaxed)
            }
        }
        defer { sqlite.sqlLog = .off }
        let response = try API(cold).respond(to: HTTPRequest(.get, target))
        try #require(response.status == .ok)
        return selects.load(ordering: .relaxed)
    }

    /// The lists of all pages, in order.
    func pages(_ target: String, limit: Int = 100) throws -> [String] {
        var pages: [String] = []
        var next: String? = target
        while let target = next, pages.count < limit {
            let answer = try get(target)
            pages.append(answer.list)
            next = answer["next"]?.string
        }
        return pages
    }
}

extension Answer {
    var list: String {
        guard status == 200, let items = self["items"]?.array else { return "\(status) \(text)" }
        return items.map { item in
            for name in ["title", "name", "text"] {
                if let text = item[name]?.string { return text }
            }
            return item.string ?? item.serialized()
        }.joined(separator: " ")
    }

    /// The status, code, position, detail and hint of a problem.
    var problem: String {
        [
            "\(status)", self["code"]?.string, self["position"]?.int64.map { "at \($0):" }, self["detail"]?.string,
            self["hint"]?.string,
        ].compactMap(\.self).joined(separator: " ")
    }
}

extension ManagedObjectContext {
    /// The object ID of a reference of the API.
    func objectID(of reference: String, in world: APIWorld) -> ManagedObjectID? {
        guard let (resource, key) = world.api.catalogue.parts(ofReference: reference) else { return nil }
        return world.coordinator.objectID(entity: resource.entity, reference: ManagedObjectID.Reference(key: key))
    }
}
