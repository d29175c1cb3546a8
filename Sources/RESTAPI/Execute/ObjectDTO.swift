// SPDX-License-Identifier: Apache-2.0

// Objects for responses: rows with their embedded objects.

import ObjectGraph

/// An object of a response. Its row never changes, so that any thread may use it.
struct ObjectDTO: Sendable {
    let row: Snapshot
    let shape: ObjectShape
    /// The embedded objects, in the order of the shape.
    var related: [RelatedDTO] = []
    /// The number of embedded objects and references at all depths.
    var embeddedCount = 0
    /// The highlights of a search, if they are shown.
    var highlights: [(keyPath: String, fragment: String)]?
}

enum RelatedDTO: Sendable {
    case one(ObjectDTO?)
    case many([ObjectDTO])
    case references([ManagedObjectID])
}
