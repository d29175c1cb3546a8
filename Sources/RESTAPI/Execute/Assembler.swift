// SPDX-License-Identifier: Apache-2.0

// Turns rows into the objects of a response. Related objects are read with one call for each relationship, whatever the
// number of objects.

import Basics
import ObjectGraph

struct Assembler<Reader: GraphReading> {
    let reader: Reader
    let catalogue: Catalogue
    /// The maximum number of embedded objects: nested relationships can multiply to more than the client expects.
    var limit = Int.max

    func object(_ row: Snapshot, selecting selection: Selection) throws -> ObjectDTO {
        try objects([row], selecting: selection)[0]
    }

    func objects(_ rows: [Snapshot], selecting selection: Selection) throws -> [ObjectDTO] {
        var shapes = ObjectShapes(selection, in: catalogue)
        var objects = rows.map { row in ObjectDTO(row: row, shape: shapes[row.objectID.entity]) }
        for embedding in selection.embedded { try embed(embedding, in: &objects) }
        return objects
    }

    /// Embeds a relationship's objects. The owners may have several entities, whose relationships of that name may
    /// differ.
    private func embed(_ embedding: Selection.Embedding, in objects: inout [ObjectDTO]) throws {
        var having: [RelationshipDescription: [Int]] = [:]
        for (index, object) in objects.enumerated() {
            let own = object.shape.resource.property(named: embedding.property.name)
            if let relationship = own?.relationship { having[relationship, default: []].append(index) }
        }
        for (relationship, indices) in having.sorted(by: { $0.value[0] < $1.value[0] }) {
            if relationship.isToMany {
                try embedToMany(relationship, as: embedding, in: &objects, at: indices)
            } else {
                try embedToOne(relationship, as: embedding, in: &objects, at: indices)
            }
        }
        try check(objects.reduce(0) { $0 + $1.embeddedCount }, in: embedding)
    }

    private func check(_ count: Int, in embedding: Selection.Embedding) throws(Problem) {
        guard count > limit else { return }
        throw Problem(
            .parameter,
            "With “\(embedding.property.name)”, the answer would embed more than \(limit) objects.",
            hint:
                "Request fewer objects with “limit”, fewer of each with include=\(embedding.property.name)(limit=10), "
                + "or the relationship's own pages, at \(catalogue.path)…/\(embedding.property.name)."
        )
    }

    private func embedToOne(
        _ relationship: RelationshipDescription,
        as embedding: Selection.Embedding,
        in objects: inout [ObjectDTO],
        at having: [Int]
    ) throws {
        let targets = having.map { objects[$0].row.row.toOnes[relationship.slot] }
        let embedded = try byID(
            reader.snapshots(of: unique(targets.compactMap(\.self))).compactMap(\.self),
            embedding: embedding
        )
        for (index, target) in zip(having, targets) {
            let object = target.flatMap { embedded[$0] }
            objects[index].embed(.one(object), count: object.map { $0.embeddedCount + 1 } ?? 0)
        }
    }

    private func embedToMany(
        _ relationship: RelationshipDescription,
        as embedding: Selection.Embedding,
        in objects: inout [ObjectDTO],
        at having: [Int]
    ) throws {
        let owners = having.map { objects[$0].row.objectID }
        var request = embedding.options?.request ?? RelatedRequest()
        // One more shows that there are too many; their rows aren't needed then.
        if limit < .max { request.totalLimit = limit + 1 }
        let related = try reader.related(along: relationship, owners: owners, matching: request)
        try check(related.members.reduce(0) { $0 + $1.count }, in: embedding)
        guard embedding.selection != nil else {
            for (index, members) in zip(having, related.members) {
                objects[index].embed(.references(members), count: members.count)
            }
            return
        }
        let embedded = try byID(related.rows, embedding: embedding)
        for (index, members) in zip(having, related.members) {
            let members = members.compactMap { embedded[$0] }
            objects[index].embed(.many(members), count: members.reduce(members.count) { $0 + $1.embeddedCount })
        }
    }

    private func byID(
        _ rows: [Snapshot],
        embedding: Selection.Embedding
    ) throws -> [ManagedObjectID: ObjectDTO] {
        let objects = try objects(rows, selecting: embedding.selection ?? .all)
        return Dictionary(keepingFirst: objects.map { ($0.row.objectID, $0) })
    }

    private func unique(_ objectIDs: [ManagedObjectID]) -> [ManagedObjectID] {
        var seen: Set<ManagedObjectID> = []
        return objectIDs.filter { seen.insert($0).inserted }
    }
}

/// The shapes of a selection's objects, each of which is made once.
struct ObjectShapes {
    private let selection: Selection
    private let catalogue: Catalogue
    /// By the index of the entity.
    private(set) var known: [Int: ObjectShape] = [:]

    init(_ selection: Selection, in catalogue: Catalogue) {
        self.selection = selection
        self.catalogue = catalogue
    }

    subscript(entity: EntityDescription) -> ObjectShape {
        mutating get {
            if let shape = known[entity.index] { return shape }
            let shape = selection == .all ? catalogue.shape(of: entity) : ObjectShape(selection, of: catalogue[entity])
            known[entity.index] = shape
            return shape
        }
    }
}

extension RowsDTO {
    init(_ rows: RowPage.SubSequence, selecting selection: Selection, in catalogue: Catalogue) {
        var shapes = ObjectShapes(selection, in: catalogue)
        for row in rows { _ = shapes[row.entity] }
        self.init(rows: rows, shapes: shapes.known)
    }
}

extension ObjectDTO {
    fileprivate mutating func embed(_ objects: RelatedDTO, count: Int) {
        related.append(objects)
        embeddedCount += count
    }
}

extension Selection.Options {
    var request: RelatedRequest {
        RelatedRequest(predicate: predicate, sortDescriptors: sortDescriptors, limit: limit)
    }
}
