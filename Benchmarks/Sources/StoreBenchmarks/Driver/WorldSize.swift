// SPDX-License-Identifier: Apache-2.0

// How large a world is.

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
