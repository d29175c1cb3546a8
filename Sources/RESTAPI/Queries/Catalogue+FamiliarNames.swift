// SPDX-License-Identifier: Apache-2.0

// References by the names that they have in other APIs and in SQL.

import ObjectGraph

/// What a name such as `id` or `author_id` means.
struct MeantReference: Equatable {
    /// `_id`, or a relationship.
    let name: String
    /// The entity of the object that it refers to.
    let resource: Resource
    let isMany: Bool
}

extension Catalogue {
    /// - Parameter name: A name that isn't a property.
    func reference(meantBy name: String, of resource: Resource) -> MeantReference? {
        if ["id", "ids"].contains(name.lowercased()) {
            return MeantReference(name: "_id", resource: resource, isMany: false)
        }
        guard let suffix = ["_ids", "_id", "Ids", "Id", "IDs", "ID"].first(where: name.hasSuffix) else { return nil }
        let stem = String(name.dropLast(suffix.count))
        guard let property = resource.property(named: stem) ?? resource.property(named: stem + "s"),
            let relationship = property.relationship
        else { return nil }
        return MeantReference(
            name: property.name,
            resource: destination(of: relationship),
            isMany: relationship.isToMany
        )
    }
}
