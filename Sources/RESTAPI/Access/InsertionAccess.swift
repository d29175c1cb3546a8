// SPDX-License-Identifier: Apache-2.0

// The rules for rows that a batch inserts.

import AccessRules
import Basics
import FoundationEssentials
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// Checks each row before it is inserted, and sets the values that creations force.
///
/// A condition that follows a relationship reads the row's destinations; one over the members of a new object, on computed
/// values, or on what the insertion changes of other objects, can't be checked before the row is stored, and is refused.
final class InsertionAccess {
    private let access: Access
    private let api: API
    private let entity: EntityDescription
    private let forced: [String: Value]
    private let permission: Access.Permission
    /// The relationships that would change other objects, which the rules may not permit.
    private let restricted: Set<String>
    private let effects: BatchEffects
    /// The readable objects among the destinations of recent rows.
    private var readable: [ManagedObjectID: Bool] = [:]

    private static let limit = 10_000

    /// Nil if everything is permitted. Throws if no row is.
    init?(_ plan: BatchPlan, merging policy: MergePolicy.Kind, in api: API) throws(Problem) {
        guard let access = api.access else { return nil }
        self.access = access
        self.api = api
        entity = plan.resource.entity
        forced = access.forcedValues(of: entity)
        permission = access.permission(.create, entity)
        restricted = Set(entity.relationships.filter { !access.permitsInBatch($0, links: true) }.map(\.name))
        effects = BatchEffects(inserting: entity, in: access.model)
        guard permission != .never else {
            throw Problem(.forbidden, "\(plan.resource.name) can't be created.").explained(
                by: access,
                .create,
                on: [entity]
            )
        }
        guard policy == .error else {
            throw Problem(
                .forbidden,
                "With access rules, a batch can't change the objects that have a row's unique values.",
                hint: "Use POST /api/\(plan.resource.path) or a transaction."
            )
        }
        if case .when(let rules) = permission, !rules.allSatisfy({ isKnownBefore($0.resulting) }) {
            throw Problem(
                .forbidden,
                "The access rules have a condition that can't be checked for a batch.",
                hint: "Create the objects with POST /api/\(plan.resource.path) or in a transaction."
            ).explained(by: access, .create, on: [entity])
        }
    }

    /// The row with the forced values, if it is permitted.
    func permitted(_ row: BatchInsertRequest.Row) throws -> BatchInsertRequest.Row {
        var row = row
        for name in row.values.keys.sorted() where forced[name] == nil && !access.canWrite(name, of: entity) {
            throw refusal("“\(api.catalogue[entity].name(ofProperty: name) ?? name)” can't be written.", writing: name)
        }
        for (name, value) in forced {
            row.values[name] = entity.attribute(named: name).map { $0.accepting(value) ?? .null } ?? value
        }
        if let name = row.values.keys.sorted().first(where: restricted.contains), row.values[name]?.references != [] {
            throw Problem.alongInBatch(
                api.catalogue[entity].name(ofProperty: name) ?? name,
                hint: "Create the objects in a transaction: its rules are checked for each object.",
                extras: [:]
            )
        }
        try checkReferences(row)
        guard case .when(let rules) = permission else { return row }
        let inserted = snapshot(of: row)
        let isPermitted = try api.coordinator.read { reader in
            let object = EvaluatedRow(snapshot: inserted, reader: reader)
            let evaluator = Evaluator.limited()
            return try rules.contains { try evaluator.matches($0.resulting, object) }
        }
        guard isPermitted else { throw refusal("It can't be created like this.") }
        return row
    }

    private func refusal(_ message: String, writing property: String? = nil) -> Problem {
        var problem = Problem(.forbidden, message)
        problem.errors = [Problem.Detail(code: "forbidden", message: message)]
        if let property, access.isExplained {
            problem.explain(by: [access.explanation(ofWriting: property, of: entity)])
        }
        return problem.explained(by: access, .create, on: [entity])
    }

    /// The row as an object that isn't stored.
    private func snapshot(of row: BatchInsertRequest.Row) -> Snapshot {
        var stored = Row(of: entity)
        for (name, value) in row.values {
            switch entity.property(named: name) {
            case .attribute(let attribute): stored.attributes[attribute.slot] = attribute.accepting(value) ?? .null
            case .relationship(let relationship) where !relationship.isToMany:
                if case .reference(let reference) = value {
                    stored.toOnes[relationship.slot] = api.names.objectID(forURI: reference.uri)
                }
            case .relationship, .fetched, nil: break
            }
        }
        let objectID = ManagedObjectID(entity: entity, store: UUID(), reference: .integer(0))
        return Snapshot(objectID: objectID, version: 0, row: stored)
    }

    /// Refuses references to objects that can't be read, as if these were missing.
    private func checkReferences(_ row: BatchInsertRequest.Row) throws {
        var named: [(property: String, objectID: ManagedObjectID)] = []
        for (name, value) in row.values where forced[name] == nil {
            named += value.references.compactMap { api.names.objectID(forURI: $0.uri) }.map { (name, $0) }
        }
        let unknown = OrderedMembers(named.map(\.objectID).filter { readable[$0] == nil }).members
        if !unknown.isEmpty {
            if readable.count > Self.limit { readable = [:] }
            let rows = try api.read { try $0.snapshots(of: unknown) }
            for (objectID, row) in zip(unknown, rows) { readable[objectID] = row != nil }
        }
        guard let hidden = named.first(where: { readable[$0.objectID] == false }) else { return }
        var error = GraphError.objectMissing(hidden.objectID)
        error.property = hidden.property
        throw error
    }

    /// Whether a condition on a new object can be evaluated before it is stored.
    private func isKnownBefore(_ predicate: ObjectPredicate) -> Bool {
        var isKnown = true
        predicate.forEachPart({ isKnown = isKnown && isKnownBefore($0) }, { isKnown = isKnown && isKnownBefore($0) })
        return isKnown
    }

    private func isKnownBefore(_ expression: ObjectExpression) -> Bool {
        switch expression {
        case .keyPath(of: .evaluatedObject, let keys):
            guard case .name(let name)? = keys.first, entity.attribute(named: name)?.isDerived != true else {
                return false
            }
            guard let relationship = entity.relationship(named: name) else { return true }
            return !relationship.isToMany
                && !effects.mayChange(keys.dropFirst(), from: access.model.destination(of: relationship))
        case .keyPath(let root, let keys): return isKnownBefore(root) && !effects.mayChange(keys, from: nil)
        case .subquery, .element: return false
        default:
            var isKnown = true
            expression.forEachPart(
                { isKnown = isKnown && isKnownBefore($0) },
                { isKnown = isKnown && isKnownBefore($0) }
            )
            return isKnown
        }
    }
}

extension Value {
    /// The references in a value.
    var references: [ObjectReference] {
        switch self {
        case .reference(let reference): [reference]
        case .array(let members): members.flatMap(\.references)
        default: []
        }
    }
}
