// SPDX-License-Identifier: Apache-2.0

// What clients may do with the objects of an entity, before a request names one.

import Identities
import ObjectGraph

extension API {
    /// Whether an access rule permits something with objects of an entity or one of its subentities, if there are rules, and
    /// stores can be changed. Drafts of read-only stores can be changed as well.
    func permits(_ verb: AccessVerb, _ resource: Resource) -> Bool {
        if verb != .read, !isOfContext, isReadOnly { return false }
        guard let access, let entity = access.model.entity(named: resource.entity.name) else { return true }
        return access.model.kinds(of: entity).contains { access.permission(verb, $0) != .never }
    }

    /// Whether access rules permit to write a property, as far as they permit to change its object.
    func permitsWriting(_ property: String, of resource: Resource) -> Bool {
        guard let access, let entity = access.model.entity(named: resource.entity.name) else { return true }
        return access.canWrite(property, of: entity)
    }

    /// Whether a new object gets its value of a property from the rules.
    func isForced(_ property: String, of resource: Resource) -> Bool {
        guard let access, let entity = access.model.entity(named: resource.entity.name) else { return false }
        return access.forcedValues(of: entity)[property] != nil
    }

    /// Whether objects of any entity can be created, changed or deleted.
    var permitsChanges: Bool {
        catalogue.described.resources.contains { resource in
            AccessVerb.allCases.contains { $0 != .read && permits($0, resource) }
        }
    }

    /// Whether all stores are read-only.
    var isReadOnly: Bool {
        let stores = coordinator.stores
        return !stores.isEmpty && stores.allSatisfy(\.isReadOnly)
    }
}
