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
        for embedding in selection.embedded {
            for (index, related) in try related(embedding, of: rows).enumerated() {
                objects[index].related.append(related)
                objects[index].embeddedCount += related.count
            }
            try check(objects.reduce(0) { $0 + $1.embeddedCount }, in: embedding)
        }
        return objects
    }

    /// The objects of a relationship for each owner. The owners may have several entities, whose relationships of that
    /// name may differ.
    func related(_ embedding: Selection.Embedding, of owners: [Snapshot]) throws -> [RelatedDTO] {
        var all = Array(repeating: RelatedDTO.one(nil), count: owners.count)
        var having: [RelationshipDescription: [Int]] = [:]
        for (index, owner) in owners.enumerated() {
            let own = catalogue[owner.objectID.entity].property(named: embedding.property.name)
            if let relationship = own?.relationship { having[relationship, default: []].append(index) }
        }
        for (relationship, indices) in having.sorted(by: { $0.value[0] < $1.value[0] }) {
            let owners = indices.map { owners[$0] }
            let related =
                relationship.isToMany
                ? try members(of: relationship, as: embedding, owners: owners)
                : try destinations(of: relationship, as: embedding, owners: owners)
            for (index, related) in zip(indices, related) { all[index] = related }
        }
        return all
    }

    func check(_ count: Int, in embedding: Selection.Embedding) throws(Problem) {
        guard count > limit else { return }
        throw Problem(
            .parameter,
            "With “\(embedding.property.name)”, the answer would embed more than \(limit) objects.",
            hint:
                "Request fewer objects with “limit”, fewer of each with include=\(embedding.property.name)(limit=10), "
                + "or the relationship's own pages, at \(catalogue.path)…/\(embedding.property.name)."
        )
    }

    private func destinations(
        of relationship: RelationshipDescription,
        as embedding: Selection.Embedding,
        owners: [Snapshot]
    ) throws -> [RelatedDTO] {
        let targets = owners.map { $0.row.toOnes[relationship.slot] }
        let embedded = try byID(
            reader.snapshots(of: unique(targets.compactMap(\.self))).compactMap(\.self),
            embedding: embedding
        )
        return targets.map { target in .one(target.flatMap { embedded[$0] }) }
    }

    private func members(
        of relationship: RelationshipDescription,
        as embedding: Selection.Embedding,
        owners: [Snapshot]
    ) throws -> [RelatedDTO] {
        let request = request(embedding)
        let related = try reader.related(along: relationship, owners: owners.map(\.objectID), matching: request)
        try check(related.members.reduce(0) { $0 + $1.count }, in: embedding)
        guard embedding.selection != nil else { return related.members.map(RelatedDTO.references) }
        let embedded = try byID(related.rows, embedding: embedding)
        return related.members.map { members in .many(members.compactMap { embedded[$0] }) }
    }

    /// The request for members. One more than the limit shows that there are too many; their rows aren't needed then.
    func request(_ embedding: Selection.Embedding) -> RelatedRequest {
        var request = embedding.options?.request ?? RelatedRequest()
        if limit < .max { request.totalLimit = limit + 1 }
        return request
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

extension Selection.Options {
    fileprivate var request: RelatedRequest {
        RelatedRequest(predicate: predicate, sortDescriptors: sortDescriptors, limit: limit)
    }
}
