// SPDX-License-Identifier: Apache-2.0

// What an object was called in the store that it comes from.

/// The reference that a new object had elsewhere, and has in its new store as well if that never gave it to another object.
///
///     let tag = try context.insert("Tag")
///     try context.keep(KeptIdentity(reference: .integer(7), version: 3), for: tag)
///
/// The version of an object that keeps its reference is greater than the one that it had, so that what was decided by a version of
/// the other store never counts here.
public struct KeptIdentity: Hashable, Sendable {
    public let reference: ManagedObjectID.Reference
    /// The version that the object had last; nil where it isn't known.
    public let version: Int64?

    /// Nil where no version of a new row is greater than that.
    public init?(reference: ManagedObjectID.Reference, version: Int64? = nil) {
        if let version, version >= Self.limit { return nil }
        (self.reference, self.version) = (reference, version)
    }

    /// Numbers from here on aren't kept, so that there are always greater ones to give.
    public static let limit: Int64 = 1 << 62

    /// The version of the new row.
    package var nextVersion: Int64 { max(version ?? 0, 0) + 1 }
}

extension ManagedObjectID.Reference {
    /// The number that a store of numbered rows may keep; nil for what it gives to none.
    public var numberToKeep: Int64? {
        guard case .integer(let number) = self, number > 0, number < KeptIdentity.limit else { return nil }
        return number
    }
}

extension GraphError {
    /// What a store throws where a reference that a save was to keep was given to another object meanwhile.
    public static func referenceGiven(_ objectID: ManagedObjectID) -> GraphError {
        GraphError(
            .conflict,
            "Another object got the reference \(objectID.objectReference) meanwhile.",
            object: objectID,
            hint: "Save again: the object gets a new reference."
        )
    }
}
