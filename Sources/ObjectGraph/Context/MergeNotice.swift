// SPDX-License-Identifier: Apache-2.0

// The changes of a merge, for watchers of a family's context.

/// Changes by others that reached a context.
public struct MergeNotice: Hashable, Sendable {
    public struct Update: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// The properties that others have changed, or empty if unknown.
        public var properties: [String] = []
        /// Those of them that are edited here as well.
        public var conflict: [String] = []
    }

    public var inserted: [ManagedObjectID] = []
    public var updated: [Update] = []
    public var deleted: [ManagedObjectID] = []
    public var source = SavedChanges.Source.save
    /// Whether other objects have changed too: too many to be named, or unknown ones.
    public var isIncomplete = false

    /// The largest number of objects named of each kind.
    static let limit = ChangedProperties.limit
}

extension MergeNotice {
    init(_ changes: SavedChanges) {
        source = changes.source
        inserted = named(changes.objectIDs(.inserted), changes.ranges(.inserted))
        deleted = named(changes.objectIDs(.deleted), changes.ranges(.deleted))
        var changed = ChangedProperties()
        changed.add(rowsOf: changes)
        for objectID in changes.namedIDs(.updated).prefix(Self.limit + 1) {
            changed.add(EmptyCollection<String>(), of: objectID)
        }
        for objectID in changes.ranges(.updated).joined().prefix(Self.limit + 1) {
            changed.add(changes.properties, of: objectID)
        }
        changed.add(changes.changedProperties)
        let others = Set(inserted + deleted)
        let otherRanges = ObjectIDRangeIndex(changes.ranges(.inserted) + changes.ranges(.deleted))
        updated = changed.entries.filter { !others.contains($0.objectID) && !otherRanges.contains($0.objectID) }
            .map { Update(objectID: $0.objectID, properties: $0.names) }
        // Only the store knows which objects referred to them.
        let isMissed = deleted.contains(where: \.entity.mayHaveUnknownReferrers)
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
    /// The changes by ID only, for contexts that read the rows themselves: children, and a context whose queued changes
    /// are outdated.
    var identifiersOnly: SavedChanges {
        var names = SavedChanges()
        let notice = MergeNotice(self)
        for update in notice.updated { names.changedProperties.add(update.properties, of: update.objectID) }
        names.changedProperties.isIncomplete = notice.isIncomplete
        names.source = source
        names.properties = properties
        let inserted = objectIDs(.inserted)
        let deleted = objectIDs(.deleted)
        let others = Set(inserted + deleted)
        names.add(inserted, as: .inserted)
        names.add(OrderedMembers(touchedIDs).members.lazy.filter { !others.contains($0) }, as: .updated)
        names.add(deleted, as: .deleted)
        names.list += list.filter { if case .rows = $0 { true } else { false } }
        names.list += unknownStores.map { .unknownStore($0) }
        return names
    }
}
