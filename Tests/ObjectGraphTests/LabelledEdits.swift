// SPDX-License-Identifier: Apache-2.0

// Random changes with the same effect in two contexts that show the same objects.

import ObjectGraph
import Predicates
import TestSupport

/// Changes of the fixture world. Its objects have constant labels.
struct LabelledEdits: Sendable {
    /// The attributes that contain the labels.
    static let labels = ["User": "name", "Profile": "text", "Post": "title", "Tag": "name", "Page": "number"]
    private static let values = ["User": "age", "Post": "views"]

    var random: SeededGenerator
    private var made: Int
    private(set) var log: [String] = []

    /// - Parameter first: The first label, which other instances must not use.
    init(seed: UInt64, first: Int = 1) {
        random = SeededGenerator(seed: seed)
        made = first
    }

    mutating func note(_ text: String) { log.append(text) }

    /// Makes one change, undo or redo, including its consequences.
    mutating func step(_ context: ManagedObjectContext) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<14:
            note("undo")
            try context.undo()
        case ..<24:
            note("redo")
            try context.redo()
        default:
            for _ in 0..<Int.random(in: 1...3, using: &random) { try change(context) }
        }
        try context.processPendingChanges()
    }

    mutating func change(_ context: ManagedObjectContext) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<22: try insert(context)
        case ..<40: try setValue(context)
        case ..<72: try relate(context)
        case ..<84: try unrelate(context)
        case ..<92: try reorder(context)
        default: try delete(context)
        }
    }

    private mutating func insert(_ context: ManagedObjectContext) throws {
        let entity = Self.labels.keys.sorted().randomElement(using: &random) ?? "User"
        let object = try context.insert(entity)
        let isNumber = entity == "Page"
        try object.setValue(isNumber ? .integer(Int64(made)) : .string("\(made)"), forKey: Self.labels[entity] ?? "")
        made += 1
        note("insert \(try ContextView.label(of: object))")
    }

    private mutating func setValue(_ context: ManagedObjectContext) throws {
        guard let entity = Self.values.keys.sorted().randomElement(using: &random),
            let object = try pick(context, entity)
        else { return }
        let number = Int64.random(in: 1...100, using: &random)
        try object.setValue(.integer(number), forKey: Self.values[entity] ?? "")
        note("set \(try ContextView.label(of: object)) \(number)")
    }

    private mutating func relate(_ context: ManagedObjectContext) throws {
        guard let link = PlainGraph.links.randomElement(using: &random), let one = try pick(context, link.from),
            let other = try pick(context, link.to)
        else { return }
        note("relate \(try ContextView.label(of: one)) \(link.name) \(try ContextView.label(of: other))")
        if random.chance(50) { try one.relate(link.name, other) } else { try other.relate(link.inverse, one) }
    }

    private mutating func unrelate(_ context: ManagedObjectContext) throws {
        guard let link = PlainGraph.links.randomElement(using: &random), let one = try pick(context, link.from),
            let other = try choose(one.related(link.name))
        else { return }
        note("unrelate \(try ContextView.label(of: one)) \(link.name) \(try ContextView.label(of: other))")
        if random.chance(50) { try one.unrelate(link.name, other) } else { try other.unrelate(link.inverse, one) }
    }

    private mutating func reorder(_ context: ManagedObjectContext) throws {
        guard let post = try pick(context, "Post") else { return }
        let pages = try post.related("pages").shuffled(using: &random)
        try post.setObjects(pages, of: try post.relationship("pages"))
        note("reorder \(try ContextView.label(of: post)) \(try pages.map { try ContextView.label(of: $0) })")
    }

    private mutating func delete(_ context: ManagedObjectContext) throws {
        let entity = Self.labels.keys.sorted().randomElement(using: &random) ?? "User"
        guard let object = try pick(context, entity) else { return }
        note("delete \(try ContextView.label(of: object))")
        context.delete(object)
        try context.processPendingChanges()
    }

    private mutating func pick(_ context: ManagedObjectContext, _ entity: String) throws -> ManagedObject? {
        try choose(context.fetch(FetchRequest<ManagedObject>(entity)))
    }

    private mutating func choose(_ objects: [ManagedObject]) throws -> ManagedObject? {
        try objects.map { (try ContextView.label(of: $0), $0) }.sorted { $0.0 < $1.0 }.randomElement(using: &random)?.1
    }
}
