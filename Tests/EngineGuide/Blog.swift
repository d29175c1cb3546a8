// SPDX-License-Identifier: Apache-2.0

// The model of docs/engine.md and its classes; the page shows the text between the marker lines.

import FoundationEssentials
import Outcrop

// engine.md
let blog = Model {
    Entity("User") {
        Attribute("name", .string)
        Attribute("age", .int16).optional().in(0...150)
        Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
        UniquenessConstraint("name")
    }
    Entity("Post") {
        Attribute("title", .string).default("Untitled").length(1...100)
        Attribute("views", .int64).default(0)
        Attribute("createdAt", .date).optional()
        Relationship("author", toOne: "User", inverse: "posts").optional()
        Relationship("tags", toMany: "Tag", inverse: "posts").optional()
        Relationship("pages", toMany: "Page", inverse: "post", deleteRule: .cascade).optional().ordered()
        FetchedProperty("others", of: "Post", predicate: "author == $FETCH_SOURCE.author AND SELF != $FETCH_SOURCE")
    }
    Entity("Tag") {
        Attribute("name", .string)
        Relationship("posts", toMany: "Post", inverse: "tags").optional()
    }
    Entity("Page") {
        Attribute("text", .string).optional()
        Relationship("post", toOne: "Post", inverse: "pages").optional()
    }
    FetchRequestTemplate("popular", entity: "Post", predicate: "author.name == $NAME AND views >= $VIEWS")
}
// End

// engine.md
final class Post: ManagedObject {
    var title: String {
        get { self[attribute: "title"] }
        set { self[attribute: "title"] = newValue }
    }
    var views: Int64 {
        get { self[attribute: "views"] }
        set { self[attribute: "views"] = newValue }
    }
    var createdAt: Date? {
        get { self[attribute: "createdAt"] }
        set { self[attribute: "createdAt"] = newValue }
    }
    var author: User? {
        get { self[toOne: "author"] }
        set { self[toOne: "author"] = newValue }
    }
    var tags: ToManyObjects<Tag> { self[toMany: "tags"] }
    var pages: OrderedObjects<Page> { self[ordered: "pages"] }
    var others: [Post] { self[fetched: "others"] }

    override func awakeFromInsert() { createdAt = .now }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        if views < 0 { throw ValidationFailure("A post can't be read less than never.", property: "views") }
    }
}

extension Keys where Object: Post {
    var title: AttributeKey<String> { self[attribute: "title"] }
    var views: AttributeKey<Int64> { self[attribute: "views"] }
    var author: Keys<User> { self[toOne: "author"] }
    var tags: ToManyKey<Tag> { self[toMany: "tags"] }
}
// End

final class User: ManagedObject {
    var name: String {
        get { self[attribute: "name"] }
        set { self[attribute: "name"] = newValue }
    }
    var age: Int16? {
        get { self[attribute: "age"] }
        set { self[attribute: "age"] = newValue }
    }
    var posts: ToManyObjects<Post> { self[toMany: "posts"] }
}

extension Keys where Object: User {
    var name: AttributeKey<String> { self[attribute: "name"] }
}

final class Tag: ManagedObject {
    var name: String {
        get { self[attribute: "name"] }
        set { self[attribute: "name"] = newValue }
    }
    var posts: ToManyObjects<Post> { self[toMany: "posts"] }
}

extension Keys where Object: Tag {
    var name: AttributeKey<String> { self[attribute: "name"] }
}

final class Page: ManagedObject {
    var text: String? {
        get { self[attribute: "text"] }
        set { self[attribute: "text"] = newValue }
    }
}
