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

/// The rows of a page without embedded objects or highlights.
struct RowsDTO: Sendable {
    var rows: RowPage.SubSequence
    /// By the index of their entity.
    let shapes: [Int: ObjectShape]

    func shape(of row: PageRow) -> ObjectShape {
        guard let shape = shapes[row.entity.index] else {
            preconditionFailure("The rows have no shape for \(row.entity.name).")
        }
        return shape
    }
}

extension ObjectDTO {
    init(_ row: PageRow, of rows: RowsDTO) { self.init(row: row.snapshot, shape: rows.shape(of: row)) }
}
