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
    /// What is shown of composite attributes of which only parts were asked for, by the attributes' names.
    var elements: [String: [AttributeDescription]] = [:]
    /// Whether it is shown what a search has found.
    var showsHighlights = false

    /// Whether values are written so that they can be read back as the same ones: bytes themselves, and dates to the last digit.
    var isPortable = false

    static let all = Selection()
    /// No properties but the keys of the API's own.
    static let none = Selection(properties: [])

    struct Embedding: Equatable, Sendable {
        var property: ResourceProperty
        /// What is shown of the objects; nil for references to them.
        var selection: Selection?
        /// Whether the objects, or references to them, were asked for, and not some of their properties alone.
        var isIncluded = false
        /// Which objects of a relationship to many, nil for all in its order.
        var options: Options?
    }

    struct Options: Equatable, Sendable {
        var predicate: ObjectPredicate?
        var sortDescriptors: [ObjectSortDescriptor] = []
        var limit: Int?
    }
}

extension Selection {
    /// How many relationships are embedded in all, but for references that are shown of the objects themselves: the model says how many
    /// of these there can be.
    var embeddingCount: Int { embedded.reduce(0) { $0 + ($1.selection == nil ? 0 : $1.count) } }

    func embedding(of name: String) -> Int? { embedded.firstIndex { $0.property.name == name } }
}

extension Selection.Embedding {
    /// How many relationships it embeds, with itself.
    fileprivate var count: Int { 1 + (selection?.embedded.reduce(0) { $0 + $1.count } ?? 0) }
}
