// SPDX-License-Identifier: Apache-2.0

// The parts of objects that are shown.

import ObjectGraph
import Predicates

/// The properties that are shown, and the relationships that are embedded.
struct Selection: Equatable, Sendable {
    /// The requested attributes and relationships in order, or nil for all attributes and to-one relationships.
    var properties: [ResourceProperty]?
    /// The relationships whose objects are embedded, in addition to the properties.
    var embedded: [Embedding] = []
    /// The selected elements of composite attributes, by attribute name.
    var elements: [String: [AttributeDescription]] = [:]
    /// Whether to show what a search has found.
    var showsHighlights = false

    /// Whether values can be read back without loss: with bytes included, and all digits of dates.
    var isPortable = false

    static let all = Selection()
    /// No properties, only the API's own keys.
    static let none = Selection(properties: [])

    struct Embedding: Equatable, Sendable {
        var property: ResourceProperty
        /// The selection for the objects, or nil for references.
        var selection: Selection?
        /// Whether the objects or references were requested, not only some of their properties.
        var isIncluded = false
        /// The range of a to-many relationship's objects, or nil for all in order.
        var options: Options?
    }

    struct Options: Equatable, Sendable {
        var predicate: ObjectPredicate?
        var sortDescriptors: [ObjectSortDescriptor] = []
        var limit: Int?
    }
}

extension Selection {
    /// The number of embedded relationships at all depths. References don't count: the model bounds their number.
    var embeddingCount: Int { embedded.reduce(0) { $0 + ($1.selection.map { 1 + $0.embeddingCount } ?? 0) } }

    func embedding(of name: String) -> Int? { embedded.firstIndex { $0.property.name == name } }
}
