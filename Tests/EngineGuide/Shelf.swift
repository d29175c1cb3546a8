// SPDX-License-Identifier: Apache-2.0

// The model and the classes of the articles in Sources/Outcrop/Outcrop.docc.

import Outcrop

// FirstSteps.md
let shelf = Model {
    Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author", deleteRule: .cascade).optional()
        UniquenessConstraint("name")
    }
    Entity("Book") {
        Attribute("title", .string).length(1...200)
        Attribute("pages", .int32).default(0)
        Relationship("author", toOne: "Author", inverse: "books").optional()
    }
}
// End

// FirstSteps.md
final class Author: ManagedObject {
    var name: String {
        get { self[attribute: "name"] }
        set { self[attribute: "name"] = newValue }
    }
    var books: ToManyObjects<Book> { self[toMany: "books"] }
}

final class Book: ManagedObject {
    var title: String {
        get { self[attribute: "title"] }
        set { self[attribute: "title"] = newValue }
    }
    var pages: Int32 {
        get { self[attribute: "pages"] }
        set { self[attribute: "pages"] = newValue }
    }
    var author: Author? {
        get { self[toOne: "author"] }
        set { self[toOne: "author"] = newValue }
    }
}

extension Keys where Object: Author {
    var name: AttributeKey<String> { self[attribute: "name"] }
}

extension Keys where Object: Book {
    var title: AttributeKey<String> { self[attribute: "title"] }
    var pages: AttributeKey<Int32> { self[attribute: "pages"] }
    var author: Keys<Author> { self[toOne: "author"] }
}
// End
