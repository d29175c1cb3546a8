// SPDX-License-Identifier: Apache-2.0

// What speaks against a save, for stores that know their versions and unique values.

extension StoreSaveRequest {
    /// Why the save can't be done, all of it; nil if it can. Rows of the save itself give up their unique values first, so that
    /// they may swap them. Derived values count: see `Derivations.deriveLocally(_:with:)`.
    ///
    ///     if let conflicts = try request.conflicts(version: index.version, holder: index.holder, stored: row) {
    ///         return .conflicts(conflicts)
    ///     }
    ///
    /// - Parameters:
    ///   - version: The version of a row; nil where it isn't there.
    ///   - holder: The object that has the values of a key.
    ///   - stored: The row of an object, which is asked for where there is a conflict; nil where it isn't there.
    public func conflicts<Failure: Error>(
        version: (ManagedObjectID) -> Int64?,
        holder: (UniqueKey) -> ManagedObjectID?,
        stored: (ManagedObjectID) throws(Failure) -> Snapshot?
    ) throws(Failure) -> StoreConflicts? {
        var conflicts = StoreConflicts()
        let expected =
            updates.map { ($0.objectID, $0.version) } + (deletions + locks).map { ($0.objectID, $0.version) }
        for (objectID, expected) in expected where version(objectID) != expected {
            conflicts.rows[objectID] = .some(try stored(objectID))
        }
        let changed = insertions.map { ($0.objectID, $0.row) } + updates.map { ($0.objectID, $0.row) }
        let leaving = Set(deletions.map(\.objectID) + changed.map(\.0))
        var claims: [UniqueKey: [ManagedObjectID]] = [:]
        var order: [UniqueKey] = []
        for (objectID, row) in changed {
            for constraint in objectID.entity.uniquenessConstraints {
                guard let key = UniqueKey(constraint, row) else { continue }
                if claims[key] == nil { order.append(key) }
                claims[key, default: []].append(objectID)
            }
        }
        for key in order {
            let holder = holder(key).flatMap { leaving.contains($0) ? nil : $0 }
            guard let objects = claims[key], objects.count > 1 || holder != nil else { continue }
            var row: Snapshot?
            if let holder { row = try stored(holder) }
            conflicts.constraints.append(.init(constraint: key.constraint, objects: objects, stored: row))
        }
        return conflicts.rows.isEmpty && conflicts.constraints.isEmpty ? nil : conflicts
    }

    /// The objects that it changes, or that get into or out of a relationship: those that derived values may be read from.
    public var touched: [ManagedObjectID] {
        insertions.map(\.objectID) + updates.map(\.objectID) + deletions.map(\.objectID)
            + members.flatMap { [$0.owner] + $0.added + $0.removed }
    }
}
