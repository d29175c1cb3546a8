// SPDX-License-Identifier: Apache-2.0

// New values for all rows that a predicate holds for.

import FoundationEssentials
import Predicates

extension RowGraph {
    /// Updates rows; the objects that were found. Rows that have the new values already stay as they are.
    func update(_ update: StoreBatchUpdate) throws -> [ManagedObjectID] {
        var request = update.rows
        request.kind = .snapshots
        let found = try fetch(request)
        if let maximum, found.count > maximum { throw GraphError.limitExceeded(maximum) }
        let evaluator = Evaluator.limited()
        for assignment in update.assignments where found.count > 1 {
            try checkGiving(assignment, to: found.count)
        }
        // All expressions are evaluated before anything is changed.
        let values = try found.map { snapshot in
            try update.assignments.map { try value(of: $0, for: snapshot, evaluator) }
        }
        try load(values.joined().compactMap(\.destination))
        for (snapshot, values) in zip(found, values) {
            for (assignment, value) in zip(update.assignments, values) {
                try set(assignment.property, of: snapshot.objectID, to: value)
            }
        }
        return found.map(\.objectID)
    }

    private enum NewValue {
        case value(Value)
        case object(ManagedObjectID?)

        var destination: ManagedObjectID? {
            if case .object(let objectID) = self { objectID } else { nil }
        }
    }

    private func set(_ property: PropertyDescription, of objectID: ManagedObjectID, to value: NewValue) throws {
        switch (property, value) {
        case (.attribute(let attribute), .value(let value)):
            guard try present(objectID)?.attributes[attribute.slot] != value else { return }
            try edit(objectID) { $0.attributes[attribute.slot] = value }
        case (.relationship(let relationship), .object(let new)):
            try set(relationship, of: objectID, to: try new.map { try destination($0, of: relationship) })
        default: return
        }
    }

    /// What an expression comes to for a row, as the property keeps it.
    private func value(
        of assignment: StoreBatchUpdate.Assignment,
        for snapshot: Snapshot,
        _ evaluator: Evaluator
    ) throws -> NewValue {
        let operand = try evaluated(assignment, for: snapshot, evaluator)
        switch (assignment.property, operand) {
        case (.attribute(let attribute), .value(let value)):
            guard let accepted = attribute.accepting(computed: value) else {
                throw GraphError.wrongType(value, for: attribute, of: snapshot.objectID.entity, snapshot.objectID)
            }
            return .value(accepted)
        case (.relationship(let relationship), .value(.null)) where !relationship.isToMany: return .object(nil)
        case (.relationship(let relationship), .value(.reference(let reference))) where !relationship.isToMany:
            return .object(try model.objectID(reference, for: relationship, in: store))
        case (.relationship(let relationship), .object(let object)) where !relationship.isToMany:
            return .object(try object.reference.map { try model.objectID($0, for: relationship, in: store) })
        default: throw GraphError.noValue(of: assignment, snapshot.objectID)
        }
    }

    private func evaluated(
        _ assignment: StoreBatchUpdate.Assignment,
        for snapshot: Snapshot,
        _ evaluator: Evaluator
    ) throws -> Operand {
        if case .constant(let value) = assignment.value { return .value(value) }
        do {
            return try evaluator.operand(of: assignment.value, for: CommittedObject(snapshot: snapshot, graph: self))
        } catch {
            var wrapped = GraphError.evaluation(error)
            wrapped.objectID = snapshot.objectID
            wrapped.property = assignment.property.name
            throw wrapped
        }
    }

    /// Only one object can have a partner of its own.
    private func checkGiving(_ assignment: StoreBatchUpdate.Assignment, to count: Int) throws {
        guard case .relationship(let relationship) = assignment.property, relationship.inverseToOne != nil,
            case .constant(let value) = assignment.value, value != .null
        else { return }
        throw GraphError(
            .invalidRequest,
            "\(relationship.name) is to one on both sides, and one object can't be given to \(count).",
            property: relationship.name
        )
    }
}

extension GraphError {
    fileprivate static func noValue(
        of assignment: StoreBatchUpdate.Assignment,
        _ objectID: ManagedObjectID
    ) -> GraphError {
        GraphError(
            .wrongType,
            "\(objectID.entity.name).\(assignment.property.name) can't be what \(assignment.value) comes to.",
            object: objectID,
            property: assignment.property.name
        )
    }
}
