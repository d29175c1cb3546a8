// SPDX-License-Identifier: Apache-2.0

// Trees of contexts that are changed at random while other contexts save: each shows its parent's state and its own
// changes, and a tree that is restored from archives shows the same.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Random context families")
struct RandomFamilyTests {
    @Test(
        "every context shows its parent's state and its own changes, and is restored unchanged",
        arguments: SeededGenerator.seeds(16)
    )
    func random(seed: UInt64) throws {
        var play = try FamilyPlay(seed: seed)
        do {
            for _ in 0..<60 { try play.step() }
        } catch {
            let log = play.edits.log.suffix(80).joined(separator: "\n")
            Issue.record("seed \(seed): \(error)\n\(log)")
        }
    }
}

/// The visible objects of a family's member, and its changes.
private struct MemberView: Equatable, Sendable {
    struct Change: Equatable, Sendable {
        var values: [String: Value]
        var isInserted: Bool
    }

    var shown: WorldState
    /// The changed objects, except those that were changed back.
    var changed: [ManagedObjectID: Change] = [:]
    var deleted: Set<ManagedObjectID> = []
    var canUndo: Bool
    var canRedo: Bool

    init(_ context: ManagedObjectContext) throws {
        shown = try WorldState(context)
        for object in context.insertedObjects + context.updatedObjects {
            let values = object.changedValues.mapValues(Self.sorted)
            if object.isInserted || !values.isEmpty {
                changed[object.objectID] = Change(values: values, isInserted: object.isInserted)
            }
        }
        deleted = Set(context.deletedObjects.map(\.objectID))
        canUndo = context.undoManager?.canUndo ?? false
        canRedo = context.undoManager?.canRedo ?? false
    }

    private static func sorted(_ value: Value) -> Value {
        guard case .array(let members) = value else { return value }
        return .array(members.sorted { "\($0)" < "\($1)" })
    }

    func difference(from other: MemberView) -> String {
        var lines = shown.difference(from: other.shown)
        for id in Set(changed.keys).union(other.changed.keys) where changed[id] != other.changed[id] {
            lines.append(
                "changed \(id): \(changed[id].map { "\($0)" } ?? "–") | \(other.changed[id].map { "\($0)" } ?? "–")"
            )
        }
        if deleted != other.deleted { lines.append("deleted: \(deleted) | \(other.deleted)") }
        if (canUndo, canRedo) != (other.canUndo, other.canRedo) {
            lines.append("undo: \(canUndo) \(canRedo) | \(other.canUndo) \(other.canRedo)")
        }
        return lines.sorted().joined(separator: "\n")
    }
}

extension WorldState {
    /// A relationship with sides that disagree.
    fileprivate var oneSided: String? {
        for (objectID, shown) in objects {
            for (name, related) in shown.related {
                guard let inverse = objectID.entity.relationship(named: name)?.inverse else { continue }
                for other in related where objects[other]?.related[inverse.name]?.contains(objectID) != true {
                    return
                        "\(objectID).\(name) -> \(other), \(objects[other].map { "\($0.related)" } ?? "which isn't there")"
                }
            }
        }
        return nil
    }

    fileprivate func difference(from other: WorldState) -> [String] {
        Set(objects.keys).union(other.objects.keys).filter { objects[$0] != other.objects[$0] }.map { id in
            "\(id): \(objects[id].map { "\($0)" } ?? "–") | \(other.objects[id].map { "\($0)" } ?? "–")"
        }
    }
}

/// A family of contexts, in which each except the last ones has a child that never changes anything.
private struct FamilyPlay {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Place {
        var member: ContextFamily.Member
        let parent: Int?
        let isWitness: Bool
        /// Whether it doesn't merge automatically, so that its state isn't compared.
        var staysBehind = false
        /// The archive after its last change.
        var archive: ContextArchive?
    }

    let world: World
    var family: ContextFamily
    var places: [Place] = []
    var edits: LabelledEdits
    /// The chance that everything is read: read objects are loaded, and others aren't.
    let lookingChance: Int
    private var rounds = 0

    init(seed: UInt64) throws {
        world = try World()
        family = ContextFamily(world.coordinator)
        edits = LabelledEdits(seed: seed)
        lookingChance = [100, 30, 10].randomElement(using: &edits.random) ?? 100
        try change(steps: 10)
        places = [Place(member: family.root, parent: nil, isWitness: false)]
        try prepare(family.root)
        for (parent, isWitness, staysBehind) in [
            (0, false, false), (0, false, false), (1, false, false), (1, false, true),
            (0, true, false), (1, true, false), (3, true, false),
        ] {
            let member = try family.addChild(of: places[parent].member)
            places.append(Place(member: member, parent: parent, isWitness: isWitness, staysBehind: staysBehind))
            try prepare(member, staysBehind: staysBehind)
        }
    }

    private func prepare(_ member: ContextFamily.Member, staysBehind: Bool = false) throws {
        try family.perform(in: member) { context in
            context.undoManager = ObjectUndoManager()
            context.mergesKeepBase = staysBehind
            context.automaticallyMergesChanges = !staysBehind
            context.retainsRegisteredObjects = staysBehind
        }
    }

    private func name(_ place: Int) -> String { ["root", "one", "two", "below one", "behind one"][place] }

    private func title(of place: Place) -> String {
        if place.isWitness { return "a witness of \(name(place.parent ?? 0))" }
        return name(places.firstIndex { $0.member == place.member } ?? 0)
    }

    mutating func step() throws {
        rounds += 1
        let place = Int.random(in: 0..<5, using: &edits.random)
        switch Int.random(in: 0..<100, using: &edits.random) {
        case ..<10: try change(steps: 2)
        case ..<24: try save(place)
        case ..<26: try act(place, "rollback") { $0.rollback() }
        case ..<28: try act(place, "reset") { $0.reset() }
        default:
            edits.note("in \(name(place)):")
            let before = edits
            edits = try family.perform(in: places[place].member) { context in
                var edits = before
                try edits.step(context)
                return edits
            }
        }
        try keep(place)
        if edits.random.chance(lookingChance) { try look() }
        if edits.random.chance(10) { try restart() }
    }

    /// Changes the store by another context.
    private mutating func change(steps: Int) throws {
        let (seed, first) = (UInt64.random(in: .min ... .max, using: &edits.random), 100_000 + 1_000 * rounds)
        let log = try world.run { other in
            var others = LabelledEdits(seed: seed, first: first)
            for _ in 0..<steps { try others.change(other) }
            try other.save()
            return others.log
        }
        edits.note("others: \(log)")
    }

    private mutating func act(
        _ place: Int,
        _ name: String,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        edits.note("\(name) of \(self.name(place))")
        try family.perform(in: places[place].member, body)
    }

    private mutating func save(_ place: Int) throws {
        let policy =
            [MergePolicy.error, .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump].randomElement(
                using: &edits.random
            ) ?? .error
        edits.note("save of \(name(place)) by \(policy.kind)")
        let message: String? = try family.perform(in: places[place].member) { context in
            context.mergePolicy = policy
            do throws(GraphError) {
                try context.save()
                return nil
            } catch {
                return "\(error.code)"
            }
        }
        if let message { return edits.note(message) }
        try look(at: place, "after its save") { $0.changed.isEmpty && $0.deleted.isEmpty ? nil : "has changes" }
        if let parent = places[place].parent { try keep(parent) }
    }

    private mutating func keep(_ place: Int) throws {
        places[place].archive = try family.perform(in: places[place].member) { try $0.archive() }
    }

    // MARK: Invariants

    private func view(_ place: Int) throws -> MemberView {
        try family.perform(in: places[place].member) { context in try MemberView(context) }
    }

    private func look(at place: Int, _ occasion: String, _ fault: (MemberView) -> String?) throws {
        let view = try view(place)
        guard let fault = fault(view) else { return }
        throw Failure(description: "\(name(place)) \(occasion): \(fault) \(view)")
    }

    private mutating func look() throws {
        edits.note("looking")
        let views = try places.indices.map(view)
        for (place, view) in zip(places, views) where !place.staysBehind {
            if let fault = view.shown.oneSided { throw Failure(description: "\(title(of: place)): \(fault)") }
            guard let parent = place.parent else { continue }
            if place.isWitness {
                let beneath = views[parent]
                guard view.shown == beneath.shown, view.changed.isEmpty, view.deleted.isEmpty else {
                    let lines = view.shown.difference(from: beneath.shown).joined(separator: "\n")
                    throw Failure(description: "\(title(of: place)): \(lines)\n\(view.changed) \(view.deleted)")
                }
            } else {
                if let fault = fault(in: view, over: views[parent]) {
                    throw Failure(description: "\(title(of: place)): \(fault)")
                }
            }
        }
    }

    /// The first value that is neither the parent's nor the context's own change.
    private func fault(in view: MemberView, over beneath: MemberView) -> String? {
        for (id, object) in beneath.shown.objects where !view.deleted.contains(id) {
            guard let shown = view.shown.objects[id] else { return "\(id) isn't shown" }
            let values = view.changed[id]?.values ?? [:]
            let value = values[WorldState.valueKeys[id.entity.name] ?? ""] ?? object.value
            if shown.value != value { return "\(id) is \(shown.value), beneath \(object.value), changed \(values)" }
            for (name, related) in object.related where values[name] == nil {
                // Changes of the members themselves explain a difference.
                let suspects = Set(shown.related[name] ?? []).symmetricDifference(related)
                if suspects.contains(where: { view.changed[$0] == nil && !view.deleted.contains($0) }) {
                    return "\(id).\(name) is \(shown.related[name] ?? []), beneath \(related)"
                }
            }
        }
        let own = view.shown.objects.keys.first { beneath.shown.objects[$0] == nil && view.changed[$0] == nil }
        return own.map { "\($0) isn't there beneath" }
    }

    /// Recreates the family from archives: of its members as they are, or as of their own last changes, so that they
    /// must find out the later changes of their parents.
    private mutating func restart() throws {
        let isLate = edits.random.chance(50)
        edits.note(isLate ? "restart from archives of before" : "restart")
        if !isLate { for place in places.indices { try keep(place) } }
        let before = try places.indices.map(view)
        let temporaryIDs = TemporaryIDs(namespace: family.temporaryIDs.namespace)
        temporaryIDs.resume(after: family.temporaryIDs.last, permanent: family.temporaryIDs.permanentIDs)
        let again = ContextFamily(world.coordinator, temporaryIDs: temporaryIDs)
        let former = (family, places)
        family = again
        for place in places.indices {
            if let parent = places[place].parent {
                places[place].member = try again.addChild(of: places[parent].member)
            } else {
                places[place].member = again.root
            }
            try prepare(places[place].member, staysBehind: places[place].staysBehind)
            try again.restore(places[place].member, from: [places[place].archive].compactMap(\.self))
        }
        guard !isLate else {
            former.0.remove(former.0.root)
            do { return try look() } catch {
                let lines = try zip(places, before).enumerated().map { place, entry in
                    "\(title(of: entry.0)): \(entry.1.difference(from: try view(place)))"
                }
                throw Failure(description: "\(error)\n\(lines.joined(separator: "\n"))")
            }
        }
        for (place, before) in zip(places.indices, before) where !places[place].staysBehind {
            let after = try view(place)
            guard before != after else { continue }
            throw Failure(
                description: "\(title(of: places[place])) after a restart:\n\(before.difference(from: after))"
            )
        }
        if edits.random.chance(50) { (family, places) = former } else { former.0.remove(former.0.root) }
    }
}
