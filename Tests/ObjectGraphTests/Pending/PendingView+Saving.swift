// SPDX-License-Identifier: Apache-2.0

// What a save of pending changes asks of the stores.

@testable import ObjectGraph

extension PendingView {
    /// The operations that make the committed state what the view shows. IDs are those of the pending state.
    func saveRequest() throws(GraphError) -> StoreSaveRequest {
        var request = StoreSaveRequest()
        for objectID in try changedObjects() {
            let before = try committed.committedRow(of: objectID)
            guard let shown = try committedRow(of: objectID) else {
                if let before { request.deletions.append(.init(objectID: objectID, version: before.version)) }
                continue
            }
            guard let before else {
                let version = PendingInsertion.version(after: shown.version)
                request.insertions.append(.init(objectID: objectID, version: version, row: shown.row))
                continue
            }
            let attributes = shown.row.attributes.indices.filter { slot in
                objectID.entity.attributes[slot].isPersistent
                    && shown.row.attributes[slot] != before.row.attributes[slot]
            }
            let toOnes = shown.row.toOnes.indices.filter { shown.row.toOnes[$0] != before.row.toOnes[$0] }
            guard !attributes.isEmpty || !toOnes.isEmpty else { continue }
            request.updates.append(
                .init(
                    objectID: objectID,
                    version: before.version,
                    row: shown.row,
                    attributes: attributes,
                    toOnes: toOnes
                )
            )
        }
        try addMembers(to: &request)
        return request
    }

    /// The objects whose rows may differ from the committed ones.
    private func changedObjects() throws(GraphError) -> [ManagedObjectID] {
        var changed = OrderedMembers<ManagedObjectID>()
        for objectID in kept.union(deleted) { changed.append(objectID) }
        for (key, fact) in pending.facts {
            switch (key, fact) {
            case (.insertion(let objectID), _), (.attribute(let objectID, slot: _), _): changed.append(objectID)
            case (.toOne(let objectID, let slot), .toOne(let destination, base: _)):
                changed.append(objectID)
                guard objectID.entity.toOnes[slot].isOneToOne else { continue }
                // Those that were linked to either end before lose it.
                for end in [objectID, destination].compactMap(\.self) {
                    let back = end == objectID ? slot : objectID.entity.toOnes[slot].inverse?.slot ?? slot
                    if let partner = try committed.committedRow(of: end)?.row.toOnes[back] { changed.append(partner) }
                }
            default: break
            }
        }
        for objectID in deleted {
            for relationship in objectID.entity.relationships where relationship.inverse?.isToMany == false {
                for other in try linked(objectID, relationship) { changed.append(other) }
            }
        }
        return changed.members
    }

    private func addMembers(to request: inout StoreSaveRequest) throws(GraphError) {
        var owners = OrderedMembers<MemberSlot>()
        var added: [MemberSlot: [ManagedObjectID]] = [:]
        var removed: [MemberSlot: [ManagedObjectID]] = [:]
        for (key, fact) in pending.facts {
            switch (key, fact) {
            case (.pair(let pair), .pair(let isAdded)):
                guard try isPresent(pair.owner), try isPresent(pair.member),
                    try committed.isCommittedMember(pair.member, of: pair.owner, pair.relationship) != isAdded
                else { continue }
                let slot = MemberSlot(owner: pair.owner, slot: pair.slot)
                owners.append(slot)
                if isAdded {
                    added[slot, default: []].append(pair.member)
                } else {
                    removed[slot, default: []].append(pair.member)
                }
            case (.order(let slot), _):
                if try isPresent(slot.owner), try effectiveOrder(of: slot) != nil { owners.append(slot) }
            default: break
            }
        }
        for slot in try orderedArrivals() { owners.append(slot) }
        for slot in owners.members {
            let isOrdered = slot.relationship.isOrdered
            request.members.append(
                .init(
                    owner: slot.owner,
                    relationship: slot.relationship,
                    added: added[slot] ?? [],
                    removed: removed[slot] ?? [],
                    order: isOrdered ? try currentMembers(of: slot) : nil
                )
            )
        }
    }

    func currentMembers(of slot: MemberSlot) throws(GraphError) -> [ManagedObjectID] {
        var members: [ManagedObjectID] = []
        for member in try self.members(of: slot) where try isPresent(member) { members.append(member) }
        return members
    }
}

extension PendingView {
    /// The properties of a committed object that show something else than what is committed.
    func changedProperties(of objectID: ManagedObjectID) throws(GraphError) -> [String] {
        guard let before = try committed.committedRow(of: objectID), let shown = try committedRow(of: objectID) else {
            return []
        }
        let entity = objectID.entity
        var names = entity.attributes.filter { shown.row[$0] != before.row[$0] }.map(\.name)
        names += entity.toOnes.filter { shown.row.toOnes[$0.slot] != before.row.toOnes[$0.slot] }.map(\.name)
        for relationship in entity.toManys {
            let members = try members(of: MemberSlot(owner: objectID, slot: relationship.slot))
            let stored = try committed.committedMembers(of: objectID, relationship)
            let isSame = relationship.isOrdered ? members == stored : Set(members) == Set(stored)
            if !isSame { names.append(relationship.name) }
        }
        return names
    }
}
