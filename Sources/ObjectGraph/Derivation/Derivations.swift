// SPDX-License-Identifier: Apache-2.0

// Derived attributes: their values, and the objects that depend on changed ones.

import FoundationEssentials
import ObjectModel
public import Predicates

/// The derived attributes of a model. Stores compute them with each save.
///
/// 1. The values of an object are computed when its row is saved, and when a row or relationship that they depend on
///    changes.
/// 2. In the latter case the object's version is unchanged, so that edits of it don't conflict, and `now()` keeps its
///    value.
/// 3. Dependents are found through inverses. For a relationship without an inverse, values are as of the last save of
///    their own object.
/// 4. Values may be derived from derived ones: they are recomputed in rounds, until no round changes a row.
public struct Derivations: Sendable {
    /// A derived attribute and what it reads.
    package struct Derivation: Sendable {
        package let attribute: AttributeDescription
        package let expression: ObjectExpression
        /// The relationships that it follows.
        package let path: [RelationshipDescription]

        /// Whether it depends on the object's row alone.
        package var isLocal: Bool { path.isEmpty }

        /// The names of all properties that it reads, on any entity.
        package var keysRead: Set<String> { expression.keysRead }

        package var isNow: Bool {
            if case .function(.now, _) = expression { true } else { false }
        }
    }

    /// The derived attributes of each entity.
    private var derivations: [[Derivation]]
    /// The relationship paths from each entity's objects to their dependents.
    private var dependentPaths: [Set<[RelationshipDescription]>]
    /// Whether values may be derived from derived ones, so that one round isn't enough.
    public private(set) var areChained = false

    /// The largest number of rounds: more than the length of any chain of objects. Values that are derived from each
    /// other in a circle may change forever.
    package static let roundLimit = 1000

    public init(_ model: ManagedObjectModel) {
        derivations = Array(repeating: [], count: model.entities.count)
        dependentPaths = Array(repeating: [], count: model.entities.count)
        for entity in model.entities {
            for attribute in entity.derivedAttributes where attribute.isPersistent {
                guard let expression = attribute.derivation else { continue }
                let path = Self.path(of: expression, from: entity, model)
                let derivation = Derivation(attribute: attribute, expression: expression, path: path)
                derivations[entity.index].append(derivation)
                addDependentPaths(back: path, model)
                let read = model.kinds(of: path.last.map(model.destination(of:)) ?? entity)
                if read.contains(where: { $0.derivedAttributes.contains { derivation.keysRead.contains($0.name) } }) {
                    areChained = true
                }
            }
        }
    }

    public var isEmpty: Bool { derivations.allSatisfy(\.isEmpty) }

    /// The persistent derived attributes of an entity.
    package func attributes(of entity: EntityDescription) -> [Derivation] { derivations[entity.index] }

    /// The relationship paths from an entity's objects to their dependents, for stores that follow them for many
    /// objects at once.
    public func dependentPaths(from entity: EntityDescription) -> [[RelationshipDescription]] {
        dependentPaths[entity.index].sorted { $0.map(\.name).lexicographicallyPrecedes($1.map(\.name)) }
    }

    /// The attributes of an entity that depend on other objects, and change without a new version of their own row.
    public func attributesDependingOnOthers(in entity: EntityDescription) -> [AttributeDescription] {
        derivations[entity.index].filter { !$0.isLocal }.map(\.attribute)
    }

    /// The relationships that an expression follows.
    private static func path(
        of expression: ObjectExpression,
        from entity: EntityDescription,
        _ model: ManagedObjectModel
    ) -> [RelationshipDescription] {
        switch expression {
        case .function(_, let operands):
            return operands.first.map { path(of: $0, from: entity, model) } ?? []
        case .keyPath(of: .evaluatedObject, let keys):
            var path: [RelationshipDescription] = []
            var entity = entity
            for case .name(let name) in keys {
                guard let relationship = entity.relationship(named: name) else { break }
                path.append(relationship)
                entity = model.destination(of: relationship)
            }
            return path
        default: return []
        }
    }

    private mutating func addDependentPaths(back path: [RelationshipDescription], _ model: ManagedObjectModel) {
        var way: [RelationshipDescription] = []
        for relationship in path {
            let destination = model.destination(of: relationship)
            guard let inverse = relationship.inverse.flatMap({ destination.relationship(named: $0.name) }) else {
                return
            }
            way.insert(inverse, at: 0)
            for index in destination.kinds { dependentPaths[index].insert(way) }
        }
    }
}

extension Derivations {
    /// The objects whose derived values depend on some others, by the present relationships. A store calls it before
    /// and after a save.
    public func dependents(
        on objects: some Sequence<ManagedObjectID>,
        in source: some DerivationSource
    ) -> Set<ManagedObjectID> {
        var dependents: Set<ManagedObjectID> = []
        for object in objects {
            for way in dependentPaths[object.entity.index] {
                dependents.formUnion(
                    way.reduce([object]) { reached, step in reached.flatMap { source.objects(of: step, $0) } }
                )
            }
        }
        return dependents
    }

    /// Recomputes the derived values of saved rows, and of all rows that depend on what a save has changed.
    ///
    /// - Parameters:
    ///   - saved: The objects whose rows the save has written.
    ///   - touched: The objects that it has changed, linked or unlinked.
    ///   - former: The objects that depended on these before.
    ///   - overwritten: The objects whose rows the store has changed in another way since.
    /// - Returns: The saved rows in their final state, then other rows that have changed.
    public func recompute<Target: DerivationTarget>(
        _ saved: [ManagedObjectID],
        touched: [ManagedObjectID],
        formerDependents former: Set<ManagedObjectID>,
        overwritten: Set<ManagedObjectID> = [],
        in target: inout Target,
        with evaluator: Evaluator
    ) throws -> [Snapshot] {
        let written = Set(saved)
        var changed = Dictionary(uniqueKeysWithValues: overwritten.map { ($0, Snapshot?.none) })
        var pending = written.union(touched).union(former).union(overwritten)
        pending.formUnion(dependents(on: touched + overwritten, in: target))
        var rounds = 0
        while !pending.isEmpty {
            rounds += 1
            guard rounds <= Self.roundLimit else { throw endless(pending) }
            let round = try target.recompute(pending, saved: written, by: self, with: evaluator)
            changed.merge(round) { first, latest in latest == nil ? nil : first }
            let overwritten = Set(round.filter { $0.value == nil }.keys)
            pending = dependents(on: areChained ? Set(round.keys) : overwritten, in: target).union(overwritten)
        }
        return try saved.compactMap { try target.snapshot(of: $0) }
            + changed.compactMap { objectID, before -> Snapshot? in
                guard !written.contains(objectID), let row = try target.snapshot(of: objectID) else { return nil }
                return before.map(row.recomputed(since:)) ?? row
            }
    }

    /// A row with its derived values computed. Values that can't be computed are nil.
    ///
    /// - Parameter object: The object with the row's values and its relationships.
    /// - Parameter isSaved: Whether the row is saved, rather than recomputed.
    /// - Parameter known: Values that the store has computed itself, by slot.
    public func derive(
        _ row: Row,
        of entity: EntityDescription,
        from object: some KeyValueObject,
        isSaved: Bool,
        with evaluator: Evaluator,
        knowing known: [Int: Value] = [:]
    ) -> Row {
        var row = row
        for derivation in derivations[entity.index] where isSaved || !derivation.isNow {
            let slot = derivation.attribute.slot
            row.attributes[slot] =
                known[slot].map { derivation.attribute.accepting(computed: $0) ?? .null }
                ?? derivation.attribute.value(derivation.expression, object, evaluator)
        }
        return row
    }

    /// The error that derived values change in every round.
    ///
    /// - Parameter objects: The objects that still change.
    package func endless(_ objects: some Sequence<ManagedObjectID>) -> GraphError {
        let names = Set(objects.map(\.entity)).flatMap { entity in
            attributesDependingOnOthers(in: entity).map { "\(entity.name).\($0.name)" }
        }
        return GraphError(
            .endlessDerivation,
            "Derived values never become stable: \(names.sorted().joined(separator: ", ")).",
            hint: "Make sure that no value is derived from itself, not even through other objects."
        )
    }

    /// A save whose rows have the derived values that depend only on the row itself, for uniqueness constraints.
    public func deriveLocally(_ request: StoreSaveRequest, with evaluator: Evaluator) -> StoreSaveRequest {
        guard !isEmpty else { return request }
        var request = request
        for (index, insertion) in request.insertions.enumerated() {
            request.insertions[index].row = deriveLocally(insertion.row, of: insertion.objectID.entity, with: evaluator)
        }
        for (index, update) in request.updates.enumerated() {
            request.updates[index].row = deriveLocally(update.row, of: update.objectID.entity, with: evaluator)
        }
        return request
    }

    /// The same for one row.
    public func deriveLocally(_ row: Row, of entity: EntityDescription, with evaluator: Evaluator) -> Row {
        let object = RowValues(entity: entity, row: row)
        var row = row
        for derivation in derivations[entity.index] where derivation.isLocal {
            row.attributes[derivation.attribute.slot] = derivation.attribute.value(
                derivation.expression,
                object,
                evaluator
            )
        }
        return row
    }
}

/// A row without relationships, for values that depend on it alone.
private struct RowValues: KeyValueObject {
    let entity: EntityDescription
    let row: Row

    var reference: ObjectReference? { nil }

    func isUntyped(_ key: String) -> Bool { entity.isUntyped(key) }

    func operand(forKey key: String) -> Operand? {
        entity.attribute(named: key).map { .value(row.attributes[$0.slot]) }
    }
}

extension DerivationSource {
    fileprivate func objects(of relationship: RelationshipDescription, _ owner: ManagedObjectID) -> [ManagedObjectID] {
        if relationship.isToMany { return members(of: relationship, owner: owner) }
        return row(of: owner)?.toOnes[relationship.slot].map { [$0] } ?? []
    }
}

extension ObjectExpression {
    fileprivate var keysRead: Set<String> {
        switch self {
        case .keyPath(_, let keys): Set(keys.compactMap { if case .name(let name) = $0 { name } else { nil } })
        case .function(_, let operands): Set(operands.flatMap(\.keysRead))
        default: []
        }
    }
}

extension AttributeDescription {
    fileprivate func value(
        _ expression: ObjectExpression,
        _ object: some KeyValueObject,
        _ evaluator: Evaluator
    ) -> Value {
        guard case .value(let value)? = try? evaluator.operand(of: expression, for: object) else { return .null }
        return accepting(computed: value) ?? .null
    }
}
