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
public struct Derivations: Sendable {
    private struct Derivation: Sendable {
        let attribute: AttributeDescription
        let expression: ObjectExpression
        /// Whether it depends on the object's row alone.
        let isLocal: Bool

        var isNow: Bool {
            if case .function(.now, _) = expression { true } else { false }
        }
    }

    /// The derived attributes of each entity.
    private var derivations: [[Derivation]]
    /// The relationship paths from each entity's objects to their dependents.
    private var dependentPaths: [Set<[RelationshipDescription]>]
    /// Whether values may be derived from derived ones, so that one round isn't enough.
    public private(set) var areChained = false

    /// The largest number of rounds of a save: more than the length of any chain of objects.
    public static let roundLimit = 1000

    public init(_ model: ManagedObjectModel) {
        derivations = Array(repeating: [], count: model.entities.count)
        dependentPaths = Array(repeating: [], count: model.entities.count)
        for entity in model.entities {
            for attribute in entity.derivedAttributes where attribute.isPersistent {
                guard let expression = attribute.derivation else { continue }
                let path = Self.path(of: expression, from: entity, model)
                derivations[entity.index].append(
                    Derivation(attribute: attribute, expression: expression, isLocal: path.isEmpty)
                )
                addDependentPaths(back: path, model)
                if !areChained { areChained = Self.readsDerived(expression, from: entity, model) }
            }
        }
    }

    public var isEmpty: Bool { derivations.allSatisfy(\.isEmpty) }

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

    private static func readsDerived(
        _ expression: ObjectExpression,
        from entity: EntityDescription,
        _ model: ManagedObjectModel
    ) -> Bool {
        switch expression {
        case .function(_, let operands):
            return operands.first.map { readsDerived($0, from: entity, model) } ?? false
        case .keyPath(of: .evaluatedObject, let keys):
            let last = path(of: expression, from: entity, model).last.map(model.destination(of:)) ?? entity
            return keys.contains { key in
                guard case .name(let name) = key else { return false }
                return model.kinds(of: last).contains { $0.attribute(named: name)?.isDerived ?? false }
            }
        default: return false
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

    /// A save whose rows have the derived values that depend only on the row itself, for uniqueness constraints.
    public func deriveLocally(_ request: StoreSaveRequest, with evaluator: Evaluator) -> StoreSaveRequest {
        guard !isEmpty else { return request }
        var request = request
        for index in request.insertions.indices {
            let insertion = request.insertions[index]
            request.insertions[index].row = deriveLocally(insertion.row, of: insertion.objectID.entity, with: evaluator)
        }
        for index in request.updates.indices {
            let update = request.updates[index]
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

extension GraphError {
    /// Derived values that change in every round.
    ///
    /// - Parameter entities: The entities of the objects that still change.
    public static func endlessDerivation(_ entities: some Sequence<EntityDescription>) -> GraphError {
        let names = Set(entities).flatMap { entity in
            entity.attributes.filter { attribute in
                if case .keyPath(of: .evaluatedObject, let keys)? = attribute.derivation {
                    keys.count > 1
                } else {
                    false
                }
            }.map { "\(entity.name).\($0.name)" }
        }
        return GraphError(
            .endlessDerivation,
            "Derived values never become stable: \(names.sorted().joined(separator: ", ")).",
            hint: "Make sure that no value is derived from itself, not even through other objects."
        )
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
