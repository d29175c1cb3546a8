// SPDX-License-Identifier: Apache-2.0

// What a merge was about, for those who watch a context of a family.

/// Changes by others that reached a context.
public struct MergeNotice: Hashable, Sendable {
    public struct Update: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// The properties that others have changed; empty where that isn't known.
        public var properties: [String] = []
        /// Those of them that are edited here as well.
        public var conflict: [String] = []
    }

    public var inserted: [ManagedObjectID] = []
    public var updated: [Update] = []
    public var deleted: [ManagedObjectID] = []
    public var source = SavedChanges.Source.save
    /// Whether others are different as well, which are too many to be named, or not known.
    public var isIncomplete = false

    /// The most objects that are named of each kind.
    static let limit = ChangedProperties.limit
}

extension MergeNotice {
    init(_ changes: SavedChanges) {
        source = changes.source
        inserted = named(changes.inserted.map(\.objectID) + changes.insertedIDs, changes.insertedRanges)
        deleted = named(changes.deleted.map(\.objectID) + changes.deletedIDs, changes.deletedRanges)
        var changed = ChangedProperties()
        changed.add(rowsOf: changes)
        for objectID in changes.updatedIDs.prefix(Self.limit + 1) {
            changed.add(EmptyCollection<String>(), of: objectID)
        }
        for objectID in changes.updatedRanges.joined().prefix(Self.limit + 1) {
            changed.add(changes.properties, of: objectID)
        }
        changed.add(changes.changedProperties)
        let others = Set(inserted + deleted)
        let otherRanges = ObjectIDRangeIndex(changes.insertedRanges + changes.deletedRanges)
        updated = changed.entries.filter { !others.contains($0.objectID) && !otherRanges.contains($0.objectID) }
            .map { Update(objectID: $0.objectID, properties: $0.names) }
        // Who has lost them, only the store knows.
        let isMissed = deleted.contains(where: \.entity.isWithoutWayBack)
        if changed.isIncomplete || isMissed || !changes.unknownStores.isEmpty { isIncomplete = true }
    }

    private mutating func named(_ objectIDs: [ManagedObjectID], _ ranges: [ObjectIDRange]) -> [ManagedObjectID] {
        var named = Array(objectIDs.prefix(Self.limit))
        var rest = objectIDs.count > Self.limit
        for range in ranges {
            for objectID in range {
                guard named.count < Self.limit else {
                    rest = true
                    break
                }
                named.append(objectID)
            }
        }
        if rest { isIncomplete = true }
        return named
    }
}

extension SavedChanges {
    /// The same for a child context, which asks its parent for what it is to know of it.
    var namesOnly: SavedChanges {
        var names = SavedChanges()
        let notice = MergeNotice(self)
        for update in notice.updated { names.changedProperties.add(update.properties, of: update.objectID) }
        names.changedProperties.isIncomplete = notice.isIncomplete
        (names.source, names.properties) = (source, properties)
        names.insertedIDs = inserted.map(\.objectID) + insertedIDs
        let owners = members.map(\.owner) + members.flatMap { $0.added + $0.removed }
        names.updatedIDs =
            OrderedMembers(
                updated.map(\.after.objectID) + recomputed.map(\.objectID) + owners + updatedIDs
            ).members
        names.deletedIDs = deleted.map(\.objectID) + deletedIDs
        names.updatedIDs.removeAll(where: Set(names.insertedIDs + names.deletedIDs).contains)
        (names.insertedRanges, names.updatedRanges, names.deletedRanges) = (
            insertedRanges, updatedRanges, deletedRanges
        )
        names.unknownStores = unknownStores
        return names
    }
}
