// SPDX-License-Identifier: Apache-2.0

// The properties that changes have set, for watchers of contexts.

/// The names of changed properties by object, in order.
public struct ChangedProperties: Sendable {
    public struct Entry: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// Empty if unknown.
        public fileprivate(set) var names: [String]
    }

    public private(set) var entries: [Entry] = []
    /// Whether there are others: too many to be named, or unknown ones.
    public var isIncomplete = false
    private var places: [ManagedObjectID: Int] = [:]
    /// Whether the limit was reached. From then on nothing is added, so that large changes stay cheap.
    private var isFull = false

    /// The largest number of objects that are named.
    public static let limit = 1_000

    public init() {}

    /// Adds properties of an updated object.
    public mutating func add(_ names: some Sequence<String>, of objectID: ManagedObjectID) {
        guard !isFull else { return }
        if let place = places[objectID] {
            for name in names where !entries[place].names.contains(name) { entries[place].names.append(name) }
        } else if entries.count < Self.limit {
            places[objectID] = entries.count
            entries.append(Entry(objectID: objectID, names: Array(names)))
        } else {
            isFull = true
            isIncomplete = true
        }
    }

    mutating func add(_ others: ChangedProperties) {
        for entry in others.entries { add(entry.names, of: entry.objectID) }
        if others.isIncomplete { isIncomplete = true }
    }
}

extension ChangedProperties {
    /// Adds the changed properties of rows that are known before and after, and those of related objects.
    public mutating func add(rowsOf changes: SavedChanges) {
        for case .updated(let before, let after) in changes.list where !isFull {
            add(after.properties(changedSince: before), of: after.objectID)
        }
        for case .recomputed(let row) in changes.list where !isFull {
            // A row without slots may differ anywhere, such as after an app's triggers.
            if row.recomputedSlots == nil { isIncomplete = true }
            add(row.recomputedProperties, of: row.objectID)
        }
        for case .members(let change) in changes.list where !isFull {
            add(CollectionOfOne(change.relationship.name), of: change.owner)
            guard change.relationship.isManyToMany, let inverse = change.relationship.inverse else { continue }
            for member in change.added + change.removed { add(CollectionOfOne(inverse.name), of: member) }
        }
        for change in changes.list where !isFull {
            switch change {
            case .updated(let before, let after):
                addOwners(of: before, unlike: after.row)
                addOwners(of: after, unlike: before.row)
            case .inserted(let row), .deleted(let row): addOwners(of: row)
            case .recomputed, .members, .row, .rows, .unknownStore: break
            }
        }
    }

    /// Adds the owners whose to-many relationship gained or lost an object by a change of its row.
    private mutating func addOwners(of snapshot: Snapshot, unlike other: Row? = nil) {
        for relationship in snapshot.objectID.entity.toOnes where !relationship.isTransient {
            guard let inverse = relationship.inverse, inverse.isToMany,
                let owner = snapshot.row.toOnes[relationship.slot], owner != other?.toOnes[relationship.slot]
            else { continue }
            add(CollectionOfOne(inverse.name), of: owner)
        }
    }
}

extension Snapshot {
    /// The names of the properties whose values changed.
    package func properties(changedSince before: Snapshot) -> [String] {
        let entity = objectID.entity
        let attributes = entity.attributes.filter { before.row.attributes[$0.slot] != row.attributes[$0.slot] }
        let toOnes = entity.toOnes.filter { before.row.toOnes[$0.slot] != row.toOnes[$0.slot] }
        return attributes.map(\.name) + toOnes.map(\.name)
    }

    /// The names of the derived attributes that were recomputed, if the store reports them.
    var recomputedProperties: [String] {
        (recomputedSlots ?? []).map { objectID.entity.attributes[$0].name }
    }
}
