// SPDX-License-Identifier: Apache-2.0

// Joins the rows of a page to what they embed by indexes, without an object for each.

import ObjectGraph

extension Assembler {
    /// The rows of a page with what the selection embeds. A relationship of which the reader has no page is embedded as
    /// objects.
    func rows(_ rows: RowPage.SubSequence, selecting selection: Selection) throws -> RowsDTO {
        var counts = Array(repeating: 0, count: selection.embedded.isEmpty ? 0 : rows.count)
        return try self.rows(rows, selecting: selection, counts: &counts)
    }

    /// - Parameter counts: The number of objects and references that each row embeds, at all depths.
    private func rows(
        _ rows: RowPage.SubSequence,
        selecting selection: Selection,
        counts: inout [Int]
    ) throws -> RowsDTO {
        precondition(rows.startIndex == 0, "Only the first rows of a page have their places as indexes.")
        var shown = RowsDTO(rows, selecting: selection, in: catalogue)
        for embedding in selection.embedded {
            shown.embedded.append(try self.embedded(embedding, in: shown, counts: &counts))
            try check(counts.reduce(0, +), in: embedding)
        }
        return shown
    }

    private func embedded(
        _ embedding: Selection.Embedding,
        in owners: RowsDTO,
        counts: inout [Int]
    ) throws -> EmbeddedRows {
        guard let relationship = owners.relationship(embedding),
            let related = try reader.relatedPage(
                along: relationship,
                owners: owners.rows,
                matching: relationship.isToMany ? request(embedding) : nil
            )
        else {
            let objects = try self.related(embedding, of: owners.rows.map(\.snapshot))
            for (owner, related) in objects.enumerated() { counts[owner] += related.count }
            return .objects(objects)
        }
        try check(related.count, in: embedding)
        for owner in counts.indices { counts[owner] += related[owner].count }
        guard let selection = embedding.selection ?? (relationship.isToMany ? nil : .all) else {
            return .references(related)
        }
        var nested = Array(repeating: 0, count: selection.embedded.isEmpty ? 0 : related.rows.count)
        let rows = try rows(related.rows[...], selecting: selection, counts: &nested)
        if !nested.isEmpty {
            for owner in counts.indices { counts[owner] += related[owner].reduce(0) { $0 + nested[$1] } }
        }
        return relationship.isToMany ? .toMany(related, rows) : .toOne(related, rows)
    }
}

extension RowsDTO {
    /// The relationship that an embedding means in all rows, or nil if they differ.
    fileprivate func relationship(_ embedding: Selection.Embedding) -> RelationshipDescription? {
        let relationships = shapes.values.map { $0.resource.property(named: embedding.property.name)?.relationship }
        guard let first = relationships.first, relationships.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
