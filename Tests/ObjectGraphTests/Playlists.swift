// SPDX-License-Identifier: Apache-2.0

// A world with ordered relationships, of each kind that a model allows, for tests of undo and merging.

import ObjectGraph
import ObjectModel
import Predicates

/// A coordinator over a store of playlists.
struct Playlists {
    static let entities = ["List", "Song", "Tag", "Chapter"]

    private static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("List") {
                    Attribute("title", .string)
                    Attribute("note", .string).optional()
                    // Many-to-many, and ordered on both sides.
                    Relationship("songs", toMany: "Song", inverse: "lists").optional().ordered()
                    // Many-to-many, and ordered on this side.
                    Relationship("tags", toMany: "Tag", inverse: "lists").optional().ordered()
                    Relationship("chapters", toMany: "Chapter", inverse: "list", deleteRule: .cascade).optional()
                        .ordered()
                    // One-to-one, and its own inverse.
                    Relationship("partner", toOne: "List", inverse: "partner").optional()
                }
                Entity("Song") {
                    Attribute("title", .string)
                    Attribute("note", .string).optional()
                    Relationship("lists", toMany: "List", inverse: "songs").optional().ordered()
                    Relationship("chapters", toMany: "Chapter", inverse: "song").optional().ordered()
                }
                Entity("Tag") {
                    Attribute("title", .string)
                    Attribute("note", .string).optional()
                    Relationship("lists", toMany: "List", inverse: "tags").optional()
                }
                Entity("Chapter") {
                    Attribute("title", .string)
                    Attribute("note", .string).optional()
                    Relationship("list", toOne: "List", inverse: "chapters").optional()
                    Relationship("song", toOne: "Song", inverse: "chapters").optional()
                }
            }
        )
    }

    static func entity(_ name: String) throws -> EntityDescription {
        guard let entity = try model.get().entity(named: name) else { throw ManagedObject.Missing(name: name) }
        return entity
    }

    let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
    }

    func run<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
        try coordinator.withContext(body)
    }

    /// Inserts and saves objects with these titles.
    func insert(_ titles: [(entity: String, title: String)]) throws {
        try run { context in
            for (entity, title) in titles { try context.insert(entity).setValue(.string(title), forKey: "title") }
            try context.save()
        }
    }

    /// Saves another note of an object, which increments its version and changes nothing else.
    func touch(_ entity: String, _ title: String, _ note: String) throws {
        try run { context in
            try context.named(entity, title).setValue(.string(note), forKey: "note")
            try context.save()
        }
    }
}

extension ManagedObjectContext {
    /// The object with a title.
    func named(_ entity: String, _ title: String) throws -> ManagedObject {
        let request = FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate("title == %@", title))
        guard let found = try fetch(request).first else { throw ManagedObject.Missing(name: title) }
        return found
    }
}

extension ManagedObject {
    var caption: String {
        get throws {
            guard case .string(let title) = try value(forKey: "title") else { return "(\(objectID))" }
            return title
        }
    }

    /// The titles of a relationship's objects, in their order.
    func titles(_ name: String) throws -> [String] { try related(name).map { try $0.caption } }

    /// Makes the objects with some titles the members of a relationship, in this order.
    func set(_ name: String, _ entity: String, _ titles: [String]) throws {
        guard let context else { throw Missing(name: name) }
        let members = try titles.map { try context.named(entity, $0) }
        try setObjects(members, of: try relationship(name))
    }
}

/// All objects of the playlists as a context shows them.
struct PlaylistsView: Equatable, Sendable {
    /// Texts by title, and by title and property.
    private(set) var texts: [String: String] = [:]

    init(texts: [String: String]) { self.texts = texts }

    init(_ context: ManagedObjectContext) throws {
        for entity in Playlists.entities {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
                let title = try object.caption
                texts[title] = "here"
                for relationship in object.entity.relationships {
                    let titles = try object.titles(relationship.name)
                    let shown = relationship.isOrdered ? titles : titles.sorted()
                    texts["\(title).\(relationship.name)"] = shown.joined(separator: " ")
                }
            }
        }
    }

    func difference(from other: PlaylistsView) -> String {
        Set(texts.keys).union(other.texts.keys).filter { texts[$0] != other.texts[$0] }.sorted()
            .map { "\($0): \(texts[$0] ?? "–") | \(other.texts[$0] ?? "–")" }.joined(separator: "\n")
    }

    /// A relationship with sides that disagree.
    var oneSided: String? {
        let pairs = [
            ("songs", "lists"), ("lists", "songs"), ("tags", "lists"), ("lists", "tags"), ("chapters", "list"),
            ("list", "chapters"), ("chapters", "song"), ("song", "chapters"), ("partner", "partner"),
        ]
        for (key, members) in texts {
            let (owner, name) = (key.prefix { $0 != "." }, key.drop { $0 != "." }.dropFirst())
            let all = members.split(separator: " ")
            guard !name.isEmpty else { continue }
            if Set(all).count != all.count { return "\(key) twice: \(members)" }
            for member in all {
                let backs = pairs.filter { $0.0 == name }.compactMap { texts["\(member).\($0.1)"] }
                if !backs.contains(where: { $0.split(separator: " ").contains(owner) }) {
                    return "\(key) -> \(member), which has \(backs)"
                }
            }
        }
        return nil
    }
}
