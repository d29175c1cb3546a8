// SPDX-License-Identifier: Apache-2.0

// Many IDs in little room: those of rows that a store has numbered one after the other.

public import FoundationEssentials

/// The IDs of objects of one entity whose references are consecutive numbers.
public struct ObjectIDRange: Sendable {
    public let entity: EntityDescription
    public let store: UUID
    public let references: ClosedRange<Int64>

    public init(entity: EntityDescription, store: UUID, references: ClosedRange<Int64>) {
        (self.entity, self.store, self.references) = (entity, store, references)
    }

    /// An ID may name an entity above the objects' own.
    public func contains(_ objectID: ManagedObjectID) -> Bool {
        guard case .integer(let number)? = objectID.reference else { return false }
        return objectID.storeIdentifier == store && entity.isKind(of: objectID.entity) && references.contains(number)
    }
}

extension ObjectIDRange: Sequence {
    public func makeIterator() -> some IteratorProtocol<ManagedObjectID> {
        references.lazy.map { ManagedObjectID(entity: entity, store: store, reference: .integer($0)) }.makeIterator()
    }
}
