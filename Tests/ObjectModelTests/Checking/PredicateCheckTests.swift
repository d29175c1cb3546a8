// SPDX-License-Identifier: Apache-2.0

// Predicates checked against a model: errors are reported, and correct predicates have none.

import ObjectModel
import Predicates
import Testing

@Suite struct PredicateCheckTests {
    static let model = Model {
        Entity("Post") {
            Attribute("title", .string)
            Attribute("views", .int64)
            Attribute("score", .double)
            Attribute("rank", .int16)
            Attribute("isDraft", .bool)
            Attribute("created", .date)
            Attribute("body", .binary)
            Attribute("token", .uuid)
            Attribute("link", .uri)
            Attribute("extra", .transformable(transformer: nil))
            Attribute("scratch", .string).transient()
            Attribute("place", .composite("Place"))
            Relationship("author", toOne: "User", inverse: "posts")
            Relationship("tags", toMany: "Tag", inverse: "posts")
            FetchedProperty("similar", of: "Post")
        }
        Entity("Note", parent: "Post") { Attribute("mood", .string) }
        Entity("User") {
            Attribute("name", .string)
            Relationship("posts", toMany: "Post", inverse: "author")
        }
        Entity("Tag") {
            Attribute("name", .string)
            Attribute("weight", .int16)
            Relationship("posts", toMany: "Post", inverse: "tags")
        }
        Composite("Place") {
            Attribute("latitude", .double)
            Attribute("label", .string)
        }
    }

    private func issues(_ format: String, variables: [String: PredicateVariable]? = nil) throws -> [ModelIssue] {
        let post = try #require(Self.model.entity(named: "Post"))
        return Self.model.check(try ObjectPredicate(template: format), on: post, variables: variables)
    }

    @Test(
        "a predicate that fits the model has no issues",
        arguments: [
            "TRUEPREDICATE", "title == 'a'", "title != nil", "title BEGINSWITH[cd] 'a' AND NOT views > 3",
            "views == 3.5", "score > 3", "isDraft == YES", "isDraft == 1", "created > CAST(0, \"NSDate\")",
            "created < now()", "token == CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', \"NSUUID\")",
            "link == 'http://a'",
            "link BEGINSWITH 'http'", "body == nil", "extra == 3", "extra.anything == 'x'", "extra LIKE 'x'",
            "place.latitude > 3", "place['label'] == 'x'", "author.name == 'x'", "author == %@", "author == nil",
            "author.posts.@count > 2", "tags.@count == 0", "ANY tags.name == 'x'", "ALL tags.weight > 3",
            "ANY tags.name IN {'a', 'b'}", "NONE tags.name CONTAINS 'x'", "tags CONTAINS %@", "%@ IN tags",
            "tags.name CONTAINS 'x'", "'x' IN tags.name", "tags.@max.weight > 3", "tags.weight.@sum > 3",
            "tags.@avg.weight BETWEEN {1, 2}", "tags[FIRST].name == 'x'", "tags[SIZE] > 1", "tags[0].weight > 1",
            "SUBQUERY(tags, $t, $t.name == 'x' AND $t.weight > 1).@count > 0",
            "SUBQUERY(tags, $t, ANY $t.posts.title == 'x')[SIZE] > 0", "SELF IN %@", "self == %@", "objectID == %@",
            "entity == %@", "entity IN {'Note'}", "author.objectID == %@", "views IN {1, 2}", "views BETWEEN {1, 2}",
            "views BETWEEN %@", "title IN 'abc'", "title MATCHES '[a-z]+'", "title == $TITLE", "$NAME == 'x'",
            "length:(title) > 3", "title.length > 3", "uppercase:(title) == 'A'", "views + 1 > score * 2",
            "created > now() - 86400", "TERNARY(isDraft == YES, 1, 2) == views", "count:(tags) > 1", "%K == 3",
            "views == %d",
            "sum:(tags.weight) > 3", "ANY author.posts.tags.name == 'x'", "ANY tags.posts.views > 3",
            "CAST(views, \"NSString\") LIKE '1*'", "tags.@distinctUnionOfObjects.name CONTAINS 'x'", "title < 'm'",
            "author.posts.@max.created < now()", "{1, 2} CONTAINS views", "title == author.name",
            "FALSEPREDICATE OR 1 == 1",
        ]
    )
    func fitting(format: String) throws {
        #expect(try issues(format).map(\.message) == [])
    }

    @Test(
        "a predicate that doesn't fit the model is reported with code, severity and key path",
        arguments: [
            ("titel == 'a'", ["error predicate.key Post.titel"]),
            ("author.nme == 'a'", ["error predicate.key Post.author.nme"]),
            ("place.lattitude == 1", ["error predicate.key Post.place.lattitude"]),
            ("mood == 'a'", ["error predicate.key Post.mood"]),
            ("title.name == 'a'", ["error predicate.path Post.title.name"]),
            ("entity.name == 'Note'", ["error predicate.path Post.entity.name"]),
            ("entity == 3", ["warning predicate.type Post.entity"]),
            (
                "views.x == 1 AND nothing == 2",
                ["error predicate.path Post.views.x", "error predicate.key Post.nothing"]
            ),
            ("tags.name == 'x'", ["error predicate.toMany Post.tags.name"]),
            ("tags.name BEGINSWITH 'x'", ["error predicate.toMany Post.tags.name"]),
            ("tags.weight > 3", ["error predicate.toMany Post.tags.weight"]),
            ("views > tags.weight", ["error predicate.toMany Post.tags.weight"]),
            ("tags.name IN {'a'}", ["error predicate.toMany Post.tags.name"]),
            ("tags == nil", ["error predicate.toMany Post.tags"]),
            ("tags.name == %@", ["error predicate.toMany Post.tags.name"]),
            ("views BEGINSWITH '1'", ["error predicate.operator Post.views"]),
            ("ANY tags.weight LIKE '1'", ["error predicate.operator Post.tags.weight"]),
            ("title CONTAINS 3", ["error predicate.operator Post"]),
            ("views CONTAINS 3", ["error predicate.operator Post.views"]),
            ("title IN 3", ["error predicate.operator Post"]),
            ("isDraft < YES", ["warning predicate.operator Post.isDraft"]),
            ("body > %@", ["warning predicate.operator Post.body"]),
            ("author > %@", ["warning predicate.operator Post.author"]),
            ("views == '3'", ["warning predicate.type Post.views"]),
            ("views IN {'a', 'b'}", ["warning predicate.type Post.views"]),
            ("views BETWEEN {'a', 'b'}", ["warning predicate.type Post.views"]),
            ("views BETWEEN {1, 'a'}", ["warning predicate.type Post.views"]),
            ("views IN {1, 'a', 2, 'b'}", ["warning predicate.type Post.views"]),
            ("views IN {1, nil, %@}", []),
            ("title[0] == 'a'", ["error predicate.collection Post"]),
            ("author[FIRST].name == 'a'", ["error predicate.collection Post"]),
            ("views[SIZE] == 1", ["error predicate.collection Post"]),
            ("ANY tags.weight == 100000", ["warning predicate.range Post.tags.weight"]),
            ("-32769 < tags.@min.weight", []),
            ("rank > 32768", ["warning predicate.range Post.rank"]),
            ("-32769 < rank", ["warning predicate.range Post.rank"]),
            ("rank IN {1, 40000, 50000}", ["warning predicate.range Post.rank"]),
            ("rank BETWEEN {-32768, 32767} AND views == 9000000000", []),
            ("views BETWEEN {1, 2, 3}", ["error predicate.between Post"]),
            ("views BETWEEN 3", ["error predicate.between Post"]),
            ("created > 1000", ["warning predicate.type Post.created"]),
            ("token == 'x'", ["warning predicate.type Post.token"]),
            ("author == 'x'", ["warning predicate.type Post.author"]),
            ("author == tags[0]", ["warning predicate.type Post.author"]),
            ("ANY tags.name == 3", ["warning predicate.type Post.tags.name"]),
            ("tags CONTAINS 'x'", ["warning predicate.type Post.tags"]),
            ("scratch == 'x'", ["warning predicate.transient Post.scratch"]),
            ("similar.@count > 1", ["error predicate.fetchedProperty Post.similar"]),
            ("title.@count > 1", ["error predicate.collection Post.title.@count"]),
            ("tags.@sum.name > 1", ["error predicate.operand Post.tags.@sum.name"]),
            ("title + 1 > 1", ["error predicate.operand Post"]),
            ("uppercase:(views) == 'x'", ["error predicate.operand Post"]),
            ("uppercase:(tags.name) == 'x'", ["error predicate.operand Post"]),
            ("SUBQUERY(title, $t, $t == 1).@count > 0", ["error predicate.collection Post"]),
            ("SUBQUERY(tags, $t, $t.titel == 1).@count > 0", ["error predicate.key Post.$t.titel"]),
            ("tags.@sum.wight > 1", ["error predicate.key Post.tags.@sum.wight"]),
            ("title MATCHES '[a-z'", ["error predicate.regularExpression Post.title"]),
            ("ANY title == 'x'", ["note predicate.modifier Post.title"]),
        ] as [(String, [String])]
    )
    func unfitting(format: String, expected: [String]) throws {
        #expect(try issues(format).map(brief) == expected)
    }

    @Test("an unknown key is reported with the nearest name, and a missing modifier with the remedy")
    func hints() throws {
        #expect(try issues("titel == 'a'")[0].hint == "Did you mean “title”?")
        #expect(
            try issues("mood == 'a'")[0].hint
                == "Its subentity Note has this property, but not all objects of Post are of Note."
        )
        #expect(try issues("tags.name == 'x'")[0].hint?.hasPrefix("Write ANY or ALL") == true)
        #expect(try issues("views == '3'")[0].hint == "Numbers are written without quotes.")
        #expect(try issues("title == 3")[0].hint == "Text is written in quotes.")
        #expect(try issues("title IN {1, 2}")[0].hint == "Text is written in quotes.")
        #expect(try issues("title == views")[0].hint == nil)
        #expect(try issues("title IN 3")[0].hint == "Write lists as {1, 2, 3}.")
        let date = "Write a date as CAST(\"2026-01-31T00:00:00Z\", \"NSDate\")."
        #expect(try issues("created > 2024-01-01")[0].hint == date)
        #expect(try issues("created > '2024-01-01'")[0].hint == date)
        #expect(try issues("created > views")[0].hint == "Write CAST(seconds, \"NSDate\"), in seconds since 2001.")
        #expect(try issues("tags CONTAINS 'x'")[0].hint == "Compare a property: ANY tags.name == \"x\".")
        #expect(try issues("NONE tags == 'x'")[0].hint == "Compare a property: ANY tags.name == \"x\".")
        #expect(try issues("author.entity.name == 'x'")[0].hint == "“entity” is the name of the object's entity.")
    }

    @Test("if variables are declared, they have types and all others are unknown")
    func variables() throws {
        let variables: [String: PredicateVariable] = ["TITLE": .value(.string), "USER": .object("User"), "X": .any]
        #expect(try issues("title == $TITLE AND author == $USER AND views == $X", variables: variables) == [])
        #expect(try issues("views == $TITLE", variables: variables).map(\.code) == [.predicateType])
        #expect(try issues("title == $USER.nam", variables: variables).map(\.code) == [.predicateKey])
        let unknown = try issues("title == $TITEL", variables: variables)
        #expect(unknown.map(\.code) == [.predicateVariable])
        #expect(unknown[0].hint == "Did you mean $TITLE?")
        let outside = "SUBQUERY(tags, $t, $t.weight > 1).@count > 0 AND $t == 1"
        #expect(try issues(outside, variables: [:]).map(\.code) == [.predicateVariable])
    }

    @Test("a predicate that isn't for fetching may use properties that a store lacks")
    func inMemory() throws {
        let post = try #require(Self.model.entity(named: "Post"))
        let predicate = try ObjectPredicate("scratch == 'x' AND similar.@count > 0")
        #expect(Self.model.check(predicate, on: post, isForFetching: false) == [])
    }

    @Test("a predicate that is nested too deeply for the stack is refused")
    func depth() throws {
        let post = try #require(Self.model.entity(named: "Post"))
        var predicate = ObjectPredicate.constant(true)
        for _ in 0..<5_000 { predicate = .not(predicate) }
        #expect(Self.model.check(predicate, on: post).map(\.code) == [.predicateDepth])
    }
}
