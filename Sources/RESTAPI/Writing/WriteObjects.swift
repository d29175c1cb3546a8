// SPDX-License-Identifier: Apache-2.0

// The objects that a plan's references refer to in one context.

import Basics
import ObjectGraph

/// The objects of a plan.
struct WriteObjects {
    /// The object of each write, or nil if it is missing or not inserted yet.
    private var byWrite: [ManagedObject?]
    /// New objects by their temporary names.
    var named: [String: ManagedObject] = [:]
    /// Existing objects by their names in the plan.
    var byLocation: [ObjectLocation: ManagedObject] = [:]
    /// The objects that have the unique values in references.
    var unique: [UniqueValues: ManagedObject] = [:]

    init(of plan: WritePlan) { byWrite = Array(repeating: nil, count: plan.writes.count) }

    subscript(index: Int) -> ManagedObject? {
        get { byWrite[index] }
        set { byWrite[index] = newValue }
    }

    subscript(reference: Reference) -> ManagedObject? {
        switch reference.target {
        case .write(let index): byWrite[index]
        case .temporary(let name): named[name]
        case .stored(let location): byLocation[location]
        case .unique(let values): unique[values]
        }
    }

    /// The writes by their objects; the first if there are several.
    var writes: [ManagedObjectID: Int] {
        let pairs = byWrite.enumerated().compactMap { index, object in object.map { ($0.objectID, index) } }
        return Dictionary(keepingFirst: pairs)
    }

    /// The IDs of new objects with temporary names.
    var ids: [(name: String, objectID: ManagedObjectID)] {
        named.sorted { $0.key < $1.key }.map { ($0.key, $0.value.objectID) }
    }
}

extension PropertyWrite.Change {
    /// All references in the change.
    var references: [Reference] {
        guard case .edit(let edit) = self else { return put }
        return edit.removed + edit.added + edit.moves.map(\.member)
    }

    /// The references that the change adds to the relationship.
    var put: [Reference] {
        switch self {
        case .toOne(let reference): reference.map { [$0] } ?? []
        case .members(let references): references
        case .edit(let edit): edit.added
        case .value, .merge, .increment, .keep: []
        }
    }
}
