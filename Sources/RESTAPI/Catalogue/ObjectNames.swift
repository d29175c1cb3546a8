// SPDX-License-Identifier: Apache-2.0

// From what requests call objects to their IDs.

import ObjectGraph

struct ObjectNames: Sendable {
    let coordinator: PersistentStoreCoordinator
    /// The names of new objects, in an editing context.
    let temporaryIDs: TemporaryIDs?

    /// The object that a path or a reference names, be it there or not.
    func objectID(of resource: Resource, _ key: String) -> ManagedObjectID? {
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
