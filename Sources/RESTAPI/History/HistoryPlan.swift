// SPDX-License-Identifier: Apache-2.0

// Plans reading the history.

import FoundationEssentials
import HTTPMessage
import ObjectGraph
import SourceText

/// A request for transactions.
struct HistoryPlan: Sendable {
    private(set) var request: HistoryRequest
    /// The object whose changes are requested.
    let target: ObjectLocation?
    /// The reference in the parameter `object`.
    private let reference: String?

    static let defaultLimit = 500
    static let maximumLimit = 1_000

    /// - Parameter target: The object of the path, or nil.
    init(_ request: APIRequest, of target: ObjectLocation? = nil, in api: API) throws(Problem) {
        var parameters = request.parameters
        self.request = HistoryRequest(after: try parameters.readToken("since"))
        self.request.limit = try parameters.readNumber("limit") ?? Self.defaultLimit
        guard self.request.limit <= Self.maximumLimit else {
            throw Problem(.parameter, "The parameter “limit” must not exceed \(Self.maximumLimit).")
        }
        self.request.filter.author = try parameters.read("author")
        self.request.filter.since = try parameters.readDate("from")
        self.request.filter.before = try parameters.readDate("until")
        if let start = self.request.filter.since, let end = self.request.filter.before, start > end {
            throw Problem(.parameter, "The parameter “from” must not be later than “until”.")
        }
        if let kinds = try parameters.readChangeKinds() { self.request.filter.kinds = kinds }
        let names = parameters.readAll("entity")
        if !names.isEmpty {
            self.request.filter.entities = try names.map { name throws(Problem) in try Self.entity(named: name, in: api)
            }
        }
        reference = try parameters.read("object")
        self.target = target
    }

    private static func entity(named name: String, in api: API) throws(Problem) -> EntityDescription {
        if let resource = api.catalogue.resource(named: name) { return resource.entity }
        throw Problem(
            .parameter,
            "The model has no entity “\(name)”.",
            hint: Spelling.hint(for: name, among: api.catalogue.names)
        )
    }

    /// The request with the object that the path or the parameter names.
    func resolved(in api: API) throws(Problem) -> HistoryRequest {
        var request = request
        if let target {
            guard let objectID = api.historyObject(of: target.resource, key: target.key) else {
                throw Problem.notFound(target)
            }
            request.filter.object = objectID
        }
        if let reference {
            guard let (resource, key) = api.catalogue.parts(ofReference: reference),
                let objectID = api.historyObject(of: resource, key: key)
            else { throw Problem(.parameter, "“\(reference)” isn't a reference, such as “posts/7”.") }
            request.filter.object = objectID
        }
        return request
    }
}

extension API {
    /// The ID of an object, which may be deleted; nil for a key that no object of the store can have.
    fileprivate func historyObject(of resource: Resource, key: String) -> ManagedObjectID? {
        guard let objectID = names.objectID(of: resource, key: key),
            let store = coordinator.stores.first(where: { $0.identifier == objectID.storeIdentifier }),
            let reference = store.reference(from: key), reference == objectID.reference
        else { return nil }
        if case .integer(let number) = reference, number < 1 { return nil }
        return objectID
    }
}

extension Parameters {
    mutating func readToken(_ name: String) throws(Problem) -> HistoryToken? {
        guard let text = try read(name) else { return nil }
        return try HistoryToken(reading: text, from: "The parameter “\(name)”")
    }

    fileprivate mutating func readDate(_ name: String) throws(Problem) -> Date? {
        guard let text = try read(name) else { return nil }
        if let date = Date(rfc3339: text) { return date }
        throw Problem(
            .parameter,
            "The parameter “\(name)” must be a date and time such as 2026-11-21T09:30:00Z, not “\(text)”."
        )
    }

    fileprivate mutating func readChangeKinds() throws(Problem) -> Set<HistoryChange.Kind>? {
        var kinds: Set<HistoryChange.Kind> = []
        for text in readAll("kind") {
            guard let kind = HistoryChange.Kind.allCases.first(where: { $0.nameInAPI == text }) else {
                let names = HistoryChange.Kind.allCases.map(\.nameInAPI)
                throw Problem(
                    .parameter,
                    "The parameter “kind” can't be “\(text)”.",
                    hint: "Use one of \(names.joined(separator: ", "))."
                )
            }
            kinds.insert(kind)
        }
        return kinds.isEmpty ? nil : kinds
    }
}

extension HistoryToken {
    init(reading text: String, from source: String) throws(Problem) {
        guard let token = HistoryToken(text), !text.isEmpty else {
            throw Problem(
                .parameter,
                "\(source) isn't a token of a history.",
                hint: "Use a “token” of GET /api/history, or the “id” of an event."
            )
        }
        self = token
    }
}

extension HistoryChange.Kind {
    var nameInAPI: String {
        switch self {
        case .insert: "inserted"
        case .update: "updated"
        case .delete: "deleted"
        }
    }
}
