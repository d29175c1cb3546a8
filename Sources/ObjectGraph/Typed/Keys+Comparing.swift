// SPDX-License-Identifier: Apache-2.0

// Comparisons of objects by identity, as predicates.

public import Predicates

extension Keys {
    /// Whether it is an object; with nil, whether there is none.
    public static func == (keys: Self, object: Object?) -> ObjectPredicate {
        keys.path.compared(.equal, .constant((object?.objectID).value))
    }

    public static func != (keys: Self, object: Object?) -> ObjectPredicate {
        keys.path.compared(.notEqual, .constant((object?.objectID).value))
    }

    public static func == (keys: Self, objectID: ManagedObjectID) -> ObjectPredicate {
        keys.path.compared(.equal, .constant(objectID.value))
    }

    public static func != (keys: Self, objectID: ManagedObjectID) -> ObjectPredicate {
        keys.path.compared(.notEqual, .constant(objectID.value))
    }

    public static func == (keys: Self, other: Self) -> ObjectPredicate {
        keys.path.compared(.equal, to: other.path)
    }

    public static func != (keys: Self, other: Self) -> ObjectPredicate {
        keys.path.compared(.notEqual, to: other.path)
    }

    /// Whether it is one of some objects.
    public func isIn(_ objects: some Sequence<Object>) -> ObjectPredicate { isIn(objects.map(\.objectID)) }

    public func isIn(_ objectIDs: some Sequence<ManagedObjectID>) -> ObjectPredicate {
        path.compared(.in, .constant(.array(objectIDs.map(\.value))))
    }
}
