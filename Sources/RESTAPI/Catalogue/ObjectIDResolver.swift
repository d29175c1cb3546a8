// SPDX-License-Identifier: Apache-2.0

// Resolves the names of objects in requests to IDs.

import ObjectGraph

struct ObjectIDResolver: Sendable {
    let coordinator: PersistentStoreCoordinator
    /// The temporary IDs of new objects, in an editing context.
    let temporaryIDs: TemporaryIDs?

    /// The object that a path or reference names, whether or not it exists.
    func objectID(of resource: Resource, key: String) -> ManagedObjectID? {
        if let number = Self.temporaryNumber(key), let objectID = temporaryIDs?.objectID(numbered: number) {
            return objectID.entity.rootIndex == resource.entity.rootIndex ? objectID : nil
        }
        let reference = ManagedObjectID.Reference(key: key)
        return coordinator.objectID(entity: resource.entity, reference: reference)
    }

    func objectID(forURI uri: String) -> ManagedObjectID? {
        coordinator.objectID(forURI: uri)
            ?? temporaryIDs.flatMap { ids in
                coordinator.model.temporaryID(forURI: uri)?.temporaryNumber.flatMap(ids.objectID)
            }
    }

    /// The number in `t1`.
    private static func temporaryNumber(_ key: String) -> UInt32? {
        guard key.utf8.first == UInt8(ascii: "t"), let number = UInt32(key.dropFirst()), "t\(number)" == key else {
            return nil
        }
        return number
    }
}
