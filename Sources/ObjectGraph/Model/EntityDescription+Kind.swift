// SPDX-License-Identifier: Apache-2.0

// A step of a key path from an object to itself as one of a subentity, whose properties can follow.

package import Predicates

extension EntityDescription {
    /// The step for objects of this entity and its subentities. It is nil for other objects. No key path of a request can
    /// contain it.
    package var kindKey: Key { .name("\(Self.kindPrefix)\(kinds.lowerBound) \(kinds.upperBound)") }

    /// The indices of the entities whose objects have a value for a step; nil for other steps.
    static func kinds(of key: String) -> Range<Int>? {
        guard key.hasPrefix(kindPrefix) else { return nil }
        let bounds = key.dropFirst(kindPrefix.count).split(separator: " ").compactMap { Int($0) }
        return bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
    }

    private static let kindPrefix = "?kind "
}

extension ManagedObjectModel {
    /// The entity that a step restricts objects to, or nil if it is another step.
    package func kind(of key: String) -> EntityDescription? {
        guard let kinds = EntityDescription.kinds(of: key), entities.indices.contains(kinds.lowerBound) else {
            return nil
        }
        return entities[kinds.lowerBound]
    }
}
