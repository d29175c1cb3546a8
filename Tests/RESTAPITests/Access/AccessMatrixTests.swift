// SPDX-License-Identifier: Apache-2.0

// Every endpoint under every kind of rule, on two models and two stores.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import Testing

@testable import RESTAPI

@Suite("Every endpoint under every kind of access rule")
struct AccessMatrixTests {
    @Test("each endpoint has an expectation")
    func coverage() {
        let endpoints = APIEndpoint.areas.flatMap(\.endpoints).map(\.line)
        let expected = Set(MatrixRow.all.map(\.endpoint))
        #expect(Set(endpoints).subtracting(expected) == [], "These have no row in AccessMatrixRows.swift.")
        #expect(expected.subtracting(endpoints) == [], "There are no such endpoints.")
        #expect(MatrixRow.all.filter { $0.needs.contains { $0 == .administration } }.count > 15)
    }

    @Test("its answers are those that the kind of rule implies", arguments: MatrixRules.allCases)
    func answers(rules: MatrixRules) throws {
        for model in [MatrixModel.blog, MatrixModel.tenants] {
            try APIWorld.each(
                model.model,
                access: model.access(under: rules),
                accounts: model.accounts.isEmpty ? nil : TestAccounts(),
                filling: model.fill
            ) { world throws in
                let run = MatrixRun(model: model, rules: rules, world: world)
                for row in MatrixRow.all { try run.check(row, inDraft: false) }
                let inDrafts = Set(APIEndpoint.areasInContexts.flatMap(\.endpoints).map(\.line))
                for row in MatrixRow.all where inDrafts.contains(row.endpoint) { try run.check(row, inDraft: true) }
            }
        }
    }
}

extension APIEndpoint {
    /// The method and the pattern: `GET /api/{entity}`.
    fileprivate var line: String { "\(method) /\(pattern.segments.joined(separator: "/"))" }
}

/// Sends the requests of one world.
private final class MatrixRun {
    let model: MatrixModel
    let rules: MatrixRules
    let world: APIWorld
    private var count = 0

    init(model: MatrixModel, rules: MatrixRules, world: APIWorld) {
        self.model = model
        self.rules = rules
        self.world = world
    }

    private var identity: String { rules == .administration ? "admin" : "member own" }

    func check(_ row: MatrixRow, inDraft: Bool) throws {
        // Each row has an object of its own, so that one doesn't change what another one finds.
        count += 1
        let title = "Title \(1_000 + count)"
        let names = try world.coordinator.withContext { [model, world] context in
            try model.insert(title, into: context, of: world.api)
        }
        var target = model.filled(row.target, names)
        if target.contains("{context}") || inDraft {
            let answer = try world.send(as: identity, .post, "/api/contexts", "{}")
            let context = try #require(answer.fields[.location], "\(answer.text)")
            target = target.replacing("{context}", with: context)
            if inDraft { target = context + target.dropFirst("/api".count) }
        }
        if target.contains("{token}") || row.body?.contains("{token}") == true {
            let token = try world.coordinator.currentHistoryToken().description
            target = target.replacing("{token}", with: token)
        }
        let body = try row.body.map { try filled($0, names) }
        var request = HTTPRequest(row.method, APIWorld.encoded(target), fields: [.authorization: "Bearer \(identity)"])
        if let body {
            request.fields[.contentType] = row.type
            request.body = .bytes(Array(body.utf8))
        }
        // A feed has no end.
        let isFeed =
            row.endpoint.hasSuffix("/live") || row.endpoint.hasSuffix("/stream") || row.endpoint.hasSuffix("/events")
        let answer =
            isFeed ? try Answer(world.api.respond(to: request), statements: nil) : try world.answer(to: request)
        let isMissing = model.accounts.isEmpty && APIEndpoint.accounts.contains { $0.line == row.endpoint }
        let status = isMissing ? 404 : row.status(under: rules, inDraft: inDraft)
        let said =
            "\(model.entity), \(rules): \(request.method) \(target) \(body ?? ""): \(answer.status) \(answer.text.prefix(600))"
        #expect(answer.status == status, "\(status) is expected. \(said)")
        if rules.hidesObject {
            #expect(!answer.text.contains(title) && !answer.text.contains(model.secret), "The object is shown. \(said)")
        }
        if rules.hidesProperty {
            #expect(!answer.text.contains(model.secret), "The property is shown. \(said)")
            // A request may name it.
            if row.body?.contains("{property}") != true, !row.target.contains("{property}") {
                #expect(!answer.text.contains("\"\(model.property)\""), "The property is named. \(said)")
            }
        }
        try checkObject(names, row, said)
        guard answer.status < 300 else { return }
        switch row.shown {
        case .object where !rules.hidesObject: #expect(answer.text.contains(title), "The object is missing. \(said)")
        case .name where !rules.hidesProperty:
            #expect(answer.text.contains("\"\(model.property)\""), "The name is missing. \(said)")
        case .updates:
            let isUpdated = !rules.hidesObject && rules != .updateDenied && rules != .rowFixed
            #expect(answer["count"] == (isUpdated ? 1 : 0), "\(said)")
        case .deletions:
            let isDeleted = !rules.hidesObject && rules != .deletionDenied && rules != .rowFixed
            #expect(answer["count"] == (isDeleted ? 1 : 0), "\(said)")
        case .nothing, .object, .name: break
        }
    }

    /// What the rules forbid hasn't happened, whatever the answer.
    private func checkObject(_ names: [String: String], _ row: MatrixRow, _ said: String) throws {
        let objectID = world.api.objectID(at: "/api/" + (names["id"] ?? ""))
        let (values, version) = try world.coordinator.withContext { [model] context -> ([Value], Int64?) in
            let request = FetchRequest<ManagedObject>(
                model.entity,
                predicate: try ObjectPredicate("SELF == %@", objectID?.value ?? .null)
            )
            guard let object = try context.fetch(request).first else { return ([], nil) }
            return (
                [try object.value(forKey: "title"), try object.value(forKey: model.property)],
                object.committedSnapshot?.version
            )
        }
        let title = Value.string(names["title"] ?? "")
        if rules.hidesObject || rules == .rowFixed {
            #expect(values == [title, model.value] && version == 1, "The object has changed. \(said)")
        }
        if rules == .updateDenied, !values.isEmpty {
            #expect(values == [title, model.value] && version == 1, "The object has changed. \(said)")
        }
        if rules == .deletionDenied { #expect(!values.isEmpty, "The object was deleted. \(said)") }
        if rules == .propertyHidden || rules == .propertyFixed, let value = values.last {
            #expect(value == model.value, "The property has changed. \(said)")
        }
    }

    private func filled(_ text: String, _ names: [String: String]) throws -> String {
        guard text.contains("{token}") else { return model.filled(text, names) }
        return text.replacing("{token}", with: try world.coordinator.currentHistoryToken().description)
    }
}
