// SPDX-License-Identifier: Apache-2.0

// From rows to what is shown of them: related objects are read along, one call for each relationship whatever the number of
// objects.

import ObjectGraph

struct Assembler<Reader: GraphReading> {
    let reader: Reader
    let catalogue: Catalogue

    func object(_ row: Snapshot, _ selection: Selection) throws(GraphError) -> ObjectDTO {
        try objects([row], selection)[0]
    }

    func objects(_ rows: [Snapshot], _ selection: Selection) throws(GraphError) -> [ObjectDTO] {
        var shapes: [Int: ObjectShape] = [:]
        var objects = rows.map { row in
            let resource = catalogue[row.objectID.entity]
            let shape =
                selection == .all
                ? catalogue.shapes[resource.entity.index]
                : shapes[resource.entity.index] ?? ObjectShape(selection, of: resource)
            shapes[resource.entity.index] = shape
            return ObjectDTO(row: row, shape: shape)
        }
        for embedding in selection.embedded { try embed(embedding, in: &objects) }
        return objects
    }

    private func embed(_ embedding: Selection.Embedding, in objects: inout [ObjectDTO]) throws(GraphError) {
        // Objects of several entities may have the relationship; those of entities above may not.
        let having = objects.indices.filter { index in
            objects[index].shape.embeddings.contains { $0.property.name == embedding.property.name }
        }
        guard let relationship = embedding.property.relationship, !having.isEmpty else { return }
        if relationship.isToMany {
            try embedMany(relationship, embedding, in: &objects, having)
        } else {
            try embedOne(relationship, embedding, in: &objects, having)
        }
    }

    private func embedOne(
        _ relationship: RelationshipDescription,
        _ embedding: Selection.Embedding,
        in objects: inout [ObjectDTO],
        _ having: [Int]
    ) throws(GraphError) {
        let targets = having.map { objects[$0].row.row.toOnes[relationship.slot] }
        let embedded = try byID(reader.snapshots(of: unique(targets.compactMap(\.self))).compactMap(\.self), embedding)
        for (index, target) in zip(having, targets) {
            objects[index].related.append(.one(target.flatMap { embedded[$0] }))
        }
    }

    private func embedMany(
        _ relationship: RelationshipDescription,
        _ embedding: Selection.Embedding,
        in objects: inout [ObjectDTO],
        _ having: [Int]
    ) throws(GraphError) {
        let owners = having.map { objects[$0].row.objectID }
        let related = try reader.related(along: relationship, owners: owners, matching: embedding.options?.request)
        guard embedding.selection != nil else {
            for (index, members) in zip(having, related.members) { objects[index].related.append(.references(members)) }
            return
        }
        let embedded = try byID(related.rows, embedding)
        for (index, members) in zip(having, related.members) {
            objects[index].related.append(.many(members.compactMap { embedded[$0] }))
        }
    }

    private func byID(
        _ rows: [Snapshot],
        _ embedding: Selection.Embedding
    ) throws(GraphError) -> [ManagedObjectID: ObjectDTO] {
        let objects = try objects(rows, embedding.selection ?? .all)
        return Dictionary(objects.map { ($0.row.objectID, $0) }) { first, _ in first }
    }

    private func unique(_ objectIDs: [ManagedObjectID]) -> [ManagedObjectID] {
        var seen: Set<ManagedObjectID> = []
        return objectIDs.filter { seen.insert($0).inserted }
    }
}

extension Selection.Options {
    var request: RelatedRequest {
        RelatedRequest(predicate: predicate, sortDescriptors: sortDescriptors, limit: limit)
    }
}
