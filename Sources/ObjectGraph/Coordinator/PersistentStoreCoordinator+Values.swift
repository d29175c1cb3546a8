// SPDX-License-Identifier: Apache-2.0

// Large values past all contexts, from the store that has them and to the one that is to have them.

import FoundationEssentials

extension PersistentStoreCoordinator {
    /// The bytes of an object's attribute as they were saved last, or in a state of the stores, to be read piece by piece; nil
    /// where the object isn't there or has no value.
    ///
    ///     if let photo = try coordinator.openValue(of: attribute, object: person.objectID) {
    ///         let start = try photo.read(0..<min(photo.size, 65_536))
    ///     }
    public func openValue(
        of attribute: AttributeDescription,
        object: ManagedObjectID,
        at token: QueryGenerationToken? = nil
    ) throws(GraphError) -> (any ValueReader)? {
        guard let identifier = object.storeIdentifier, let store = store(identifier) else { return nil }
        return try GraphError.wrapping {
            try store.openValue(of: attribute, object: object, at: token?.generation(of: store))
        }
    }

    /// Takes in a large value for an object of an entity that is to be saved, piece by piece: see `ValueWriter`.
    public func stageValue(
        for attribute: AttributeDescription,
        of entity: EntityDescription
    ) throws(GraphError) -> any ValueWriter {
        let store = try storeForInserting(entity)
        return try GraphError.wrapping { try store.stageValue(for: attribute) }
    }
}
