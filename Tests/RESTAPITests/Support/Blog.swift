// SPDX-License-Identifier: Apache-2.0

// The model and the objects of the API tests.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

/// A blog: users write posts, posts have tags, pages in an order, and comments; contacts are users or groups.
enum Blog {
    static let model = Model {
        Entity("Contact", isAbstract: true) {
            Attribute("name", .string).length(1...40)
            Attribute("note", .string).optional()
        }
        Entity("User", parent: "Contact", userInfo: ["path": "users"]) {
            Attribute("email", .string).optional()
            Attribute("age", .int16).optional().in(0...150)
            Attribute("address", .composite("Address")).optional()
            Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
            Relationship("comments", toMany: "Comment", inverse: "author", deleteRule: .deny).optional()
            Relationship("groups", toMany: "Group", inverse: "members").optional()
            UniquenessConstraint("email")
        }
        Entity("Group", parent: "Contact") {
            Relationship("members", toMany: "User", inverse: "groups").optional()
        }
        Entity("Post", userInfo: ["path": "posts"]) {
            Attribute("title", .string).default("Untitled").length(1...100)
            Attribute("views", .int64).default(0).atLeast(0)
            Attribute("published", .bool).default(false)
            Attribute("createdAt", .date).optional()
            Attribute("price", .decimal).optional()
            Attribute("rating", .float).optional()
            Attribute("score", .double).optional()
            Attribute("uuid", .uuid).optional()
            Attribute("link", .uri).optional()
            Attribute("extra", .transformable(transformer: nil)).optional()
            Attribute("picture", .binary).optional().externalStorage()
            Attribute("_hidden", .string).optional()
            Attribute("draft", .string).optional().transient()
            Attribute("foldedTitle", .string).optional().derived("canonical:(title)")
            Attribute("commentCount", .int64).optional().derived("comments.@count")
            Relationship("author", toOne: "User", inverse: "posts").optional()
            Relationship("tags", toMany: "Tag", inverse: "posts").optional()
            Relationship("pages", toMany: "Page", inverse: "post", deleteRule: .cascade).optional().ordered()
            Relationship("comments", toMany: "Comment", inverse: "post", deleteRule: .cascade).optional()
            FetchedProperty("others", of: "Post", predicate: "author == $FETCH_SOURCE.author AND SELF != $FETCH_SOURCE")
            FetchIndex("byViews", .ascending("views"))
        }
        Entity("Tag", userInfo: ["path": "tags"]) {
            Attribute("name", .string)
            Relationship("posts", toMany: "Post", inverse: "tags").optional()
            UniquenessConstraint("name")
        }
        Entity("Page", userInfo: ["path": "pages"]) {
            Attribute("text", .string).optional()
            Relationship("post", toOne: "Post", inverse: "pages").optional()
        }
        Entity("Comment", userInfo: ["path": "comments"]) {
            Attribute("text", .string)
            Attribute("createdAt", .date).optional()
            Relationship("post", toOne: "Post", inverse: "comments")
            Relationship("author", toOne: "User", inverse: "comments").optional()
        }
        FetchRequestTemplate("popular", entity: "Post", predicate: "views >= $VIEWS")
        FetchRequestTemplate("byAuthor", entity: "Post", predicate: "author.name == $NAME AND published == YES")
        Composite("Address") {
            Attribute("street", .string).optional()
            Attribute("city", .string).optional()
            Attribute("zip", .int32).optional()
        }
    }

    /// Creates the objects: three users, two of whom write six posts, with tags, pages and comments.
    static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            let users = try [
                ("Anna", "anna@example.org", 34), ("Bea", "bea@example.org", 28), ("Cem", "cem@example.org", 51),
            ]
            .map { name, email, age in
                let user = try context.insert("User")
                try user.setValue(.string(name), forKey: "name")
                try user.setValue(.string(email), forKey: "email")
                try user.setValue(.integer(Int64(age)), forKey: "age")
                return user
            }
            try users[0].setValue(
                .dictionary(["street": "Hill 1", "city": "Ulm", "zip": .integer(89073)]),
                forKey: "address"
            )
            let group = try context.insert("Group")
            try group.setValue("Writers", forKey: "name")
            try group.setObjects([users[0], users[1]], forKey: "members")
            let tags = try ["core", "data", "swift"].map { name in
                let tag = try context.insert("Tag")
                try tag.setValue(.string(name), forKey: "name")
                return tag
            }
            let titles = ["Contexts", "Faults", "Saving", "Undo", "Merging", "Élan"]
            for (number, title) in titles.enumerated() {
                let post = try context.insert("Post")
                try post.setValue(.string(title), forKey: "title")
                try post.setValue(.integer(Int64(number * 10)), forKey: "views")
                try post.setValue(.bool(number % 2 == 0), forKey: "published")
                let seconds = 800_000_000 + Double(number) * 86_400 + 0.25
                try post.setValue(.date(Date(timeIntervalSinceReferenceDate: seconds)), forKey: "createdAt")
                try post.setObject(users[number / 4], forKey: "author")
                try post.setObjects(Array(tags.prefix(number % 4)), forKey: "tags")
                for text in ["one", "two"].prefix(number % 3) {
                    let page = try context.insert("Page")
                    try page.setValue(.string(text), forKey: "text")
                    try post.add(page, forKey: "pages")
                }
                // New objects get their keys in the order of saves.
                try context.save()
            }
            let comment = try context.insert("Comment")
            try comment.setValue("Well said.", forKey: "text")
            let request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("title == 'Faults'"))
            try comment.setObject(context.fetch(request).first, forKey: "post")
            try comment.setObject(users[2], forKey: "author")
            try context.save()
        }
    }
}
