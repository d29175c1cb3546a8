// SPDX-License-Identifier: Apache-2.0

// The shapes of objects that are shown completely.

import ObjectGraph
import Synchronization

/// Caches the shapes of whole objects without a lock. A shape is made on first use, since clients use few entities of a
/// large model.
struct ObjectShapeCache: Sendable {
    private final class Shape: Sendable {
        let known = AtomicLazyReference<ObjectShape>()
    }

    private let derivations: Derivations
    private let tagSuffix: String
    /// By entity index.
    private let shapes: [Shape]

    init(_ derivations: Derivations, count: Int, versionTag: String) {
        self.derivations = derivations
        tagSuffix = versionTag.isEmpty ? "" : "-" + versionTag
        shapes = (0..<count).map { _ in Shape() }
    }

    subscript(resource: Resource) -> ObjectShape {
        let shape = shapes[resource.entity.index]
        if let known = shape.known.load() { return known }
        let derived = derivations.attributesDependingOnOthers(in: resource.entity).filter { attribute in
            resource.properties.contains { $0.attribute == attribute }
        }
        return shape.known.storeIfNil(ObjectShape(.all, of: resource, derived: derived, tagSuffix: tagSuffix))
    }
}
