// SPDX-License-Identifier: Apache-2.0

// How large the worlds are, and how much is done in them.

enum Scale {
    /// A moment for each workload, to see that it works.
    case smoke
    case usual
    /// The usual, with ten million posts where growth is measured.
    case large

    var rounds: Int { self == .smoke ? 1 : 5 }

    /// A number of operations.
    func count(_ usual: Int) -> Int { self == .smoke ? max(64, usual / 100) : usual }

    var small: WorldSize { world("S", posts: 100_000, comments: 84_000) }

    /// The same with as many comments as posts.
    var commented: WorldSize { world("S with 100,000 comments", posts: 100_000, comments: 100_000) }

    var grown: WorldSize {
        world(self == .large ? "L" : "a tenth of L", posts: self == .large ? 10_000_000 : 1_000_000, comments: 0)
    }

    /// Two users, of whom one has written all posts.
    var crowd: WorldSize {
        WorldSize(name: "a crowd", users: 2, posts: self == .smoke ? 10_000 : 1_000_000, tags: 0, content: 10)
    }

    private func world(_ name: String, posts: Int, comments: Int) -> WorldSize {
        // Of a hundred organizations at least, which are what is deleted.
        let posts = self == .smoke ? posts / 50 : posts
        let comments = self == .smoke ? comments / 50 : comments
        return WorldSize(name: name, users: max(1000, posts / 100), posts: posts, comments: comments)
    }
}
