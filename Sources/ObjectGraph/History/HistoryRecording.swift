// SPDX-License-Identifier: Apache-2.0

// What a history records of a save, for stores that have the rows before it, and what filters select.

extension StoreSaveRequest {
    /// The objects that a save has updated, each once, with the names of the changed properties.
    ///
    /// - Parameters:
    ///   - written: The rows after the save, including those with only recomputed values.
    ///   - former: The rows that it updates before the save.
    public func changedProperties(
        written: [Snapshot],
        former: [ManagedObjectID: Snapshot]
    ) -> [(objectID: ManagedObjectID, names: Set<String>)] {
        var list: [(objectID: ManagedObjectID, names: Set<String>)] = []
        var places: [ManagedObjectID: Int] = [:]
        let excluded = Set(insertions.map(\.objectID)).union(deletions.map(\.objectID))
        func add(_ names: Set<String>, of objectID: ManagedObjectID) {
            guard !excluded.contains(objectID) else { return }
            if let place = places[objectID] {
                list[place].names.formUnion(names)
            } else {
                places[objectID] = list.count
                list.append((objectID, names))
            }
        }
        for row in written where !excluded.contains(row.objectID) {
            let names = former[row.objectID].map(row.properties) ?? row.recomputedProperties
            add(Set(names), of: row.objectID)
        }
        for change in members {
            add([change.relationship.name], of: change.owner)
            guard change.relationship.isManyToMany, let inverse = change.relationship.inverse else { continue }
            for member in change.added + change.removed { add([inverse.name], of: member) }
        }
        return list
    }
}

extension HistoryFilter {
    /// Whether a transaction has the requested author and time.
    public func selects(_ transaction: HistoryTransaction) -> Bool {
        if let author, transaction.author != author { return false }
        if let since, transaction.timestamp < since { return false }
        if let before, transaction.timestamp >= before { return false }
        return true
    }

    public func selects(_ change: HistoryChange) -> Bool {
        if let kinds, !kinds.contains(change.kind) { return false }
        if let object, object != change.objectID { return false }
        if let entities, !entities.contains(where: { change.objectID.entity.isKind(of: $0) }) { return false }
        return true
    }
}
