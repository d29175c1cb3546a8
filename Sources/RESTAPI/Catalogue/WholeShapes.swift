// SPDX-License-Identifier: Apache-2.0

// How objects are written of which everything is shown.

import ObjectGraph
import Synchronization

/// The shapes of whole objects, each made when it is first asked for, without a lock: of a model of many entities most clients use few.
struct WholeShapes: Sendable {
    private final class Shape: Sendable {
        let known = AtomicLazyReference<ObjectShape>()
    }

    private let derivations: Derivations
    /// By the index of their entity.
    private let shapes: [Shape]

    init(_ derivations: Derivations, count: Int) {
        self.derivations = derivations
        shapes = (0..<count).map { _ in Shape() }
    }

    subscript(resource: Resource) -> ObjectShape {
        let shape = shapes[resource.entity.index]
        if let known = shape.known.load() { return known }
        let derived = derivations.attributesOfOthers(in: resource.entity)
        return shape.known.storeIfNil(ObjectShape(.all, of: resource, derived: derived))
    }
}
