// SPDX-License-Identifier: Apache-2.0

// Objects for responses: rows with their embedded objects.

import ObjectGraph

/// An object of a response. Its row never changes, so that any thread may use it.
struct ObjectDTO: Sendable {
    let row: Snapshot
    let shape: ObjectShape
    /// What the selection embeds, in its order.
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

extension RelatedDTO {
    /// The number of objects and references, with those that they embed.
    var count: Int {
        switch self {
        case .one(let object): object.map { $0.embeddedCount + 1 } ?? 0
        case .many(let objects): objects.reduce(objects.count) { $0 + $1.embeddedCount }
        case .references(let references): references.count
        }
    }
}

/// The rows of a page with what they embed.
struct RowsDTO: Sendable {
    /// The rows to be shown, which have the indexes that they have in their page.
    var rows: RowPage.SubSequence
    /// By the index of their entity.
    let shapes: [Int: ObjectShape]
    /// What the selection embeds, in its order.
    var embedded: [EmbeddedRows] = []
    /// The highlights of each row, or none if they aren't shown.
    var highlights: [[(keyPath: String, fragment: String)]] = []

    init(_ rows: RowPage.SubSequence, selecting selection: Selection, in catalogue: Catalogue) {
        self.rows = rows
        var shapes = ObjectShapes(selection, in: catalogue)
        for entity in rows.base.entities(of: rows.indices) { _ = shapes[entity] }
        self.shapes = shapes.known
    }

    func shape(of row: PageRow) -> ObjectShape {
        guard let shape = shapes[row.entity.index] else {
            preconditionFailure("The rows have no shape for \(row.entity.name).")
        }
        return shape
    }
}

/// What one relationship embeds in the rows of a page.
enum EmbeddedRows: Sendable {
    case toOne(RelatedPage, RowsDTO)
    case toMany(RelatedPage, RowsDTO)
    /// References to the rows of another page.
    case references(RelatedPage)
    /// For rows of which a store has no page: what each owner embeds.
    case objects([RelatedDTO])
}

extension RowsDTO {
    /// A row as an object of its own.
    func object(at index: Int) -> ObjectDTO {
        let row = rows.base[index]
        var object = ObjectDTO(row: row.snapshot, shape: shape(of: row))
        object.related = embedded.map { $0.related(at: index) }
        if !highlights.isEmpty { object.highlights = highlights[index] }
        return object
    }
}

extension EmbeddedRows {
    fileprivate func related(at owner: Int) -> RelatedDTO {
        switch self {
        case .toOne(let related, let rows): .one(related[owner].first.map(rows.object(at:)))
        case .toMany(let related, let rows): .many(related[owner].map(rows.object(at:)))
        case .references(let related): .references(related[owner].map { related.rows[$0].objectID })
        case .objects(let objects): objects[owner]
        }
    }
}
