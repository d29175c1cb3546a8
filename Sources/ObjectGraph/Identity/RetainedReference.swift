// SPDX-License-Identifier: Apache-2.0

// The identity that an object had in another store.

/// A reference from elsewhere that a new object keeps, if its store has never assigned it.
///
///     let tag = try context.insert("Tag")
///     try context.keep(RetainedReference(reference: .integer(7), version: 3), for: tag)
///
/// The object's version is greater than its former one, so that a version of the other store never matches here.
public struct RetainedReference: Hashable, Sendable {
    public let reference: ManagedObjectID.Reference
    /// The last version of the object, or nil if unknown.
    public let version: Int64?

    /// Nil if the version is too large for a greater one.
    public init?(reference: ManagedObjectID.Reference, version: Int64? = nil) {
        if let version, version >= Self.limit { return nil }
        self.reference = reference
        self.version = version
    }

    /// Numbers from here on aren't kept, so that greater ones can always be assigned.
    public static let limit: Int64 = 1 << 62

    /// The version of the new row.
    package var nextVersion: Int64 { max(version ?? 0, 0) + 1 }
}

extension ManagedObjectID.Reference {
    /// The number that a store with numbered rows may keep, or nil.
    public var numberToKeep: Int64? {
        guard case .integer(let number) = self, number > 0, number < RetainedReference.limit else { return nil }
        return number
    }
}

extension GraphError {
    /// Thrown by a store if a reference to be kept was assigned to another object meanwhile.
    public static func referenceAssigned(_ objectID: ManagedObjectID) -> GraphError {
        GraphError(
            .conflict,
            "The reference \(objectID.objectReference) was meanwhile assigned to another object.",
            object: objectID,
            hint: "Save again: the object gets a new reference."
        )
    }
}
