// SPDX-License-Identifier: Apache-2.0

// The relationships of a store's objects in another version of its model.

import ObjectGraph

/// Which objects are related to which in the new version.
///
/// 1. Both ends of a link exist in the new version, and the destination is of the relationship's entity.
/// 2. In a pair of inverse relationships of which one or both are to-one, no object has two links at a to-one side.
struct MigratedLinks {
    private struct End: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
    }

    private let mapping: ResolvedMapping
    /// The objects in the new version, by number.
    private let owners: [ManagedObjectID]
    /// The destinations of each object, in order.
    private var destinations: [End: [ManagedObjectID]] = [:]
    /// The ends whose destinations rules say, and the one-to-one relationships of which they say some.
    private var ruledEnds: Set<End> = []
    private var ruledInverses: Set<RelationshipDescription> = []

    /// - Parameter ruled: What rules make of objects of the old version.
    init(_ mapping: ResolvedMapping, of state: AtomicState, ruled: [ManagedObjectID: RuledObject]) {
        self.mapping = mapping
        let rows = state.rows.values.sorted { $0.objectID.number < $1.objectID.number }
        owners = rows.compactMap { mapping.objectID(of: $0.objectID) }
        for snapshot in rows { read(snapshot, from: state) }
        follow(ruled)
        for owner in owners { completeInverses(of: owner) }
        destinations = decided()
    }

    private mutating func read(_ snapshot: Snapshot, from state: AtomicState) {
        guard let plan = mapping.plan(of: snapshot.objectID.entity), let owner = mapping.objectID(of: snapshot.objectID)
        else { return }
        for relationship in plan.destination.relationships {
            guard let source = plan.relationships[relationship.name] else { continue }
            let former =
                source.isToMany
                ? state.members(of: source, owner: snapshot.objectID)
                : snapshot.row.toOnes[source.slot].map { [$0] } ?? []
            let entity = mapping.new.destination(of: relationship)
            destinations[End(owner: owner, relationship: relationship)] =
                former
                .compactMap { state.row(named: $0).flatMap { mapping.objectID(of: $0.objectID) } }
                .filter { $0.entity.isKind(of: entity) }
        }
    }

    /// Replaces links by those that rules say, on both sides of one-to-one relationships.
    private mutating func follow(_ ruled: [ManagedObjectID: RuledObject]) {
        let remaining = Set(owners)
        var partners: [End: [ManagedObjectID]] = [:]
        for (former, ruled) in ruled.sorted(by: { $0.key.number < $1.key.number }) {
            guard let owner = mapping.objectID(of: former), remaining.contains(owner) else { continue }
            for (relationship, destination) in ruled.toOnes {
                let destination = destination.flatMap { remaining.contains($0) ? $0 : nil }
                let end = End(owner: owner, relationship: relationship)
                destinations[end] = [destination].compactMap(\.self)
                ruledEnds.insert(end)
                guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
                ruledInverses.insert(relationship)
                guard let destination else { continue }
                let back = destination.entity.toOnes[inverse.slot]
                partners[End(owner: destination, relationship: back), default: []].append(owner)
            }
        }
        guard !ruledInverses.isEmpty else { return }
        for end in destinations.keys where isInverse(end) { destinations[end] = [] }
        for (end, owners) in partners { destinations[end] = owners }
    }

    /// Whether an end belongs to a one-to-one relationship whose other side a rule says.
    private func isInverse(_ end: End) -> Bool {
        ruledInverses.contains { ruled in
            ruled.inverse?.name == end.relationship.name && end.relationship.inverse?.name == ruled.name
                && end.owner.entity.isKind(of: mapping.new.destination(of: ruled))
        }
    }

    /// Makes an object's links those of their destinations, where these have no source of their own.
    private mutating func completeInverses(of owner: ManagedObjectID) {
        for relationship in owner.entity.relationships {
            guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
            for destination in destinations[End(owner: owner, relationship: relationship)] ?? [] {
                let back = destination.entity.toOnes[inverse.slot]
                guard !mapping.hasSource(back, of: destination.entity),
                    !ruledEnds.contains(End(owner: destination, relationship: back)),
                    owner.entity.isKind(of: mapping.new.destination(of: back))
                else { continue }
                destinations[End(owner: destination, relationship: back), default: []].append(owner)
            }
        }
    }

    /// Keeps the first of an object's links at each to-one side. In a one-to-one relationship it must be the first of both
    /// objects.
    private func decided() -> [End: [ManagedObjectID]] {
        var decided = destinations
        for end in destinations.keys where !end.relationship.isToMany {
            guard let first = destinations[end]?.first else { continue }
            let isMutual =
                end.relationship.inverse.map { inverse in
                    guard !inverse.isToMany else { return true }
                    let back = End(owner: first, relationship: first.entity.toOnes[inverse.slot])
                    return destinations[back]?.first == end.owner
                } ?? true
            decided[end] = isMutual ? [first] : []
        }
        return decided
    }

    /// The destination of a to-one relationship.
    func destination(of relationship: RelationshipDescription, _ owner: ManagedObjectID) -> ManagedObjectID? {
        destinations[End(owner: owner, relationship: relationship)]?.first
    }

    /// The members that rows don't contain, and all orders.
    var lists: [StoreSaveRequest.MembersChange] {
        owners.flatMap { owner in
            owner.entity.toManys.compactMap { relationship in
                guard relationship.isManyToMany || relationship.isOrdered,
                    let members = destinations[End(owner: owner, relationship: relationship)], !members.isEmpty
                else { return nil }
                return StoreSaveRequest.MembersChange(
                    owner: owner,
                    relationship: relationship,
                    added: relationship.isManyToMany ? members : [],
                    order: relationship.isOrdered ? members : nil
                )
            }
        }
    }
}
