// SPDX-License-Identifier: Apache-2.0

// New objects that keep the numbers they had in another store.

import JSON
import ObjectGraph

extension API {
    /// Whether new objects may keep their numbers. In a draft they can't: they get numbers when it is saved, possibly
    /// by another process.
    var keepsIDs: Bool { names.temporaryIDs == nil }
}

extension Catalogue {
    /// The former identity of a row's object, or nil if the row has no reference to an object of the entity.
    func identity(of row: JSONObject, _ resource: Resource) -> RetainedReference? {
        guard let json = row["_id"], let location = BodyReader(self).location(json),
            location.resource.entity.rootIndex == resource.entity.rootIndex
        else { return nil }
        return RetainedReference(
            reference: ManagedObjectID.Reference(key: location.key),
            version: row["_version"]?.int64
        )
    }
}
