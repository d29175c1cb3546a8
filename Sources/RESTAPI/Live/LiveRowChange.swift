// SPDX-License-Identifier: Apache-2.0

// A changed row, as live queries are notified of it.

import ObjectGraph
import Predicates

struct LiveRowChange: Sendable {
    let objectID: ManagedObjectID
    let kind: SavedChanges.Kind
    /// The row before the change, if it existed and is known.
    var before: Snapshot?
    /// The row after the change, if it exists and is known.
    var after: Snapshot?
    /// The names of the properties that an update has changed; nil if they are unknown.
    var properties: Set<String>?

    /// Whether only members of to-many relationships have changed, which aren't part of the row.
    var isOfMembers = false

    /// Whether the present row is known.
    var isKnown: Bool { kind == .deleted || after != nil }

    /// The objects that the row refers to before and after; nil if that isn't known.
    var owners: [ManagedObjectID]? {
        guard isKnown, kind == .inserted || before != nil else { return nil }
        return ((before?.row.toOnes ?? []) + (after?.row.toOnes ?? [])).compactMap(\.self)
    }

    /// The values of a property before and after; nil if a row that may have one is unknown.
    func values(of name: String) -> [Value]? {
        let hasBefore = kind != .inserted
        let hasAfter = kind != .deleted
        if hasBefore, before == nil { return nil }
        if hasAfter, after == nil { return nil }
        return [before, after].compactMap { $0?.value(of: name) }
    }
}

extension Snapshot {
    /// The value of an attribute or to-one relationship.
    fileprivate func value(of name: String) -> Value {
        switch objectID.entity.property(named: name) {
        case .attribute(let attribute): row.attributes[attribute.slot]
        case .relationship(let relationship) where !relationship.isToMany:
            row.toOnes[relationship.slot].map(\.value) ?? .null
        default: .null
        }
    }
}

/// The changes of one commit as rows, and what is known only as a whole.
struct LiveCommit: Sendable {
    private(set) var rows: [LiveRowChange] = []
    /// The indices of entities of which any object may have changed, with the names of changed properties; nil if
    /// unknown.
    private(set) var entities: [(entity: Int, properties: Set<String>?)] = []
    /// Whether any object may have changed.
    private(set) var isUnknown = false
    let position: CommitPosition?

    init(_ changes: SavedChanges, at position: CommitPosition?) {
        self.position = position
        var named: [ManagedObjectID: [String]] = [:]
        for entry in changes.changedProperties.entries { named[entry.objectID] = entry.names }
        let isNamed = !changes.changedProperties.isIncomplete
        let shared = isNamed ? changes.properties : []
        rows.reserveCapacity(changes.list.count)
        for change in changes.list {
            switch change {
            case .inserted(let row): rows.append(LiveRowChange(objectID: row.objectID, kind: .inserted, after: row))
            case .updated(let before, let after):
                rows.append(
                    LiveRowChange(
                        objectID: after.objectID,
                        kind: .updated,
                        before: before,
                        after: after,
                        properties: Set(after.properties(changedSince: before))
                    )
                )
            case .deleted(let row): rows.append(LiveRowChange(objectID: row.objectID, kind: .deleted, before: row))
            case .recomputed(let row): rows.append(LiveRowChange(objectID: row.objectID, kind: .updated, after: row))
            case .members(let change): add(change)
            case .row(let objectID, let kind):
                let known = isNamed ? named[objectID] ?? shared : []
                let properties = objectID.entity.all(known)
                rows.append(LiveRowChange(objectID: objectID, kind: kind, properties: properties))
            case .rows(let range, let kind):
                entities.append((range.entity.index, kind == .updated ? range.entity.all(shared) : nil))
            case .unknownStore: isUnknown = true
            }
        }
    }

    /// The members of a relationship are no part of the rows on either side.
    private mutating func add(_ change: StoreSaveRequest.MembersChange) {
        let relationship = change.relationship
        var names: Set<String> = [relationship.name]
        if let inverse = relationship.inverse { names.insert(inverse.name) }
        for objectID in change.objects {
            rows.append(LiveRowChange(objectID: objectID, kind: .updated, properties: names, isOfMembers: true))
        }
    }
}

extension EntityDescription {
    /// Changed properties with the derived ones, which may have changed along with them; nil if the names aren't those of
    /// properties of the entity.
    fileprivate func all(_ names: [String]) -> Set<String>? {
        guard !names.isEmpty, names.allSatisfy({ property(named: $0) != nil }) else { return nil }
        return Set(names).union(attributes.filter(\.isDerived).map(\.name))
    }
}
