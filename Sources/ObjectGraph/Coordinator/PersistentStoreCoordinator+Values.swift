// SPDX-License-Identifier: Apache-2.0

// Large values, read from and written to a store without a context.

import FoundationEssentials

extension PersistentStoreCoordinator {
    /// Opens an object's binary attribute for reading in pieces, as last saved or as of a generation; nil if the object
    /// is missing or has no value.
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

    /// Accepts a large value in pieces, for an object that will be saved: see `ValueWriter`.
    public func stageValue(
        for attribute: AttributeDescription,
        of entity: EntityDescription
    ) throws(GraphError) -> any ValueWriter {
        let store = try storeForInserting(entity)
        return try GraphError.wrapping { try store.stageValue(for: attribute) }
    }
}
