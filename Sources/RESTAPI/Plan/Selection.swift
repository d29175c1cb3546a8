// SPDX-License-Identifier: Apache-2.0

// What of objects is shown.

import ObjectGraph
import Predicates

/// Which properties are shown, and which related objects are embedded.
struct Selection: Equatable, Sendable {
    /// The attributes and relationships that were asked for, in their order; nil for all attributes and all relationships to one.
    var properties: [ResourceProperty]?
    /// The relationships whose objects are embedded, whatever else is shown.
    var embedded: [Embedding] = []

    static let all = Selection()

    struct Embedding: Equatable, Sendable {
        var property: ResourceProperty
        /// What is shown of the objects; nil for references to them.
        var selection: Selection?
        /// Which objects of a relationship to many, nil for all in its order.
        var options: Options?
    }

    struct Options: Equatable, Sendable {
        var predicate: ObjectPredicate?
        var sortDescriptors: [ObjectSortDescriptor] = []
        var limit: Int?
    }
}
