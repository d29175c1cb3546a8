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

    /// Embeds along a relationship of some objects. Those of several entities may have it, and each a relationship of its own by the
    /// same name.
    private func embed(_ embedding: Selection.Embedding, in objects: inout [ObjectDTO]) throws(GraphError) {
        var having: [RelationshipDescription: [Int]] = [:]
        for (index, object) in objects.enumerated() {
            let own = object.shape.resource.property(named: embedding.property.name)
            if let relationship = own?.relationship { having[relationship, default: []].append(index) }
        }
        for (relationship, indices) in having.sorted(by: { $0.value[0] < $1.value[0] }) {
            if relationship.isToMany {
                try embedMany(relationship, embedding, in: &objects, indices)
            } else {
                try embedOne(relationship, embedding, in: &objects, indices)
            }
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
