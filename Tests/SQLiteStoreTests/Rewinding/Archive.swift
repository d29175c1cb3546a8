// SPDX-License-Identifier: Apache-2.0

// A store that changes at random, and its state after each change.

import FoundationEssentials
import Glibc
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import SQLiteStore

/// A store with every kind of property, and large values in files.
struct Archive {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Composite("Size") {
                    Attribute("width", .double).optional()
                    Attribute("height", .double).optional()
                }
                Entity("Item") {
                    Attribute("name", .string).optional().searchIndexed()
                    Attribute("slug", .string).optional()
                    Attribute("count", .int64).optional()
                    Attribute("scan", .binary).optional().externalStorage()
                    Attribute("size", .composite("Size")).optional()
                    Attribute("plainName", .string).optional().derived("canonical:(name)")
                    Relationship("box", toOne: "Box", inverse: "items").optional()
                    Relationship("tags", toMany: "Tag", inverse: "tagged").optional().ordered()
                    Relationship("similar", toMany: "Item", inverse: "similar").optional()
                    Relationship("label", toOne: "Label", inverse: "item").optional()
                    UniquenessConstraint("slug")
                }
                Entity("Book", parent: "Item") {
                    Attribute("pages", .int32).optional()
                    Relationship("references", toMany: "Tag").optional()
                }
                Entity("Box") {
                    Attribute("name", .string).optional()
                    Attribute("itemCount", .int64).optional().derived("items.@count")
                    Relationship("items", toMany: "Item", inverse: "box").optional().ordered()
                }
                Entity("Label") {
                    Attribute("text", .string).optional()
                    Relationship("item", toOne: "Item", inverse: "label", deleteRule: .cascade).optional()
                }
                Entity("Tag") {
                    Attribute("name", .string).optional()
                    Relationship("tagged", toMany: "Item", inverse: "tags").optional()
                }
            }
        )
    }

    let store: SQLiteStore
    private let coordinator: PersistentStoreCoordinator

    init(_ path: String) throws {
        var options = SQLiteStoreOptions.unwatched
        options.externalStorageThreshold = 10
        store = try SQLiteStore(path: path, model: Self.model.get(), options: options)
        coordinator = PersistentStoreCoordinator(model: store.model)
        try coordinator.add(store)
    }

    /// Makes a save of a few changes, or a batch.
    func change(_ random: inout SeededGenerator) throws {
        if random.chance(15) { return try changeMany(&random) }
        random = try coordinator.withContext { [random] context in
            var generator = random
            for _ in 0..<Int.random(in: 1...5, using: &generator) { try Self.change(context, &generator) }
            do {
                try context.save()
            } catch {
                // The random slugs aren't always unique.
                context.rollback()
            }
            return generator
        }
    }

    private func changeMany(_ random: inout SeededGenerator) throws {
        let limit = Int.random(in: 0...9, using: &random)
        let predicate = try ObjectPredicate("count < \(limit)")
        if random.chance(30) {
            try coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Item", predicate: predicate)))
        } else {
            var request = BatchUpdateRequest("Item", predicate: predicate)
            request.propertiesToUpdate["name"] = .constant(.string(Self.word(&random)))
            if random.chance(40) { request.propertiesToUpdate["box"] = .constant(.null) }
            try coordinator.execute(request)
        }
    }

    private static func change(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let names = ["Item", "Item", "Book", "Box", "Label", "Tag"]
        let name = names.randomElement(using: &random) ?? "Item"
        let all = try context.fetch(FetchRequest<ManagedObject>(name)).filter { !$0.isDeleted }
        let chosen = all.randomElement(using: &random)
        if random.chance(12), let chosen { return context.delete(chosen) }
        let object = try random.chance(35) || chosen == nil ? context.insert(name) : chosen
        guard let object else { return }
        for attribute in object.entity.attributes where !attribute.isDerived && random.chance(35) {
            try object.setValue(value(of: attribute, &random), of: attribute)
        }
        for relationship in object.entity.relationships where random.chance(30) {
            let destination = context.model.destination(of: relationship)
            let others = try context.fetch(FetchRequest<ManagedObject>(destination.name)).filter { !$0.isDeleted }
                .shuffled(using: &random)
            if relationship.isToMany {
                try object.setObjects(
                    Array(others.prefix(Int.random(in: 0...4, using: &random))),
                    forKey: relationship.name
                )
            } else {
                try object.setObject(random.chance(30) ? nil : others.first, forKey: relationship.name)
            }
        }
    }

    private static func value(of attribute: AttributeDescription, _ random: inout SeededGenerator) -> Value {
        guard random.chance(85) else { return .null }
        switch attribute.name {
        case "count", "pages": return .integer(Int64.random(in: 0...9, using: &random))
        case "scan": return .bytes(UInt8.random(in: 0...255, using: &random), Int.random(in: 0...30, using: &random))
        case "size": return .dictionary(["width": .double(Double.random(in: 0...9, using: &random)), "height": .null])
        default: return .string(word(&random))
        }
    }

    private static func word(_ random: inout SeededGenerator) -> String {
        String(Int.random(in: 0..<40, using: &random), radix: 3)
    }
}

// MARK: States

extension Archive {
    /// The values of all objects, by property.
    typealias State = [RewindReport.Object: [String: String]]

    var state: State {
        get throws { try Self.state(of: store) }
    }

    static func state(of store: SQLiteStore) throws -> State {
        var state: State = [:]
        for entity in store.model.entities {
            let request = StoreFetchRequest(entity: entity, includesSubentities: false, kind: .objectIDs)
            guard case .objectIDs(let objects) = try store.fetch(request, at: nil) else { continue }
            for snapshot in try store.snapshots(of: objects, at: nil).compactMap(\.self) {
                var values: [String: String] = [:]
                for attribute in entity.attributes {
                    values[attribute.name] = text(snapshot.row.attributes[attribute.slot])
                }
                for relationship in entity.relationships {
                    if relationship.isToMany {
                        let members = try store.members(of: relationship, owners: [snapshot.objectID], at: nil)[0]
                        let names = members.map { "\(object($0).key)" }
                        values[relationship.name] = "\(relationship.isOrdered ? names : names.sorted())"
                    } else {
                        values[relationship.name] =
                            "\(snapshot.row.toOnes[relationship.slot].map { object($0).key } ?? 0)"
                    }
                }
                state[object(snapshot.objectID)] = values
            }
        }
        return state
    }

    private static func text(_ value: Value) -> String {
        guard case .dictionary(let elements) = value else { return "\(value)" }
        return "\(elements.sorted { $0.key < $1.key })"
    }

    static func object(_ objectID: ManagedObjectID) -> RewindReport.Object {
        guard case .integer(let key)? = objectID.reference else { return RewindReport.Object(entity: "", key: 0) }
        return RewindReport.Object(entity: objectID.entity.name, key: key)
    }
}
