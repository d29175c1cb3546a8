// SPDX-License-Identifier: Apache-2.0

// Reads one object by its path or through a to-one relationship.

import ObjectGraph

extension ObjectPlan {
    /// Whether the answer needs several reads, which must see the same state.
    var needsSeveralReads: Bool { !selection.embedded.isEmpty }
}

extension API {
    func read(_ plan: ObjectPlan, _ reader: some GraphReading) throws -> Reply {
        var row =
            if let token = plan.asOf {
                try row(plan.target, asOf: token, selecting: plan.selection, from: reader)
            } else {
                try row(plan.target, from: reader)
            }
        if let property = plan.relationship, let relationship = property.relationship {
            let destination = row.row.toOnes[relationship.slot]
            guard let found = try destination.flatMap({ try reader.snapshots(of: [$0])[0] }) else {
                throw Problem(
                    .notFound,
                    "“\(property.name)” of “\(catalogue.reference(to: row.objectID))” is null."
                )
            }
            row = found
        }
        var reply = Reply(.object(try assembler(reader).object(row, selecting: plan.selection)))
        reply.known = plan.conditions.ifNoneMatch
        reply.hasVariableObject = plan.relationship != nil
        return reply
    }
}
