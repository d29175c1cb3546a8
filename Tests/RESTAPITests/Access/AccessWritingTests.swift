// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Writing under access rules")
struct AccessWritingTests {
    /// Members write drafts of posts, and publishers publish those of others. Comments are seen with their posts, users
    /// below fifty by members, and tags except one.
    static let blog = """
        {
          "identity": {
            "accounts": {"entity": "User", "name": "email", "password": "note"},
            "jwt": {"algorithms": ["RS256"], "keys": "keys.json", "user": "email == $CLAIMS.email"},
            "anonymous": "reader"
          },
          "roles": {
            "reader": {}, "member": {"extends": ["reader"]}, "publisher": {"extends": ["member"]}, "editor": {},
            "tagger": {"extends": ["member"]}, "admin": {"administers": true}
          },
          "rules": {
            "Post": {
              "read": {"reader": "published == YES", "member": "author == $USER", "publisher": true, "editor": true},
              "create": {"member": "author == $USER AND published == NO", "editor": true},
              "update": {
                "member": {"where": "author == $USER", "check": "author == $USER AND published == NO"},
                "publisher": {"where": "author != $USER AND published == NO", "check": "views < 100"},
                "editor": true
              },
              "delete": {"member": "author == $USER AND published == NO", "editor": true},
              "properties": {
                "views": {"write": ["editor", "publisher"]}, "rating": {"read": ["editor"]},
                "score": {"write": ["editor"]}, "commentCount": {"read": ["editor"]}
              },
              "set": {"author": "$USER"}
            },
            "Comment": {
              "read": {"reader": "post.published == YES", "editor": true},
              "create": {"member": true}, "delete": {"editor": true}
            },
            "User": {
              "read": {"member": "age < 50", "editor": true},
              "create": {"member": true},
              "update": {"member": {"where": "SELF == $USER", "check": true}, "editor": true},
              "delete": {"editor": true},
              "properties": {"email": {"read": ["editor"]}, "posts": {"write": ["editor"]}}
            },
            "Group": {"read": {"member": true}, "update": {"member": true}},
            "Tag": {
              "read": {"reader": "name != 'data'", "editor": true},
              "create": {"member": true},
              "update": {"member": "name == 'swift'", "tagger": true, "editor": true},
              "delete": {"tagger": "name != 'core'", "editor": true}
            },
            "Page": {
              "read": {"reader": "text != 'two'", "editor": true},
              "create": {"member": "post.author == $USER"},
              "update": {"member": "post.author == $USER"}, "delete": {"member": "post.author == $USER"}
            }
          }
        }
        """

    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"
    private static let publisher = "publisher bea@example.org"

    @Test("a creation must be permitted as it will be, with the values that rules force")
    func creations() throws {
        try APIWorld.each(access: Self.blog) { world throws in
            try world.run([
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/posts",
                    #"{"title": "New"}"#,
                    answer: 201,
                    showing: [#""author":"{User Anna}""#, #""published":false"#, "location: /api/posts/"],
                    hiding: ["rating"]
                ),
                // Forced values win over the body.
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/posts",
                    #"{"title": "Forced", "author": "{User Bea}"}"#,
                    answer: 201,
                    showing: [#""author":"{User Anna}""#]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/posts",
                    #"{"title": "Public", "published": true}"#,
                    answer: 403,
                    showing: [#""code":"forbidden""#, "can't be created"],
                    hiding: ["author =="]
                ),
                AccessStep(nil, .post, "/api/posts", #"{"title": "Anonymous"}"#, answer: 403),
                AccessStep(Self.anna, .post, "/api/Group", #"{"name": "Readers"}"#, answer: 403),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/posts",
                    #"{"title": "Views", "views": 5, "score": 1}"#,
                    answer: 403,
                    showing: [#""pointer":"/views""#, #""pointer":"/score""#]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/posts",
                    #"{"title": "Rating", "rating": 5}"#,
                    answer: 422,
                    showing: ["has no property"],
                    hiding: ["Did you mean"]
                ),
                // All or nothing.
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/posts",
                    #"[{"title": "One"}, {"title": "Two", "published": true}]"#,
                    answer: 403,
                    showing: [#""pointer":"/1""#],
                    hiding: [#""pointer":"/0""#]
                ),
                AccessStep("editor", .get, "/api/posts?result=count", answer: 200, showing: [#""count":8"#]),
                // What is created need not be readable.
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/comments",
                    #"{"text": "Mine", "post": "{Post Faults}"}"#,
                    answer: 201,
                    hiding: ["Mine", "location: "]
                ),
                AccessStep(
                    "editor",
                    .get,
                    "/api/comments?where=text=='Mine'&result=count",
                    answer: 200,
                    showing: ["1"]
                ),
            ])
        }
    }

    @Test("an update must be permitted before and after, by one alternative")
    func updates() throws {
        try APIWorld.each(access: Self.blog) { world throws in
            try world.run([
                AccessStep(
                    Self.anna,
                    .patch,
                    "/api/{Post Faults}",
                    #"{"title": "Fault"}"#,
                    answer: 200,
                    showing: ["Fault"]
                ),
                AccessStep(
                    Self.anna,
                    .patch,
                    "/api/{Post Fault}",
                    #"{"published": true}"#,
                    answer: 403,
                    showing: ["{Post Fault}", "can't be changed"],
                    hiding: ["author == "]
                ),
                // Readable, but not changeable: 403; not readable: 404.
                AccessStep(Self.bea, .patch, "/api/{Post Saving}", #"{"title": "Mine"}"#, answer: 403),
                AccessStep(Self.bea, .patch, "/api/{Post Fault}", #"{"title": "Mine"}"#, answer: 404),
                AccessStep(Self.bea, .delete, "/api/{Post Fault}", answer: 404),
                AccessStep(Self.bea, .put, "/api/{Post Fault}", #"{"title": "Mine"}"#, answer: 404),
                // A publisher may change drafts of others, but not own ones like this: conditions of alternatives
                // aren't mixed.
                AccessStep(
                    Self.publisher,
                    .patch,
                    "/api/{Post Fault}",
                    #"{"published": true, "views": 99}"#,
                    answer: 200
                ),
                AccessStep(Self.publisher, .patch, "/api/{Post Undo}", #"{"views": 100}"#, answer: 403),
                AccessStep(Self.publisher, .patch, "/api/{Post Élan}", #"{"published": true}"#, answer: 403),
                AccessStep(Self.publisher, .patch, "/api/{Post Élan}", #"{"views": 5000}"#, answer: 200),
                // Properties.
                AccessStep(
                    Self.bea,
                    .patch,
                    "/api/{Post Élan}",
                    #"{"title": "Elan", "views": 1}"#,
                    answer: 403,
                    showing: [#""pointer":"/views""#, "“views” can't be written"]
                ),
                AccessStep(Self.bea, .patch, "/api/{Post Élan}", #"{"views": {"$inc": 1}}"#, answer: 403),
                AccessStep(
                    Self.bea,
                    .patch,
                    "/api/{Post Élan}",
                    #"{"rating": 1}"#,
                    answer: 422,
                    showing: ["has no property"]
                ),
                AccessStep(Self.bea, .patch, "/api/{Post Élan}", #"{"views": 5000}"#, answer: 200),
            ])
        }
    }

    @Test("an update may move an object out of sight")
    func leaving() throws {
        try APIWorld.each(access: Self.blog) { world throws in
            try world.run([
                // A reader's post is hidden if it is withdrawn; here for a publisher's tag.
                AccessStep(
                    "tagger",
                    .patch,
                    "/api/{Tag swift}",
                    #"{"name": "data2"}"#,
                    answer: 200,
                    showing: ["data2"]
                ),
                AccessStep("editor", .patch, "/api/{Tag data}", #"{"name": "old"}"#, answer: 200),
                AccessStep(
                    "tagger",
                    .patch,
                    "/api/{Tag data2}",
                    #"{"name": "data"}"#,
                    answer: 200,
                    hiding: ["data", "_id"]
                ),
                AccessStep("tagger", .get, "/api/{Tag data}", answer: 404),
                AccessStep("tagger", .patch, "/api/{Tag data}", #"{"name": "data3"}"#, answer: 404),
            ])
        }
    }

    @Test("a replacement keeps what the identity can't write or see")
    func replacements() throws {
        try APIWorld.each(access: Self.blog) { world throws in
            try world.run([
                AccessStep(
                    "editor",
                    .patch,
                    "/api/{Post Undo}",
                    #"{"rating": 4, "score": 2, "author": "{User Anna}"}"#,
                    answer: 200
                ),
                AccessStep(
                    Self.anna,
                    .put,
                    "/api/{Post Undo}",
                    #"{"title": "Undo", "author": "{User Anna}"}"#,
                    answer: 200,
                    showing: [#""views":30"#, #""score":2"#],
                    hiding: ["rating"]
                ),
                AccessStep(
                    Self.anna,
                    .put,
                    "/api/{Post Undo}",
                    #"{"title": "Undo", "author": "{User Anna}", "views": 30}"#,
                    answer: 200
                ),
                AccessStep(
                    Self.anna,
                    .put,
                    "/api/{Post Undo}",
                    #"{"title": "Undo", "author": "{User Anna}", "views": 31}"#,
                    answer: 403,
                    showing: [#""pointer":"/views""#]
                ),
                AccessStep("editor", .get, "/api/{Post Undo}", answer: 200, showing: [#""rating":4"#, #""views":30"#]),
                // A hidden author remains, however a request says what it has seen.
                AccessStep("editor", .patch, "/api/{Post Undo}", #"{"author": "{User Cem}"}"#, answer: 200),
                AccessStep(
                    Self.publisher,
                    .put,
                    "/api/{Post Undo}",
                    #"{"title": "Undone"}"#,
                    answer: 200,
                    showing: [#""author":null"#]
                ),
                AccessStep(Self.publisher, .patch, "/api/{Post Undone}", #"{"author": null}"#, answer: 200),
                AccessStep("editor", .get, "/api/{Post Undone}", answer: 200, showing: [#""author":"{User Cem}""#]),
            ])
        }
    }

    @Test("deletions need delete rules for what goes, and update rules for what is nullified")
    func deletions() throws {
        try APIWorld.each(access: Self.blog) { world throws in
            try world.run([
                // Its comment can't be deleted, and isn't known.
                AccessStep(
                    Self.anna,
                    .delete,
                    "/api/{Post Faults}",
                    answer: 403,
                    showing: ["Another object"],
                    hiding: ["comments/"]
                ),
                AccessStep(
                    Self.anna,
                    .delete,
                    "/api/{Post Faults}?dryRun=true",
                    answer: 403,
                    hiding: ["comments/", "Well said"]
                ),
                AccessStep(Self.bea, .delete, "/api/{Post Merging}", answer: 403, showing: ["{Post Merging}"]),
                // Its pages go with it.
                AccessStep(
                    Self.bea,
                    .delete,
                    "/api/{Post Élan}?dryRun=true",
                    answer: 200,
                    showing: ["{Post Élan}", #""deleted":["#],
                    hiding: ["{Page two}"]
                ),
                AccessStep(Self.bea, .delete, "/api/{Post Élan}", answer: 204),
                // A user that comments can't be deleted; the comment isn't known to all.
                AccessStep("editor", .delete, "/api/{User Cem}", answer: 409, showing: ["{Comment Well said.}"]),
                AccessStep("tagger", .delete, "/api/{Tag core}", answer: 403),
                AccessStep("tagger", .delete, "/api/{Tag data}", answer: 404),
                AccessStep("tagger", .delete, "/api/{Tag swift}", answer: 204),
            ])
        }
    }
}
