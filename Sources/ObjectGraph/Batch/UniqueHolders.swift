// SPDX-License-Identifier: Apache-2.0

// The objects with given unique values: stored ones, and rows of a batch so far.

import FoundationEssentials
import Predicates

/// Objects by unique values, limited to values of rows to be written.
struct UniqueHolders {
    private var holders: [UniqueKey: ManagedObjectID] = [:]
    private let derivations: Derivations
    private let evaluator = Evaluator(now: .now)

    /// Fetches the stored rows that have the values of some rows, with one call for each constraint, or a few.
    init(
        of entity: EntityDescription,
        for rows: [Row],
        in model: ManagedObjectModel,
        fetching fetch: (StoreFetchRequest) throws -> [Snapshot]
    ) throws {
        derivations = Derivations(model)
        for constraint in entity.uniquenessConstraints {
            let keys = OrderedMembers(rows.compactMap { UniqueKey(constraint, of: derived($0, entity)) })
            let owner = model.entity(of: constraint) ?? entity
            for predicate in UniqueKey.predicates(of: keys.members, constraint) {
                for snapshot in try fetch(StoreFetchRequest(entity: owner, predicate: predicate)) {
                    guard let key = UniqueKey(constraint, of: snapshot.row), keys.contains(key) else { continue }
                    holders[key] = snapshot.objectID
                }
            }
        }
    }

    /// The object that has one of the unique values of a new row.
    func holder(of row: Row, in entity: EntityDescription) -> ManagedObjectID? {
        keys(of: row, in: entity).lazy.compactMap { holders[$0] }.first
    }

    /// The stored object that has the values of a key.
    func holder(of key: UniqueKey) -> ManagedObjectID? { holders[key] }

    mutating func add(_ objectID: ManagedObjectID, of graph: RowGraph) throws {
        guard let row = try graph.present(objectID), let entity = try graph.exact(objectID)?.entity else { return }
        for key in keys(of: row, in: entity) where holders[key] == nil { holders[key] = objectID }
    }

    mutating func remove(_ objectID: ManagedObjectID, of graph: RowGraph) throws {
        guard let row = try graph.present(objectID), let entity = try graph.exact(objectID)?.entity else { return }
        for key in keys(of: row, in: entity) where holders[key] == objectID { holders[key] = nil }
    }

    /// The unique values of a row.
    func keys(of row: Row, in entity: EntityDescription) -> [UniqueKey] {
        guard !entity.uniquenessConstraints.isEmpty else { return [] }
        let row = derived(row, entity)
        return entity.uniquenessConstraints.compactMap { UniqueKey($0, of: row) }
    }

    /// Derived values count too, if they depend only on the row itself.
    private func derived(_ row: Row, _ entity: EntityDescription) -> Row {
        guard entity.uniquenessConstraints.joined().contains(where: \.isDerived) else { return row }
        return derivations.deriveLocally(row, of: entity, with: evaluator)
    }
}

extension PropertyDescription {
    fileprivate var isDerived: Bool {
        if case .attribute(let attribute) = self { attribute.isDerived } else { false }
    }
}
