// SPDX-License-Identifier: Apache-2.0

// Contexts that change a shared world at random, each compared with the store's content and its own changes.

import ObjectGraph
import Predicates
import TestSupport
import Testing

/// A context's unsaved values: the new values, and the store's values at that time.
struct PendingValues: Sendable {
    struct Edit: Sendable {
        let base: Value
        var value: Value
    }

    var edits: [ManagedObjectID: Edit] = [:]

    init() {}

    /// The changes that a context reports.
    init(_ context: ManagedObjectContext) throws {
        for object in context.updatedObjects {
            let key = WorldState.valueKeys[object.entity.name] ?? ""
            guard let value = object.changedValues[key], let base = try object.committedValues(forKeys: [key])[key]
            else {
                continue
            }
            edits[object.objectID] = Edit(base: base, value: value)
        }
    }
}

/// All objects of the fixture world as a context shows them.
struct WorldState: Equatable, Sendable {
    struct Shown: Equatable, Sendable {
        var value: Value
        /// The objects of each relationship.
        var related: [String: [ManagedObjectID]]
        /// The pages of a post in their order.
        var pages: [ManagedObjectID] = []
    }

    static let valueKeys = [
        "User": "age", "Profile": "text", "Post": "views", "Tag": "name", "Page": "number",
    ]

    var objects: [ManagedObjectID: Shown] = [:]

    /// The content that a new context shows.
    init(_ context: ManagedObjectContext) throws {
        for entity in Self.valueKeys.keys.sorted() {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
                objects[object.objectID] = try Self.shown(object)
            }
        }
    }

    /// Checks that both sides of each relationship agree in the store.
    func checkBothSides(_ log: [String]) throws {
        for (objectID, shown) in objects {
            for (name, related) in shown.related {
                guard let inverse = objectID.entity.relationship(named: name)?.inverse else { continue }
                for other in related {
                    try #require(
                        objects[other]?.related[inverse.name]?.contains(objectID) ?? false,
                        "store: \(objectID).\(name) -> \(other) \(log.suffix(40))"
                    )
                }
            }
        }
    }

    static func shown(_ object: ManagedObject) throws -> Shown {
        var related: [String: [ManagedObjectID]] = [:]
        var pages: [ManagedObjectID] = []
        for relationship in object.entity.relationships {
            let objectIDs = try object.objectIDs(of: relationship)
            related[relationship.name] = objectIDs.sorted { $0.uri < $1.uri }
            if relationship.isOrdered { pages = objectIDs }
        }
        let value = try object.value(forKey: valueKeys[object.entity.name] ?? "")
        return Shown(value: value, related: related, pages: pages)
    }
}

extension RemoteChanges {
    /// The changes from one state to another.
    init(from before: WorldState, to after: WorldState) {
        self.init(
            inserted: after.objects.keys.filter { before.objects[$0] == nil },
            updated: after.objects.filter { before.objects[$0.key] != nil && before.objects[$0.key] != $0.value }.map(
                \.key
            ),
            deleted: before.objects.keys.filter { after.objects[$0] == nil }
        )
    }
}

/// Random changes of a context.
struct RandomEdits {
    static let entities = ["User", "Profile", "Post", "Tag", "Page"]

    var random: SeededGenerator
    private(set) var log: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func note(_ text: String) { log.append(text) }

    mutating func forgetLog() { log = [] }

    /// Makes one change of a random object of a context, and records pending values.
    mutating func change(_ context: ManagedObjectContext, _ pending: inout PendingValues) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<15: try insert(context)
        case ..<45: try setValue(context, &pending)
        case ..<75: try relate(context)
        case ..<88: try unrelate(context)
        case ..<93: try reorder(context)
        default:
            guard let object = try pick(context, Self.entities.randomElement(using: &random) ?? "User") else { return }
            log.append("delete \(object.label)")
            context.delete(object)
            try context.processPendingChanges()
            pending.edits = pending.edits.filter { context.registeredObject(for: $0.key)?.isDeleted == false }
        }
    }

    private mutating func insert(_ context: ManagedObjectContext) throws {
        let object = try context.insert(Self.entities.randomElement(using: &random) ?? "User")
        if object.entity.name == "User" {
            try object.setValue(.string("\(UInt64.random(in: .min ... .max, using: &random))"), forKey: "name")
        }
        try setRandomValue(of: object)
        log.append("insert \(object.label)")
    }

    private mutating func setRandomValue(of object: ManagedObject) throws {
        let number = Int.random(in: 1...100, using: &random)
        let isText = ["Profile", "Tag"].contains(object.entity.name)
        try object.setValue(
            isText ? .string("\(number)") : .integer(Int64(number)),
            forKey: WorldState.valueKeys[object.entity.name] ?? ""
        )
    }

    private mutating func setValue(_ context: ManagedObjectContext, _ pending: inout PendingValues) throws {
        guard let object = try pick(context, Self.entities.randomElement(using: &random) ?? "User") else { return }
        let key = WorldState.valueKeys[object.entity.name] ?? ""
        let base = try object.value(forKey: key)
        try setRandomValue(of: object)
        let value = try object.value(forKey: key)
        log.append("set \(object.label) \(value)")
        guard !object.isInserted else { return }
        let first = pending.edits[object.objectID]?.base ?? base
        // A value equal to the store's is not a change, and the next change is based on it.
        try context.processPendingChanges()
        let isChange = first != value && object.changedValues[key] != nil
        pending.edits[object.objectID] = isChange ? PendingValues.Edit(base: first, value: value) : nil
    }

    private mutating func relate(_ context: ManagedObjectContext) throws {
        guard let link = PlainGraph.links.randomElement(using: &random), let one = try pick(context, link.from),
            let other = try pick(context, link.to)
        else { return }
        log.append("relate \(one.label) \(link.name) \(other.label)")
        if random.chance(50) { try one.relate(link.name, other) } else { try other.relate(link.inverse, one) }
    }

    private mutating func unrelate(_ context: ManagedObjectContext) throws {
        guard let link = PlainGraph.links.randomElement(using: &random), let one = try pick(context, link.from),
            let other = try one.related(link.name).sorted(by: { $0.label < $1.label }).randomElement(using: &random)
        else { return }
        log.append("unrelate \(one.label) \(link.name) \(other.label)")
        if random.chance(50) { try one.unrelate(link.name, other) } else { try other.unrelate(link.inverse, one) }
    }

    private mutating func reorder(_ context: ManagedObjectContext) throws {
        guard let post = try pick(context, "Post") else { return }
        log.append("reorder \(post.label)")
        let pages = try post.related("pages").shuffled(using: &random)
        try post.setObjects(pages, of: try post.relationship("pages"))
    }

    private mutating func pick(_ context: ManagedObjectContext, _ entity: String) throws -> ManagedObject? {
        try context.fetch(FetchRequest<ManagedObject>(entity)).sorted { $0.label < $1.label }
            .randomElement(using: &random)
    }
}

extension ManagedObject {
    /// A short name for logs: new objects have no permanent name.
    var label: String {
        switch objectID.reference {
        case .integer(let number): "\(entity.name)\(number)"
        default: "new \(entity.name) \((try? value(forKey: WorldState.valueKeys[entity.name] ?? "")) ?? .null)"
        }
    }
}
