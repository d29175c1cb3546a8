// SPDX-License-Identifier: Apache-2.0

// Reads a model from the objects of an archive: the shared state, and the model itself.

import Predicates
import PropertyList

struct CompiledReader {
    let file: String?
    var issues: [ModelIssue] = []
    /// The current location, for issues.
    var place: ModelIssue.Place
    var composites = CompositeCollection()
    /// How many members of lists may still be read. Archived objects can be referenced many times, so a small archive
    /// can describe a huge model.
    private var budget = 250_000
    /// The longest name in bytes, which bounds the cost of sorting and look-ups.
    private static let longestName = 1024

    init(file: String?) {
        self.file = file
        place = ModelIssue.Place(file: file)
    }

    mutating func model(_ object: ArchivedObject) throws(ModelError) -> Model {
        var entities: [Entity] = []
        for value in try entityValues(of: object) {
            guard let archived = value.object, archived.isKind(of: "NSEntityDescription") else {
                report("An element of the entities isn't an entity, and is ignored.")
                continue
            }
            let entity = try entity(archived)
            guard (1...Self.longestName).contains(entity.name.utf8.count) else {
                report("An entity without a name, or with a too long one, is ignored.")
                continue
            }
            entities.append(entity)
        }
        // An archive's dictionaries are unordered.
        entities.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let identifiers = try members(object["NSVersionIdentifiers"]).compactMap(\.string).filter { !$0.isEmpty }
        return Model(
            entities: entities,
            composites: composites.all,
            configurations: try configurations(of: object),
            fetchRequestTemplates: try templates(of: object),
            versionIdentifiers: identifiers.inBinaryOrder()
        )
    }

    /// The current format has the entities in a known-keys dictionary, the older one in a plain dictionary.
    private mutating func entityValues(of object: ArchivedObject) throws(ModelError) -> [ArchivedValue] {
        if let known = object["NSEntities"]?.object { return try members(known["values"]) }
        return try entries(object["NSEntities"]).map(\.value)
    }

    private mutating func configurations(of object: ArchivedObject) throws(ModelError) -> [Configuration] {
        var configurations: [Configuration] = []
        for (name, value) in try entries(object["NSConfigurations"]) {
            let names = try members(value).compactMap { $0.object?.text("NSEntityName") }
            configurations.append(Configuration(name: name, entityNames: names.inBinaryOrder()))
        }
        return configurations
    }

    private mutating func templates(of object: ArchivedObject) throws(ModelError) -> [FetchRequestTemplate] {
        var templates: [FetchRequestTemplate] = []
        for (name, value) in try entries(object["NSFetchRequestTemplates"]) {
            place = ModelIssue.Place(file: file)
            guard let request = value.object else { continue }
            templates.append(try template(request, name: name, what: "The fetch request “\(name)”"))
        }
        return templates
    }
}

extension CompiledReader {
    /// The members of an array or set, or none.
    mutating func members(_ value: ArchivedValue?) throws(ModelError) -> [ArchivedValue] {
        guard let members = value?.members else { return [] }
        try charge(members.count)
        return Array(members)
    }

    /// The entries of a dictionary that have strings as keys, in binary order.
    mutating func entries(_ value: ArchivedValue?) throws(ModelError) -> [(key: String, value: ArchivedValue)] {
        guard let dictionary = value?.dictionary else { return [] }
        try charge(dictionary.count)
        var entries: [(key: String, value: ArchivedValue)] = []
        for case (.string(let key), let value) in dictionary where key.utf8.count <= Self.longestName {
            entries.append((key, value))
        }
        return entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// Reads a predicate, charging its terms to the budget.
    mutating func predicate(_ value: ArchivedValue) throws(UnreadablePredicate) -> ObjectPredicate {
        var unarchiver = PredicateUnarchiver(terms: budget)
        let terms = unarchiver.terms
        defer { budget -= terms - unarchiver.terms }
        return try unarchiver.predicate(value)
    }

    mutating func expression(_ value: ArchivedValue) throws(UnreadablePredicate) -> ObjectExpression {
        var unarchiver = PredicateUnarchiver(terms: budget)
        let terms = unarchiver.terms
        defer { budget -= terms - unarchiver.terms }
        return try unarchiver.expression(value)
    }

    mutating func userInfo(_ value: ArchivedValue?) throws(ModelError) -> UserInfo {
        var info = UserInfo()
        for (key, value) in try entries(value) {
            if let text = value.string {
                info.entries.append(UserInfo.Entry(key: key, value: text))
            } else {
                report("The user info's value for “\(key)” isn't a text, and is ignored.")
            }
        }
        return info
    }

    mutating func report(_ message: @autoclosure () -> String) {
        // Bounds the memory that issues take.
        guard issues.count < 1000 else { return }
        issues.append(ModelIssue(.modelLeftOut, at: place, message()))
    }

    private mutating func charge(_ count: Int) throws(ModelError) {
        guard count <= budget else {
            throw ModelError(.syntax, at: ModelIssue.Place(file: file), "The compiled model is too large.")
        }
        budget -= count
    }
}

extension ArchivedObject {
    /// Non-empty text.
    func text(_ key: String) -> String? { self[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    func flag(_ key: String) -> Bool { self[key]?.boolean ?? false }

    func integer(_ key: String) -> Int? { self[key]?.integer() }

    /// The renaming identifier; archives repeat the name if there is none.
    func renamingIdentifier(besides name: String) -> String? {
        text("NSRenamingIdentifier").flatMap { $0 == name ? nil : $0 }
    }
}
