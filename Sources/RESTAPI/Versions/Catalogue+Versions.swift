// SPDX-License-Identifier: Apache-2.0

// Names and predicates of clients in the served model, and the reverse. For clients of the served version they are the
// same.

import ObjectGraph
import Predicates

extension Catalogue {
    /// The served entity for one of the version that clients use.
    func served(_ entity: EntityDescription) -> EntityDescription { view?.servedEntity(entity) ?? entity }

    /// A predicate that is valid for a resource's objects in the clients' version, for the stores.
    func served(_ predicate: ObjectPredicate, of resource: Resource) -> ObjectPredicate {
        view?.intoServed.translated(predicate, of: resource.described) ?? predicate
    }

    /// An expression over a resource's objects in the clients' version.
    func described(_ expression: ObjectExpression, of resource: Resource) -> ObjectExpression {
        view?.intoVersion.translated(expression, of: resource.entity) ?? expression
    }

    /// A value of `_entity` in a condition.
    func servedEntity(_ value: Value) -> Value { view?.intoServed.translatedEntities(value) ?? value }

    /// A value of `_entity` in a row.
    func shownEntity(_ value: Value) -> Value { view?.intoVersion.translatedEntities(value) ?? value }

    /// An object's URI, `x-coredata://STORE-UUID/Post/p42`, with the served entity's name.
    func servedURI(_ uri: String) -> String {
        guard let view else { return uri }
        var parts = uri.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 3 else { return uri }
        parts[3] = view.intoServed.entity(parts[3])
        return parts.joined(separator: "/")
    }

    /// The entities of a resource's objects that clients know: its own and its subentities.
    func kinds(of resource: Resource) -> [Resource] {
        model.kinds(of: resource.entity).map { self[$0] }.filter {
            view == nil || view?.description(of: $0.entity) != nil
        }
    }

    /// The condition for a resource's objects that clients know; nil if they know all.
    func visibility(of resource: Resource) -> ObjectPredicate? {
        guard view != nil, case let known = kinds(of: resource), known.count < resource.entity.kinds.count else {
            return nil
        }
        let names = known.map { Value.string($0.entity.name) }
        return .comparing(.keyPath("entity"), .in, .constant(.array(names)))
    }

    /// Whether clients know the entity of an object.
    func shows(_ objectID: ManagedObjectID) -> Bool { view?.description(of: objectID.entity) != nil || view == nil }

    /// Whether these are the names that an identity knows. It doesn't learn of others.
    var isOfIdentity: Bool { view?.isOfIdentity == true }

    /// The name of a property, or of an element of a composite, in a problem. One that clients of another version don't
    /// know has its own name; nil for one that an identity may not know.
    func name(ofPath path: String, of entity: EntityDescription?) -> String? {
        if let name = entity.flatMap({ self[$0].name(ofPath: path) }) { return name }
        guard !isOfIdentity else { return nil }
        return path.split(separator: ".", omittingEmptySubsequences: false)
            .map { ResourceProperty.name(of: String($0)) }.joined(separator: ".")
    }

    /// The names of the properties of a uniqueness constraint; nil if an identity may not know all of them.
    func names(of constraint: [PropertyDescription], of entity: EntityDescription?) -> [String]? {
        let names = constraint.compactMap { name(ofPath: $0.name, of: entity) }
        return names.count == constraint.count ? names : nil
    }

    /// The message of a failure with the property's name for clients.
    func message(of failure: ValidationFailure) -> String {
        guard view != nil, let path = failure.property else { return failure.message }
        guard let name = name(ofPath: path, of: entity(of: failure)) else { return "Something else of it is invalid." }
        return failure.message.hasPrefix(path) ? name + failure.message.dropFirst(path.count) : failure.message
    }

    /// The name of a failure's property for clients.
    func property(of failure: ValidationFailure) -> String? {
        failure.property.flatMap { name(ofPath: $0, of: entity(of: failure)) }
    }

    private func entity(of failure: ValidationFailure) -> EntityDescription? {
        failure.objectID?.entity ?? failure.entityName.flatMap(model.entity(named:))
    }
}
