// SPDX-License-Identifier: Apache-2.0

// Plans reading the destinations of one object's property: `GET /api/{E}/{pk}/{relationship}`.

import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension FetchPlan {
    /// Reads a to-many relationship or a fetched property.
    init(
        _ request: APIRequest,
        along property: ResourceProperty,
        of owner: ObjectLocation,
        in api: API
    ) throws(Problem) {
        if let relationship = property.relationship {
            let defaults = Defaults(
                source: Source(owner, relationship),
                membership: api.membership(of: owner, along: relationship)
            )
            try self.init(request, of: api.catalogue.destination(of: relationship), defaults, in: api)
        } else if case .fetched(let fetched) = property.property,
            let entity = api.catalogue.model.entity(named: fetched.property.fetchRequest.entityName)
        {
            var defaults = Defaults(fetched.property.fetchRequest)
            defaults.source = .fetched(of: owner, fetched)
            try self.init(request, of: api.catalogue[entity], defaults, in: api)
        } else {
            throw Problem(.notImplemented, "This isn't implemented yet.")
        }
    }
}

extension FetchPlan.Source {
    fileprivate init(_ owner: ObjectLocation, _ relationship: RelationshipDescription) {
        self =
            relationship.isOrdered || relationship.inverse == nil
            ? .ordered(of: owner, relationship) : .members(of: owner, relationship)
    }
}

extension API {
    /// The condition for members of an object's relationship, on the inverse; nil if there is no inverse.
    fileprivate func membership(
        of owner: ObjectLocation,
        along relationship: RelationshipDescription
    ) -> ObjectPredicate? {
        guard let inverse = relationship.inverse, let objectID = names.objectID(of: owner.resource, key: owner.key)
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
