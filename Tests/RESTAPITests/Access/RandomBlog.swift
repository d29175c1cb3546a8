// SPDX-License-Identifier: Apache-2.0

// Random objects of the blog's model, and copies of those that are readable.

import ObjectGraph
import ObjectModel
import Predicates
import TestSupport

@testable import RESTAPI

/// Objects whose names are unique within their entities: `a1` to `d3`.
enum RandomBlog {
    static func fill(_ coordinator: PersistentStoreCoordinator, _ seed: SeededGenerator) throws {
        try coordinator.withContext { context in
            var random = RandomConditions(seed)
            let names = ["a", "b", "c", "d"].flatMap { letter in (1...3).map { "\(letter)\($0)" } }
            func insert(_ entity: String, _ key: String, _ count: Int) throws -> [ManagedObject] {
                try names.shuffled(using: &random.generator).prefix(count).map { name in
                    let object = try context.insert(entity)
                    try object.setValue(.string(name), forKey: key)
                    return object
                }
            }
            let users = try insert("User", "name", 5)
            for user in users {
                try user.setValue(try user.value(forKey: "name"), forKey: "email")
                if random.generator.chance(80) {
                    try user.setValue(.integer(Int64(random.number(0...6))), forKey: "age")
                }
            }
            let groups = try insert("Group", "name", 3)
            let tags = try insert("Tag", "name", 4)
            let posts = try insert("Post", "title", 9)
            func some(_ objects: [ManagedObject], _ percent: Int) -> [ManagedObject] {
                objects.filter { _ in random.generator.chance(percent) }
            }
            for group in groups { try group.setObjects(some(users, 50), forKey: "members") }
            for post in posts {
                try post.setValue(.integer(Int64(random.number(0...6))), forKey: "views")
                try post.setValue(.bool(random.generator.chance(60)), forKey: "published")
                if random.generator.chance(60) {
                    try post.setValue(.double(Double(random.number(0...6))), forKey: "rating")
                }
                if random.generator.chance(85) { try post.setObject(random.pick(users), forKey: "author") }
                try post.setObjects(some(tags, 45), forKey: "tags")
            }
            for page in try insert("Page", "text", 10) where random.generator.chance(90) {
                try random.pick(posts).add(page, forKey: "pages")
            }
            for comment in try insert("Comment", "text", 10) {
                try comment.setObject(random.pick(posts), forKey: "post")
                if random.generator.chance(70) { try comment.setObject(random.pick(users), forKey: "author") }
            }
            try context.save()
        }
    }

    /// The names of all objects by their references: `posts/1` is `Post a1`.
    static func names(_ coordinator: PersistentStoreCoordinator, _ catalogue: Catalogue) throws -> [String: String] {
        try coordinator.withContext { context in
            var names: [String: String] = [:]
            for object in try all(in: context) {
                names[catalogue.reference(to: object.objectID)] = try name(of: object)
            }
            return names
        }
    }

    /// An object's values and the objects that it refers to.
    private struct Content: Sendable {
        let objectID: ManagedObjectID
        var values: [String: Value] = [:]
        var related: [String: [ManagedObjectID]] = [:]

        init(_ object: ManagedObject) throws {
            objectID = object.objectID
            for attribute in object.entity.attributes where !attribute.isDerived && !attribute.isTransient {
                values[attribute.name] = try object.value(forKey: attribute.name)
            }
            for relationship in object.entity.relationships {
                related[relationship.name] = try object.objectIDs(of: relationship)
            }
        }
    }

    /// Copies objects and what they refer to, as far as that is copied too.
    ///
    /// - Parameter isReadable: Whether an object is copied.
    static func copy(
        from source: PersistentStoreCoordinator,
        to target: PersistentStoreCoordinator,
        where isReadable: @Sendable (ManagedObject) throws -> Bool
    ) throws {
        let objects = try source.withContext { context in
            try all(in: context).filter(isReadable).map(Content.init)
        }
        try target.withContext { context in
            var copies: [ManagedObjectID: ManagedObject] = [:]
            for object in objects {
                guard let entity = context.model.entity(named: object.objectID.entity.name) else { continue }
                let copy = try context.insert(entity)
                for attribute in entity.attributes where !attribute.isDerived && !attribute.isTransient {
                    try copy.setValue(object.values[attribute.name] ?? .null, forKey: attribute.name)
                }
                copies[object.objectID] = copy
            }
            for object in objects {
                guard let copy = copies[object.objectID] else { continue }
                for relationship in copy.entity.relationships {
                    let members = (object.related[relationship.name] ?? []).compactMap { copies[$0] }
                    if relationship.isToMany {
                        try copy.setObjects(members, of: relationship)
                    } else {
                        try copy.setObject(members.first, of: relationship)
                    }
                }
            }
            try context.save()
        }
    }

    /// All objects in the order of their keys.
    private static func all(in context: ManagedObjectContext) throws -> [ManagedObject] {
        let names = ["Contact", "Post", "Tag", "Page", "Comment"].filter { context.model.entity(named: $0) != nil }
        return try names.flatMap { name in
            var request = FetchRequest<ManagedObject>(name)
            request.sortDescriptors = [ObjectSortDescriptor("objectID")]
            return try context.fetch(request)
        }
    }

    private static func name(of object: ManagedObject) throws -> String {
        let name = object.entity.name
        let key = name == "Post" ? "title" : name == "Page" || name == "Comment" ? "text" : "name"
        guard case .string(let text) = try object.value(forKey: key) else { return name }
        return "\(name) \(text)"
    }
}
