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
    static let limit = 1_000
}

extension MergeNotice {
    init(_ changes: SavedChanges) {
        source = changes.source
        inserted = named(changes.inserted.map(\.objectID) + changes.insertedIDs, changes.insertedRanges)
        deleted = named(changes.deleted.map(\.objectID) + changes.deletedIDs, changes.deletedRanges)
        var updates: [ManagedObjectID: Int] = [:]
        func add(_ objectID: ManagedObjectID, _ properties: some Sequence<String>) {
            guard let place = updates[objectID] else {
                guard updated.count < Self.limit else { return isIncomplete = true }
                updates[objectID] = updated.count
                return updated.append(Update(objectID: objectID, properties: Array(properties)))
            }
            let known = updated[place].properties
            updated[place].properties += properties.filter { !known.contains($0) }
        }
        for update in changes.updated { add(update.after.objectID, update.changedProperties) }
        for row in changes.recomputed {
            add(row.objectID, row.objectID.entity.attributes.filter(\.isDerived).map(\.name))
        }
        let isNew = Set(inserted + deleted)
        for change in changes.members where !isNew.contains(change.owner) {
            add(change.owner, [change.relationship.name])
        }
        for objectID in named(changes.updatedIDs, changes.updatedRanges) {
            add(objectID, changes.changedProperties[objectID] ?? changes.properties)
        }
        if !changes.unknownStores.isEmpty { isIncomplete = true }
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
        names.changedProperties = Dictionary(
            MergeNotice(self).updated.map { ($0.objectID, $0.properties) }
        ) { first, _ in first }
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

extension SavedChanges.Update {
    /// The names of the properties that aren't what they were.
    fileprivate var changedProperties: [String] {
        let entity = after.objectID.entity
        let attributes = entity.attributes.filter {
            before.row.attributes[$0.slot] != after.row.attributes[$0.slot]
        }
        let toOnes = entity.toOnes.filter { before.row.toOnes[$0.slot] != after.row.toOnes[$0.slot] }
        return attributes.map(\.name) + toOnes.map(\.name)
    }
}
