// SPDX-License-Identifier: Apache-2.0

// The stored objects that have the unique values in a plan.

import ObjectGraph

/// The unique values in a plan as keys, and the stored objects that have them.
struct UniqueObjects {
    /// The keys of the values that each write gives to a new object.
    private(set) var own: [[UniqueKey]] = []
    /// The keys of the values in references; values that no object can have are missing.
    private(set) var named: [UniqueValues: UniqueKey] = [:]
    /// The stored objects with the values of references, and, for an upsert, with those of new objects. In an editing
    /// context, pending objects count as well.
    private(set) var stored: [UniqueKey: ManagedObject] = [:]
    /// Whether new objects with the values of stored ones change these instead.
    private(set) var isUpsert = false

    init() {}

    /// - Parameter objectID: Finds the ID of a destination.
    init(
        of plan: WritePlan,
        in context: ManagedObjectContext,
        isUpsert: Bool,
        naming objectID: (ObjectLocation) -> ManagedObjectID?
    ) throws {
        self.isUpsert = isUpsert
        own = plan.writes.map { $0.uniqueValues.compactMap { $0.key(objectID) } }
        for write in plan.writes {
            for case let values? in write.changes.flatMap(\.change.references).map(\.uniqueValues) {
                named[values] = values.key(objectID)
            }
        }
        guard !named.isEmpty || isUpsert else { return }
        stored = try context.objects(having: Array(named.values) + (isUpsert ? Array(own.joined()) : []))
    }
}

extension UniqueObjects {
    /// Omits the stored objects that an identity can't read.
    mutating func omitUnreadable(to api: API, in context: ManagedObjectContext) throws {
        guard api.access != nil else { return }
        let holders = stored.map { ($0.key, $0.value.objectID) }
        let rows = try api.narrowed(context).snapshots(of: holders.map(\.1))
        for (holder, row) in zip(holders, rows) where row == nil { stored[holder.0] = nil }
    }
}

extension Reference {
    var uniqueValues: UniqueValues? {
        if case .unique(let values) = target { values } else { nil }
    }
}
