// SPDX-License-Identifier: Apache-2.0

// A committed state in memory, over a small model that has every kind of relationship.

import FoundationEssentials
import ObjectModel
import Predicates

@testable import ObjectGraph

/// Rows and members, changed by the requests of saves as a store does.
struct MemoryState: CommittedState {
    static let entities = ["Team", "Person", "Profile", "Tag", "Note", "Room"]

    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Team") {
                    Attribute("number", .int64).default(0)
                    Attribute("value", .int64).default(0)
                    Attribute("note", .int64).default(0)
                    // One to many, ordered.
                    Relationship("members", toMany: "Person", inverse: "team", deleteRule: .cascade).optional()
                        .ordered()
                    // Many to many, ordered on both sides.
                    Relationship("tags", toMany: "Tag", inverse: "teams").optional().ordered()
                    // Without an inverse.
                    Relationship("watchers", toMany: "Person").optional().ordered()
                    Relationship("lead", toOne: "Person").optional()
                    Relationship("rooms", toMany: "Room", inverse: "team", deleteRule: .cascade).optional()
                }
                Entity("Person") {
                    Attribute("number", .int64).default(0)
                    Attribute("value", .int64).default(0)
                    Attribute("note", .int64).default(0)
                    Relationship("team", toOne: "Team", inverse: "members").optional()
                    // One to one, with itself as its inverse, and with another one.
                    Relationship("partner", toOne: "Person", inverse: "partner").optional()
                    Relationship("profile", toOne: "Profile", inverse: "person", deleteRule: .cascade).optional()
                    Relationship("boss", toOne: "Person", inverse: "reports", deleteRule: .noAction).optional()
                    Relationship("reports", toMany: "Person", inverse: "boss", deleteRule: .deny).optional()
                    // Many to many, with itself as its inverse.
                    Relationship("friends", toMany: "Person", inverse: "friends").optional()
                    Relationship("notes", toMany: "Note", inverse: "owner", deleteRule: .noAction).optional()
                }
                Entity("Profile") {
                    Attribute("number", .int64).default(0)
                    Attribute("value", .int64).default(0)
                    Attribute("note", .int64).default(0)
                    Relationship("person", toOne: "Person", inverse: "profile").optional()
                }
                Entity("Tag") {
                    Attribute("number", .int64).default(0)
                    Attribute("value", .int64).default(0)
                    Attribute("note", .int64).default(0)
                    Relationship("teams", toMany: "Team", inverse: "tags").optional().ordered()
                    Relationship("notes", toMany: "Note", inverse: "tags", deleteRule: .cascade).optional().ordered()
                }
                Entity("Note") {
                    Attribute("number", .int64).default(0)
                    Attribute("value", .int64).default(0)
                    Attribute("note", .int64).default(0)
                    Relationship("owner", toOne: "Person", inverse: "notes").optional()
                    // Many to many, ordered on the other side.
                    Relationship("tags", toMany: "Tag", inverse: "notes").optional()
                }
                Entity("Room") {
                    Attribute("number", .int64).default(0)
                    Attribute("value", .int64).default(0)
                    Attribute("note", .int64).default(0)
                    Relationship("team", toOne: "Team", inverse: "rooms")
                }
            }
        )
    }

    private static let store = UUID()

    static func objectID(_ entity: EntityDescription, _ number: Int) -> ManagedObjectID {
        ManagedObjectID(entity: entity, store: store, reference: .integer(Int64(number)))
    }

    private(set) var rows: [ManagedObjectID: CommittedRow] = [:]
    private var former: [ManagedObjectID: CommittedRow] = [:]
    private var members: [MemberSlot: [ManagedObjectID]] = [:]

    func committedRow(of objectID: ManagedObjectID) -> CommittedRow? { rows[objectID] }

    func formerRow(of objectID: ManagedObjectID) -> CommittedRow? { former[objectID] }

    func committedMembers(of owner: ManagedObjectID, _ relationship: RelationshipDescription) -> [ManagedObjectID] {
        members[MemberSlot(owner: owner, slot: relationship.slot)] ?? []
    }

    /// What is committed once a pending state is saved.
    func saving(_ pending: PendingState) throws -> MemoryState {
        var saved = self
        saved.apply(try pending.view(over: self).saveRequest())
        return saved
    }

    private mutating func apply(_ request: StoreSaveRequest) {
        for deletion in request.deletions {
            former[deletion.objectID] = rows.removeValue(forKey: deletion.objectID)
            for slot in members.keys { members[slot]?.removeAll { $0 == deletion.objectID } }
            for relationship in deletion.objectID.entity.toManys where relationship.inverse?.isToMany != false {
                members[MemberSlot(owner: deletion.objectID, slot: relationship.slot)] = nil
            }
        }
        for insertion in request.insertions { put(insertion.row, insertion.version, of: insertion.objectID) }
        for update in request.updates { put(update.row, update.version + 1, of: update.objectID) }
        let before = members
        for change in request.members {
            for member in change.removed { relate(change.owner, change.relationship, member, false) }
            for member in change.added { relate(change.owner, change.relationship, member, true) }
        }
        for change in request.members {
            let slot = MemberSlot(owner: change.owner, slot: change.relationship.slot)
            let present = members[slot] ?? []
            // New members have the order in which they were added on this side; others stay in their places.
            let isNew: (ManagedObjectID) -> Bool = { present.contains($0) && before[slot]?.contains($0) != true }
            let added = change.relationship.isManyToMany ? change.added.filter(isNew) : change.added
            members[slot] = present.filter { !added.contains($0) } + added.filter(present.contains)
        }
        for change in request.members {
            guard let order = change.order else { continue }
            let slot = MemberSlot(owner: change.owner, slot: change.relationship.slot)
            let present = members[slot] ?? []
            members[slot] = order.filter(present.contains) + present.filter { !order.contains($0) }
        }
    }

    private mutating func put(_ row: Row, _ version: Int64, of objectID: ManagedObjectID) {
        let before = rows[objectID]?.row
        rows[objectID] = CommittedRow(version: version, row: row)
        for relationship in objectID.entity.toOnes {
            guard let inverse = relationship.inverse, inverse.isToMany else { continue }
            let former = before?.toOnes[relationship.slot]
            let owner = row.toOnes[relationship.slot]
            guard former != owner else { continue }
            if let former { members[MemberSlot(owner: former, slot: inverse.slot)]?.removeAll { $0 == objectID } }
            if let owner { members[MemberSlot(owner: owner, slot: inverse.slot), default: []].append(objectID) }
        }
    }

    private mutating func relate(
        _ owner: ManagedObjectID,
        _ relationship: RelationshipDescription,
        _ member: ManagedObjectID,
        _ isAdded: Bool
    ) {
        var sides = [MemberSlot(owner: owner, slot: relationship.slot): member]
        if let inverse = relationship.inverse { sides[MemberSlot(owner: member, slot: inverse.slot)] = owner }
        for (slot, member) in sides {
            if !isAdded {
                members[slot]?.removeAll { $0 == member }
            } else if members[slot]?.contains(member) != true {
                members[slot, default: []].append(member)
            }
        }
    }
}

extension ManagedObjectID {
    var number: Int {
        guard case .integer(let number) = reference else { return 0 }
        return Int(number)
    }

    var caption: String { "\(entity.name)\(number)" }
}

extension EntityDescription {
    func slot(_ name: String) -> Int { attribute(named: name)?.slot ?? 0 }
}
