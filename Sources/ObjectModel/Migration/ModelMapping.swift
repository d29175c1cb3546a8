// SPDX-License-Identifier: Apache-2.0

// How the objects of one version of a model become objects of another, as a value that any store can execute.

public import Predicates

/// What becomes of each object of a store when it is migrated.
///
///     let mapping = ModelMapping(from: old, to: new)
///     mapping["Post"]?.attributes.map(\.name)          // ["title", "summary"]
///
/// 1. There is one mapping for each concrete entity of the new version. No entity of the old version is the source of
///    two.
/// 2. An entity's mapping names each stored property that the entity has, inherited ones too, in the model's order.
/// 3. A source is a property that the source entity has, and of the same kind: an attribute or a relationship.
/// 4. `removed` has the concrete entities of the old version that are no mapping's source. Their objects are deleted.
public struct ModelMapping: Hashable, Sendable {
    public let old: Model
    public let new: Model
    /// In the order of the new version's entities.
    public let entities: [EntityMapping]
    public let removed: [String]
    /// The former name of each entity of the new version, abstract ones included, that the old version has.
    package let formerNames: [String: String]

    init(old: Model, new: Model, entities: [EntityMapping], formerNames: [String: String]) {
        self.old = old
        self.new = new
        self.entities = entities
        self.formerNames = formerNames
        let sources = Set(entities.compactMap(\.source))
        removed = old.entities.filter { !$0.isAbstract && !sources.contains($0.name) }.map(\.name)
    }

    /// The mapping of a concrete entity of the new version.
    public subscript(name: String) -> EntityMapping? { entities.first { $0.name == name } }
}

/// What the objects of one entity are made from.
public struct EntityMapping: Hashable, Sendable {
    /// The entity of the new version.
    public let name: String
    /// The entity of the old version whose objects become these; nil if the entity begins without objects.
    public let source: String?
    public let attributes: [AttributeMapping]
    public let relationships: [RelationshipMapping]
    /// Objects for which this isn't true are deleted; nil if all remain.
    public let filter: ObjectPredicate?

    /// The properties that rules give.
    let ruledNames: Set<String>
    /// The properties of the source that rules only give another name.
    let renamedNames: Set<String>

    /// The names of properties of the old version that rules read.
    package var readNames: Set<String> {
        var names = attributes.compactMap(\.expression).reduce(into: Set<String>()) { $0.formUnion($1.ownKeys) }
        for expression in relationships.compactMap(\.expression) { names.formUnion(expression.ownKeys) }
        names.formUnion(filter?.ownKeys ?? [])
        return names
    }

    public func attribute(named name: String) -> AttributeMapping? { attributes.first { $0.name == name } }

    public func relationship(named name: String) -> RelationshipMapping? { relationships.first { $0.name == name } }
}

/// Where the values of an attribute come from. Derived values are computed after a migration.
public struct AttributeMapping: Hashable, Sendable {
    public let name: String
    /// The attribute of the source whose values it gets, converted to the new type; nil if there is none.
    public let source: String?
    /// The values over the old object, if a rule says them. Then there is no source.
    public let expression: ObjectExpression?
    /// The value of objects that have none otherwise; `.null` if they keep none.
    public let fallback: Value
}

/// Which objects a relationship refers to afterwards.
public struct RelationshipMapping: Hashable, Sendable {
    public let name: String
    /// The relationship of the source that referred to them; nil if there is none. Then its inverse decides, if that has
    /// a source.
    public let source: String?
    /// The destination over the old object, if a rule says it. Then there is no source.
    public let expression: ObjectExpression?
}

extension ObjectExpression {
    /// The first keys of all key paths from the object itself.
    fileprivate var ownKeys: Set<String> {
        var keys: Set<String> = []
        if case .keyPath(of: .evaluatedObject, let path) = self, case .name(let key)? = path.first { keys.insert(key) }
        forEachPart {
            keys.formUnion($0.ownKeys)
        } _: {
            keys.formUnion($0.ownKeys)
        }
        return keys
    }
}

extension ObjectPredicate {
    fileprivate var ownKeys: Set<String> {
        var keys: Set<String> = []
        forEachPart {
            keys.formUnion($0.ownKeys)
        } _: {
            keys.formUnion($0.ownKeys)
        }
        return keys
    }
}
