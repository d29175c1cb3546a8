// SPDX-License-Identifier: Apache-2.0

// The world of the benchmarks: organizations of users who write posts with tags, and comments.

import Outcrop

extension Model {
    static let world = Model {
        Entity("Organization") {
            Attribute("name", .string)
            Relationship("users", toMany: "User", inverse: "organization", deleteRule: .cascade).optional()
            UniquenessConstraint("name")
        }
        Entity("User") {
            Attribute("name", .string)
            Relationship("organization", toOne: "Organization", inverse: "users")
            Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
            Relationship("comments", toMany: "Comment", inverse: "author", deleteRule: .cascade).optional()
        }
        Entity("Post") {
            Attribute("title", .string)
            Attribute("content", .string)
            Attribute("createdAt", .date)
            Attribute("updatedAt", .date)
            Attribute("views", .int64).default(0)
            Attribute("published", .bool).default(false)
            Relationship("author", toOne: "User", inverse: "posts")
            Relationship("tags", toMany: "Tag", inverse: "posts").optional()
            Relationship("comments", toMany: "Comment", inverse: "post", deleteRule: .cascade).optional()
            FetchIndex("byCreatedAt", .ascending("createdAt"))
        }
        Entity("Tag") {
            Attribute("name", .string)
            Relationship("posts", toMany: "Post", inverse: "tags").optional()
        }
        Entity("Comment") {
            Attribute("text", .string)
            Attribute("createdAt", .date)
            Relationship("author", toOne: "User", inverse: "comments")
            Relationship("post", toOne: "Post", inverse: "comments")
        }
    }
}

/// How much there is of the world in a file.
struct WorldSize: Hashable {
    let name: String
    let users: Int
    let posts: Int
    var comments = 0
    var tags = 100
    /// How many characters the content of a post has.
    var content = 400

    var arguments: [String] {
        ["users=\(users)", "posts=\(posts)", "comments=\(comments)", "tags=\(tags)", "content=\(content)"]
    }
}
