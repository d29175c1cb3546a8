// SPDX-License-Identifier: Apache-2.0

// What new objects were called in the store that they come from, as rows that were shown there say it.

import JSON
import ObjectGraph

extension API {
    /// Whether new objects may keep their numbers: those of a draft get theirs when it is saved, maybe by another process.
    var keepsIDs: Bool { names.temporaryIDs == nil }
}

extension Catalogue {
    /// What a row says that its object was called; nil where that is no reference to an object of the entity.
    func identity(of row: JSONObject, _ resource: Resource) -> KeptIdentity? {
        guard let json = row["_id"], let location = BodyReader(self).location(json),
            location.resource.entity.rootIndex == resource.entity.rootIndex
        else { return nil }
        return KeptIdentity(reference: ManagedObjectID.Reference(key: location.key), version: row["_version"]?.int64)
    }
}
