// SPDX-License-Identifier: Apache-2.0

// The API over a store with some objects, and requests to it.

import AccessRules
import AtomicStores
import FoundationEssentials
import HTTPMessage
import HTTPTestClient
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

/// An API with one store. Each case is run on an in-memory and a SQLite store.
struct APIWorld {
    let api: API
    let coordinator: PersistentStoreCoordinator
    /// Nil for the in-memory store.
    let sqlite: SQLiteStore?
    private let transport: Transport

    static func each(
        _ model: Model = Blog.model,
        options: APIOptions = APIOptions(),
        watching watchInterval: Duration? = nil,
        access: String? = nil,
        accounts: TestAccounts? = nil,
        filling: (PersistentStoreCoordinator) throws -> Void = Blog.fill,
        _ body: (APIWorld) throws -> Void
    ) throws {
        let model = try ManagedObjectModel(model)
        let policy = try access.map { try AccessPolicy(parsing: Array($0.utf8), for: model.model) }
        let store = InMemoryStore(model: model)
        try APIWorld(model, store, nil, options, policy, accounts?.next(), filling).run("in memory", body)
        try Checkout.withFolder { folder in
            var storeOptions = SQLiteStoreOptions()
            // Checks for changes by other programs would be counted as statements.
            storeOptions.watchInterval = watchInterval
            let store = try SQLiteStore(path: folder + "/Blog.sqlite", model: model, options: storeOptions)
            try APIWorld(model, store, store, options, policy, accounts?.next(), filling).run("SQLite", body)
        }
    }

    private init(
        _ model: ManagedObjectModel,
        _ store: any PersistentStore,
        _ sqlite: SQLiteStore?,
        _ options: APIOptions,
        _ policy: AccessPolicy?,
        _ accounts: Accounts?,
        _ filling: (PersistentStoreCoordinator) throws -> Void
    ) throws {
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try filling(coordinator)
        let accessGuard = policy.map { policy in
            let other = NamedRoles()
            let authenticator: any Authenticator = accounts.map { AccountAuthenticator($0, otherwise: other) } ?? other
            return AccessGuard(policy, authenticator: authenticator, accounts: accounts)
        }
        api = try API(coordinator, options: options.patient, accessGuard: accessGuard)
        transport = try Transport(api)
        self.sqlite = sqlite
    }

    private func run(_ name: String, _ body: (APIWorld) throws -> Void) throws {
        do {
            try body(self)
        } catch {
            Issue.record("over the store \(name): \(error)")
        }
    }

    /// The reference of an entity's object by title, name or text, such as `posts/2`; keys differ between stores.
    func reference(_ entity: String, _ title: String) throws -> String {
        let key = entity == "Post" ? "title" : entity == "Page" || entity == "Comment" ? "text" : "name"
        return try coordinator.withContext { [catalogue = api.catalogue] context in
            let request = FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate("%K == %@", key, title))
            return try #require(context.objectIDs(request).first.map(catalogue.reference))
        }
    }

    func get(_ target: String, _ fields: HeaderFields = HeaderFields()) throws -> Answer {
        try send(.get, target, fields: fields)
    }

    /// Sends a request; a text body is sent as JSON.
    func send(
        _ method: HTTPMethod,
        _ target: String,
        _ json: String? = nil,
        fields: HeaderFields = HeaderFields()
    ) throws -> Answer {
        var fields = fields
        if json != nil, !fields.contains(.contentType) { fields[.contentType] = "application/json" }
        let body = json.map { HTTPRequestBody.bytes(Array($0.utf8)) } ?? .none
        return try answer(to: HTTPRequest(method, Self.encoded(target), fields: fields, body: body))
    }

    func answer(to request: HTTPRequest) throws -> Answer {
        let before = sqlite?.statistics.statements ?? 0
        return try transport.answer(to: request) { sqlite.map { $0.statistics.statements - before } }
    }

    /// Encodes a target written with spaces and quotes.
    static func encoded(_ target: String) -> String {
        var text = ""
        for byte in target.utf8 {
            if byte > 0x20, byte < 0x7F, !"\"<>\\^`{|}".utf8.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}

/// A response.
struct Answer {
    let status: Int
    let fields: HeaderFields
    let bytes: [UInt8]
    /// The number of SQL statements, or nil for the in-memory store.
    let statements: Int?

    init(_ response: HTTPResponse, statements: Int?) throws {
        status = response.status.code
        fields = response.fields
        self.statements = statements
        switch response.body {
        case .none: bytes = []
        case .bytes(let body): bytes = body
        case .stream(_, let write):
            let collected = Collected()
            try write(collected)
            bytes = collected.bytes
        case .feed: bytes = []
        }
    }

    /// Without the fields that a server adds for the connection.
    init(_ response: TestResponse, statements: Int?) {
        status = response.status
        var fields = HeaderFields()
        for (name, value) in response.fields
        where !["connection", "content-length", "date", "transfer-encoding"].contains(name) {
            fields.add(FieldName(name), value)
        }
        self.fields = fields
        bytes = response.body
        self.statements = statements
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The body as JSON, or nil.
    var json: JSONValue? { try? JSONValue(parsing: bytes) }

    subscript(_ name: String) -> JSONValue? { json?[name] }

    private final class Collected: HTTPBodyWriter {
        var bytes: [UInt8] = []
        func write(_ bytes: [UInt8]) { self.bytes += bytes }
    }
}
