// SPDX-License-Identifier: Apache-2.0

// Updating all rows that match a predicate.

import FoundationEssentials
import Predicates

extension RowGraph {
    /// Updates rows; returns the objects found. Rows that have the new values already aren't written.
    func update(_ update: StoreBatchUpdate) throws -> [ManagedObjectID] {
        var request = update.rows
        request.kind = .snapshots
        let found = try fetch(request)
        if let maximum, found.count > maximum { throw GraphError.limitExceeded(maximum) }
        let evaluator = Evaluator.limited()
        for assignment in update.assignments where found.count > 1 {
            try assignment.checkOneToOneAssignment(to: found.count)
        }
        // All expressions are evaluated before anything is changed.
        let values = try found.map { snapshot in
            let object = CommittedObject(snapshot: snapshot, graph: self)
            return try update.assignments.map { try value(of: $0, for: object, evaluator) }
        }
        try load(values.joined().compactMap(\.destination))
        for (snapshot, values) in zip(found, values) {
            for (assignment, value) in zip(update.assignments, values) {
                try set(assignment.property, of: snapshot.objectID, to: value)
            }
        }
        return found.map(\.objectID)
    }

    private func set(_ property: PropertyDescription, of objectID: ManagedObjectID, to value: NewRowValue) throws {
        switch (property, value) {
        case (.attribute(let attribute), .value(let value)):
            guard try present(objectID)?.attributes[attribute.slot] != value else { return }
            try edit(objectID) { $0.attributes[attribute.slot] = value }
        case (.relationship(let relationship), .object(let new)):
            try set(relationship, of: objectID, to: try new.map { try destination($0, of: relationship) })
        default: return
        }
    }

    private enum NewRowValue {
        case value(Value)
        case object(ManagedObjectID?)

        var destination: ManagedObjectID? {
            if case .object(let objectID) = self { objectID } else { nil }
        }
    }

    private func value(
        of assignment: StoreBatchUpdate.Assignment,
        for object: CommittedObject,
        _ evaluator: Evaluator
    ) throws -> NewRowValue {
        switch (
            assignment.property, try assignment.newValue(for: object, id: object.snapshot.objectID, with: evaluator)
        ) {
        case (.relationship(let relationship), .object(let reference)):
            .object(try reference.map { try model.objectID($0, for: relationship, in: store) })
        case (_, .object): .object(nil)
        case (_, .value(let value)): .value(value)
        }
    }
}
