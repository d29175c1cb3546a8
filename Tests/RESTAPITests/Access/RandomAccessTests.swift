// SPDX-License-Identifier: Apache-2.0

// Random rules and requests: each answer equals that of an API without rules whose store has only what is readable.

import AtomicStores
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Reading under access rules compared with a copy of what is readable")
struct RandomAccessTests {
    /// Seeds that have found mistakes.
    private static let notable: [UInt64] = [385_107_482_673_595_689, 1_729_837_574_851_509_660]

    @Test("each answer equals that of a copy", arguments: SeededGenerator.seeds(16) + notable)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rules = RandomRules(SeededGenerator(seed: generator.next()))
        let objects = SeededGenerator(seed: generator.next())
        let requests = SeededGenerator(seed: generator.next())
        let fill = { @Sendable (coordinator: PersistentStoreCoordinator) in try RandomBlog.fill(coordinator, objects) }
        try APIWorld.each(access: rules.text, filling: fill) { world throws in
            var comparison = try AccessComparison(world, rules)
            var random = RandomConditions(requests)
            for _ in 0..<60 {
                guard try comparison.agrees(on: RandomRead(&random)) else { return }
            }
        }
    }
}

/// An API with rules, and one with a copy of what is readable.
private struct AccessComparison {
    let world: APIWorld
    let rules: RandomRules
    private let copy: API
    /// The names of objects by their references in each API, and the reverse.
    private let names: [String: String]
    private let copiedNames: [String: String]
    private let references: [String: String]
    private let copiedReferences: [String: String]

    init(_ world: APIWorld, _ rules: RandomRules) throws {
        self.world = world
        self.rules = rules
        let request = HTTPRequest(.get, "/api", fields: [.authorization: "Bearer \(rules.credential)"])
        _ = world.api.respond(to: request)
        let access = try #require(world.api.accessGuard?.knownAPI(for: request, of: world.api)?.access)
        var visible = access.visibleModel()
        for index in visible.entities.indices {
            for place in visible.entities[index].relationships.indices {
                // A relationship to a hidden object is nil.
                visible.entities[index].relationships[place].isOptional = true
            }
        }
        let model = try ManagedObjectModel(visible)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        let user = try rules.email.flatMap { email in
            try world.coordinator.withContext { context in
                try context.objectIDs(FetchRequest("User", predicate: try ObjectPredicate("email == %@", email))).first
            }
        }
        try RandomBlog.copy(from: world.coordinator, to: coordinator) { object in
            try rules.conditions(for: object.entity, user: user).contains { try $0.evaluate(with: object) }
        }
        copy = try API(coordinator, options: APIOptions().patient)
        names = try RandomBlog.names(world.coordinator, world.api.catalogue)
        copiedNames = try RandomBlog.names(coordinator, copy.catalogue)
        references = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
        copiedReferences = Dictionary(uniqueKeysWithValues: copiedNames.map { ($1, $0) })
    }

    /// Whether both APIs give the same answer; records the difference otherwise.
    mutating func agrees(on read: RandomRead) throws -> Bool {
        var target: String? = read.target(references)
        var copiedTarget: String? = read.target(copiedReferences)
        for _ in 0..<12 {
            guard let asked = target, let copiedAsked = copiedTarget else { break }
            let fields: HeaderFields = read.isStream ? [.accept: "application/x-ndjson"] : HeaderFields()
            let answer = try world.send(as: rules.credential, .get, asked, fields: fields)
            let request = HTTPRequest(.get, APIWorld.encoded(copiedAsked), fields: fields)
            let expected = try Answer(copy.respond(to: request), statements: nil)
            let shown = shown(answer, names)
            let wanted = self.shown(expected, copiedNames)
            guard shown == wanted else {
                Issue.record(
                    """
                    \(asked)
                    with rules: \(shown)
                    of a copy: \(wanted)
                    \(rules.credential) under \(rules.text)
                    """
                )
                return false
            }
            guard try isKnown(answer, at: asked, fields, onlyTo: rules.credential) else { return false }
            target = answer["next"]?.string
            copiedTarget = expected["next"]?.string
        }
        return true
    }

    /// Whether the tag of an answer tells other identities that nothing has changed only if they get the same answer.
    private func isKnown(
        _ answer: Answer,
        at target: String,
        _ fields: HeaderFields,
        onlyTo credential: String
    ) throws -> Bool {
        guard let tag = answer.fields[.etag] else { return true }
        for other in ["one a1", "two a2", "admin"] where other != credential {
            var conditional = fields
            conditional[.ifNoneMatch] = tag
            guard try world.send(as: other, .get, target, fields: conditional).status == 304 else { continue }
            let same = try world.send(as: other, .get, target, fields: fields)
            guard same.text != answer.text else { continue }
            Issue.record("\(target): “\(other)” has the tag of “\(credential)” with \(answer.text), not \(same.text)")
            return false
        }
        return true
    }

    /// An answer with names in the place of references, without versions.
    private func shown(_ answer: Answer, _ names: [String: String]) -> String {
        guard answer.status == 200 else { return "\(answer.status) \(answer["code"]?.string ?? "")" }
        return answer.text.split(separator: "\n").map { line in
            guard let json = try? JSONValue(parsing: Array(line.utf8)) else { return String(line) }
            return shown(json, names).serialized()
        }.joined(separator: "\n")
    }

    private func shown(_ json: JSONValue, _ names: [String: String]) -> JSONValue {
        if let object = json.object {
            let members = object.members.filter { $0.name != "_version" }.map { member in
                // Cursors have keys of the store.
                let isLink = member.name == "next" && member.value.string != nil
                return (member.name, isLink ? "…" : shown(member.value, names))
            }
            return .object(JSONObject(members))
        }
        if let array = json.array { return .array(array.map { shown($0, names) }) }
        return json.string.flatMap { names[$0] }.map(JSONValue.string) ?? json
    }
}
