// SPDX-License-Identifier: Apache-2.0

// From one object to others: `GET /api/{E}/{pk}/{relationship}`.

import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension Plan {
    /// What stands at the end of a relationship or of a fetched property; nil for an attribute.
    static func traversal(
        _ request: APIRequest,
        _ resource: Resource,
        _ key: String,
        _ property: ResourceProperty,
        in api: API
    ) throws(Problem) -> Plan? {
        let target = ObjectTarget(resource: resource, key: key)
        switch property.property {
        case .attribute: return nil
        case .relationship(let relationship) where !relationship.isToMany:
            return .object(try ObjectPlan(request, along: property, of: target, in: api))
        case .relationship(let relationship):
            let destination = api.catalogue.destination(of: relationship)
            let defaults = FetchPlan.Defaults(
                source: FetchPlan.Source(target, relationship),
                membership: api.membership(of: target, relationship)
            )
            return .fetch(try FetchPlan(request, of: destination, defaults, in: api))
        case .fetched(let fetched):
            let template = fetched.property.fetchRequest
            guard let entity = api.catalogue.model.entity(named: template.entityName) else { return nil }
            var defaults = FetchPlan.Defaults(template)
            defaults.source = .fetched(of: target, fetched)
            return .fetch(try FetchPlan(request, of: api.catalogue[entity], defaults, in: api))
        }
    }
}

extension FetchPlan.Source {
    fileprivate init(_ owner: ObjectTarget, _ relationship: RelationshipDescription) {
        self =
            relationship.isOrdered || relationship.inverse == nil
            ? .ordered(of: owner, relationship) : .members(of: owner, relationship)
    }
}

extension API {
    /// What holds of the members of an object's relationship, said from their side; nil where nothing leads back.
    fileprivate func membership(of owner: ObjectTarget, _ relationship: RelationshipDescription) -> ObjectPredicate? {
        guard let inverse = relationship.inverse, let objectID = names.objectID(of: owner.resource, owner.key)
        else { return nil }
        let comparison = Comparison(
            .keyPath(of: .evaluatedObject, [.name(inverse.name)]),
            .equal,
            .constant(objectID.value),
            modifier: inverse.isToMany ? .any : .direct
        )
        return comparison.withAllKinds(of: catalogue.model)
    }
}
