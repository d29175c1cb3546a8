// SPDX-License-Identifier: Apache-2.0

// The facts of a pending state, and the keys they stand under.

import FoundationEssentials
import Predicates

@testable import ObjectGraph

/// What a fact is about.
enum PendingKey: Hashable, Sendable {
    case insertion(ManagedObjectID)
    case deletion(ManagedObjectID)
    case attribute(ManagedObjectID, slot: Int)
    case toOne(ManagedObjectID, slot: Int)
    case pair(MemberPair)
    case order(MemberSlot)
}

/// What was asked for.
enum PendingFact: Hashable, Sendable {
    case insertion(PendingInsertion)
    case deletion
    /// A value, and the committed one that it replaces.
    case attribute(Value, base: Value)
    case toOne(ManagedObjectID?, base: ManagedObjectID?)
    /// Whether two objects are to be related to each other.
    case pair(isAdded: Bool)
    case order(PendingOrder)
}

/// The order that members are to stand in.
enum PendingOrder: Hashable, Sendable {
    /// Those that were added, behind the others.
    case added([ManagedObjectID])
    /// All members that there were; those that others have added since stand behind them.
    case all([ManagedObjectID])

    var members: [ManagedObjectID] {
        switch self {
        case .added(let members), .all(let members): members
        }
    }

    func without(_ member: ManagedObjectID) -> PendingOrder {
        switch self {
        case .added(let members): .added(members.filter { $0 != member })
        case .all(let members): .all(members.filter { $0 != member })
        }
    }
}

/// A new object.
struct PendingInsertion: Hashable, Sendable {
    /// What it begins with: initial values, or the row that an object had before its deletion was saved.
    var initial: Row
    /// The store that it was assigned to, or nil.
    var store: UUID?
    /// The version that its row had before, or zero.
    var formerVersion: Int64
    /// Counts the insertions of a context.
    var number: Int

    init(initial: Row, store: UUID? = nil, formerVersion: Int64 = 0, number: Int = 0) {
        self.initial = initial
        self.store = store
        self.formerVersion = formerVersion
        self.number = number
    }

    /// The version of the row that it becomes: above all that others may have saved before it was deleted.
    var version: Int64 { Self.version(after: formerVersion) }

    static func version(after former: Int64) -> Int64 { former == 0 ? 1 : former + 1_000_000 }
}

/// A to-many relationship of an object.
struct MemberSlot: Hashable, Sendable {
    let owner: ManagedObjectID
    let slot: Int

    init(owner: ManagedObjectID, slot: Int) {
        self.owner = owner
        self.slot = slot
    }

    var relationship: RelationshipDescription { owner.entity.toManys[slot] }
}

/// Two objects that a many-to-many relationship, or a to-many one without an inverse, can relate. Named from one side only, so that
/// both sides are the same pair.
struct MemberPair: Sendable {
    let owner: ManagedObjectID
    let slot: Int
    let member: ManagedObjectID
    /// Whether the relationship is its own inverse, so that neither end comes first.
    let isSymmetric: Bool

    init(owner: ManagedObjectID, _ relationship: RelationshipDescription, member: ManagedObjectID) {
        guard let inverse = relationship.inverse else {
            self.init(owner: owner, slot: relationship.slot, member: member, isSymmetric: false)
            return
        }
        let back = member.entity.toManys[inverse.slot]
        let isFirst = (relationship.name, back.destinationIndex) <= (back.name, relationship.destinationIndex)
        self.init(
            owner: isFirst ? owner : member,
            slot: isFirst ? relationship.slot : back.slot,
            member: isFirst ? member : owner,
            isSymmetric: back == relationship
        )
    }

    init(owner: ManagedObjectID, slot: Int, member: ManagedObjectID, isSymmetric: Bool) {
        self.owner = owner
        self.slot = slot
        self.member = member
        self.isSymmetric = isSymmetric
    }

    var relationship: RelationshipDescription { owner.entity.toManys[slot] }
    var ends: [ManagedObjectID] { [owner, member] }

    /// The relationship of the member that refers back to the owner, or nil.
    var backSlot: MemberSlot? { relationship.inverse.map { MemberSlot(owner: member, slot: $0.slot) } }
}

extension MemberPair: Hashable {
    static func == (one: MemberPair, other: MemberPair) -> Bool {
        guard one.slot == other.slot else { return false }
        return one.owner == other.owner && one.member == other.member
            || one.isSymmetric && one.owner == other.member && one.member == other.owner
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(slot)
        hasher.combine(owner.hashValue ^ member.hashValue)
    }
}

extension PendingKey {
    /// The object whose row the fact changes or removes; nil of insertions, pairs and orders.
    var changedObject: ManagedObjectID? {
        switch self {
        case .deletion(let objectID), .attribute(let objectID, _), .toOne(let objectID, _): objectID
        case .insertion, .pair, .order: nil
        }
    }

    /// The objects that it names.
    var objects: [ManagedObjectID] {
        switch self {
        case .insertion(let objectID), .deletion(let objectID), .attribute(let objectID, _), .toOne(let objectID, _):
            [objectID]
        case .pair(let pair): pair.ends
        case .order(let slot): [slot.owner]
        }
    }
}

extension ManagedObjectID {
    /// The relationship of another object that refers back to this one, if there is one.
    func relationship(inverseTo relationship: RelationshipDescription) -> RelationshipDescription? {
        relationship.inverse.map { $0.isToMany ? entity.toManys[$0.slot] : entity.toOnes[$0.slot] }
    }
}

extension RelationshipDescription {
    /// Whether it is to one on both sides.
    var isOneToOne: Bool { !isToMany && inverseToOne != nil }
}
