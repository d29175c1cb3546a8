// SPDX-License-Identifier: Apache-2.0

// Random changes of pending states.

import Predicates
import TestSupport

@testable import ObjectGraph

/// Chooses edits that change what objects show.
struct RandomPendingEdits {
    var random: SeededGenerator
    private var count: Int
    private let model: ManagedObjectModel

    /// - Parameter first: the number of the first new object.
    init(seed: UInt64, first: Int = 0) throws {
        random = SeededGenerator(seed: seed)
        count = first
        model = try MemoryState.model.get()
    }

    /// The objects that a view shows, in an order that a seed brings back.
    static func present(
        in view: PendingView<some CommittedState>,
        of objectIDs: some Sequence<ManagedObjectID>
    ) throws -> [ManagedObjectID] {
        try Set(objectIDs).filter { try view.isPresent($0) }
            .sorted { ($0.number, $0.entity.index) < ($1.number, $1.entity.index) }
    }

    /// One or more edits that belong together.
    mutating func next(
        _ state: PendingState,
        over committed: some CommittedState,
        of objectIDs: some Sequence<ManagedObjectID>
    ) throws -> [PendingEdit] {
        let view = try state.view(over: committed)
        let present = try Self.present(in: view, of: objectIDs)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<22: return try insert(present)
        case ..<32: return try setValue(view, present)
        case ..<62: return try relate(view, present)
        case ..<74: return try unrelate(view, present)
        case ..<84: return try arrange(view, present)
        case ..<95:
            return present.randomElement(using: &random).map { [.delete($0)] } ?? []
        default:
            let asked = state.facts.keys.compactMap { key -> ManagedObjectID? in
                if case .deletion(let objectID) = key { objectID } else { nil }
            }
            let deleted = try asked.filter { try view.exists($0) }.sorted { $0.number < $1.number }
            return deleted.randomElement(using: &random).map { [.restore($0)] } ?? []
        }
    }

    private mutating func insert(_ present: [ManagedObjectID]) throws -> [PendingEdit] {
        let name = MemoryState.entities.randomElement(using: &random) ?? "Team"
        guard let entity = model.entity(named: name) else { return [] }
        let teams = present.filter { $0.entity.name == "Team" }
        let team = teams.randomElement(using: &random)
        if name == "Room", team == nil { return [] }
        count += 1
        let objectID = MemoryState.objectID(entity, count)
        var row = Row(
            attributes: entity.attributes.map { $0.name == "number" ? .integer(Int64(count)) : .integer(0) },
            toOnes: entity.toOnes.map { _ in nil }
        )
        row.attributes[entity.slot("number")] = .integer(Int64(count))
        var edits: [PendingEdit] = [.insert(objectID, PendingInsertion(initial: row, number: count))]
        if name == "Room", let slot = entity.relationship(named: "team")?.slot {
            edits.append(.setToOne(objectID, slot: slot, team))
        }
        return edits
    }

    private mutating func setValue(
        _ view: PendingView<some CommittedState>,
        _ present: [ManagedObjectID]
    ) throws -> [PendingEdit] {
        guard let objectID = present.randomElement(using: &random) else { return [] }
        let slot = objectID.entity.slot("value")
        let value = Value.integer(Int64.random(in: 0..<4, using: &random))
        return try view.value(of: objectID, attribute: slot) == value
            ? [] : [.setAttribute(objectID, slot: slot, value)]
    }

    private mutating func relate(
        _ view: PendingView<some CommittedState>,
        _ present: [ManagedObjectID]
    ) throws -> [PendingEdit] {
        guard let objectID = present.randomElement(using: &random),
            let relationship = objectID.entity.relationships.randomElement(using: &random)
        else { return [] }
        let kinds = model.destination(of: relationship)
        guard let other = present.filter({ $0.entity.isKind(of: kinds) }).randomElement(using: &random) else {
            return []
        }
        guard relationship.isToMany else {
            let shown = try view.destination(of: objectID, toOne: relationship.slot)
            return shown == other ? [] : [.setToOne(objectID, slot: relationship.slot, other)]
        }
        let slot = MemberSlot(owner: objectID, slot: relationship.slot)
        let members = try view.members(of: slot)
        guard !members.contains(other) else { return [] }
        let index =
            relationship.isOrdered && random.chance(30) ? Int.random(in: 0...members.count, using: &random) : nil
        return [.add(other, to: slot, at: index)]
    }

    private mutating func unrelate(
        _ view: PendingView<some CommittedState>,
        _ present: [ManagedObjectID]
    ) throws -> [PendingEdit] {
        guard let objectID = present.randomElement(using: &random),
            let relationship = objectID.entity.relationships.randomElement(using: &random),
            !["team", "rooms"].contains(relationship.name)
        else { return [] }
        guard relationship.isToMany else {
            let shown = try view.destination(of: objectID, toOne: relationship.slot)
            return shown == nil ? [] : [.setToOne(objectID, slot: relationship.slot, nil)]
        }
        let slot = MemberSlot(owner: objectID, slot: relationship.slot)
        let members = try view.members(of: slot).filter { try view.isPresent($0) }
        let sorted = relationship.isOrdered ? members : members.sorted { $0.number < $1.number }
        return sorted.randomElement(using: &random).map { [.remove($0, from: slot)] } ?? []
    }

    private mutating func arrange(
        _ view: PendingView<some CommittedState>,
        _ present: [ManagedObjectID]
    ) throws -> [PendingEdit] {
        let owners = present.filter { ["Team", "Tag"].contains($0.entity.name) }
        guard let objectID = owners.randomElement(using: &random),
            let relationship = objectID.entity.toManys.filter(\.isOrdered).randomElement(using: &random)
        else { return [] }
        let slot = MemberSlot(owner: objectID, slot: relationship.slot)
        let members = try view.members(of: slot)
        guard try members.allSatisfy({ try view.isPresent($0) }) else { return [] }
        let order = members.shuffled(using: &random)
        return order == members ? [] : [.setMembers(slot, order)]
    }
}

extension PendingState {
    /// The objects that its facts name.
    var objectIDs: [ManagedObjectID] {
        facts.keys.compactMap { key in
            switch key {
            case .insertion(let objectID), .deletion(let objectID): objectID
            case .attribute(let objectID, slot: _), .toOne(let objectID, slot: _): objectID
            case .pair, .order: nil
            }
        }
    }
}
