// SPDX-License-Identifier: Apache-2.0

// What leaves the graph: rows as they were, and what is embedded in them.

import ObjectGraph

/// An object as it is shown. Its row never changes, so that it may be used anywhere.
struct ObjectDTO: Sendable {
    let row: Snapshot
    let shape: ObjectShape
    /// What is embedded, in the order of the shape.
    var related: [RelatedDTO] = []
    /// How many objects and references are embedded, at whatever depth.
    var embeddedCount = 0
    /// What a search has found in it, where that is to be shown.
    var highlights: [(keyPath: String, fragment: String)]?
}

enum RelatedDTO: Sendable {
    case one(ObjectDTO?)
    case many([ObjectDTO])
    case references([ManagedObjectID])
}
