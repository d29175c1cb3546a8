// SPDX-License-Identifier: Apache-2.0

// `where`, its arguments and its variables.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Where conditions")
struct WhereTests {
    @Test(
        "where is a predicate with arguments for %@ and %K, and variables for $NAME",
        arguments: [
            ("where=views > 20", "Undo Merging Élan"),
            ("where=views > %25@ AND author.name BEGINSWITH[cd] %25@&arg=10&arg=an", "Saving Undo"),
            ("where=%25K == %25@&arg=title&arg=Undo", "Undo"),
            ("where=%25K BEGINSWITH 'B' AND views < %25d&arg=author.name&arg=50", "Merging"),
            ("where=title == %252$@ AND views == %251$@&arg=10&arg=Faults", "Faults"),
            ("where=title == $NAME OR views == $VIEWS&$NAME=Faults&$VIEWS=0", "Contexts Faults"),
            ("where=title == \"O'Brien\" OR title == 'Élan'", "Élan"),
            ("where=TRUEPREDICATE AND NOT views < 40", "Merging Élan"),
            ("where=SUBQUERY(tags, $t, $t.name == %25@).@count > 0&arg=swift", "Undo"),
            ("where=tags.@count > %25@&arg=1", "Saving Undo"),
            ("where=views %2B %25@ == 60&arg=10", "Élan"),
            ("where=TERNARY(published == YES, views, 0) == %25@&arg=20", "Saving"),
            ("where=uppercase:(title) == uppercase:(%25@)&arg=undo", "Undo"),
            ("where=price == nil AND views == 0", "Contexts"),
        ]
    )
    func formats(query: String, titles: String) throws {
        try APIWorld.each { world throws in #expect(try world.list("/api/posts?\(query)") == titles) }
    }

    @Test(
        "a value of another kind in one object's JSON counts as nil in functions",
        arguments: [
            ("where=extra.a %2B 1 == 2", "Contexts"), ("where=abs:(extra.a) == 1", "Contexts"),
            ("where=extra.a.@sum > 0", "Contexts"), ("where=extra.list.@sum == 4", "Undo"),
            ("where=extra.list.@avg == 2", "Undo"), ("where=uppercase:(extra.a) == 'X'", "Faults"),
            ("where=extra.a %2B 1 == nil AND views < 20", "Faults"),
            ("where=author.posts.extra.a.@sum == 1 AND views < 20", "Contexts Faults"),
            ("where=SUBQUERY(extra.list, $e, $e %2B 1 == 2).@count == 1", "Undo"),
            ("where=uppercase:(views) == 'A'", "400"), ("where=title %2B 1 == 2", "400"),
        ]
    )
    func otherKinds(query: String, titles: String) throws {
        try APIWorld.each { world throws in
            for (title, extra) in [
                ("Contexts", #"{"a":1}"#), ("Faults", #"{"a":"x"}"#), ("Saving", "7"), ("Undo", #"{"list":[1,"x",3]}"#),
            ] {
                let path = try world.post(title)
                #expect(try world.send(.patch, "/api/\(path)", "{\"extra\":\(extra)}").status == 200)
            }
            let answer = try world.get("/api/posts?\(query)&sort=title")
            if titles == "400" {
                #expect(answer.status == 400)
            } else {
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.list == titles)
            }
        }
    }

    @Test("aggregates ignore values of another kind, in groups and overall", arguments: ["sum", "average"])
    func aggregatesOfOtherKinds(function: String) throws {
        try APIWorld.each { world throws in
            for (title, extra) in [("Contexts", #"{"a":1}"#), ("Faults", #"{"a":"x"}"#), ("Merging", #"{"a":3}"#)] {
                let path = try world.post(title)
                #expect(try world.send(.patch, "/api/\(path)", "{\"extra\":\(extra)}").status == 200)
            }
            let all = try world.get("/api/posts?result=dictionary&aggregate=n:\(function)(extra.a)")
            #expect(all["items"]?[0]?["n"]?.number?.double == (function == "sum" ? 4 : 2), "\(all.text)")
            let groups = try world.get(
                "/api/posts?result=dictionary&group=author.name&aggregate=n:\(function)(extra.a)&sort=author.name"
            )
            #expect(groups["items"]?.array?.map { $0["n"]?.number?.double } == [1, 3], "\(groups.text)")
        }
    }

    @Test(
        "an argument is converted to the compared type, and JSON arguments begin with a bracket or quotation mark",
        arguments: [
            ("views IN %25@", ["[10,\"20\",30.0]"], "400"),
            ("views IN %25@", ["[10,20.0]"], "Faults Saving"),
            ("views BETWEEN %25@", ["[10,25]"], "Faults Saving"),
            ("title IN %25@", ["[\"Undo\",\"Élan\"]"], "Undo Élan"),
            ("title == %25@", ["\"Undo\""], "Undo"),
            ("title IN {%25@, %25@}", ["Undo", "Faults"], "Faults Undo"),
            ("published == %25@", ["true"], "Contexts Saving Merging"),
            ("published == %25@", ["0"], "Faults Undo Élan"),
            ("createdAt > %25@", ["2026-05-13T06:13:20.25Z"], "Élan"),
            ("createdAt >= %25@", ["2026-05-13T08:13:20.25%2B02:00"], "Merging Élan"),
            (
                "createdAt < now() AND createdAt == max:({createdAt, %25@})", ["2001-01-01"],
                "Contexts Faults Saving Undo Merging Élan"
            ),
            ("price == %25@", ["12.50"], ""),
            ("uuid == %25@", ["5A3FD6C8-0000-4000-8000-000000000000"], ""),
            ("title CONTAINS %25@", ["ing"], "Saving Merging"),
            ("title LIKE[c] %25@", ["f*"], "Faults"),
            ("ANY tags.name == %25@", ["data"], "Saving Undo"),
            ("author.address.zip == %25@", ["89073"], "Contexts Faults Saving Undo"),
            ("_entity == %25@ AND views == %25@", ["Post", "0"], "Contexts"),
            ("__hidden == nil AND views < %25@", ["10"], "Contexts"),
            ("commentCount == %25@", ["1"], "Faults"),
        ]
    )
    func types(format: String, arguments: [String], titles: String) throws {
        let query = "where=\(format)" + arguments.map { "&arg=\($0)" }.joined()
        try APIWorld.each { world throws in
            let list = try world.list("/api/posts?\(query)")
            #expect(titles == "400" ? list.hasPrefix("400") : list == titles)
        }
    }

    @Test("an argument compared with objects can be a reference, a URI or an object with _id")
    func references() throws {
        try APIWorld.each { world throws in
            let (bea, undo, swift) = try (world.user("Bea"), world.post("Undo"), world.tag("swift"))
            let key = String(try #require(bea.split(separator: "/").last))
            let row = try world.coordinator.read { try $0.snapshots(FetchRequest("User")) }.first
            let store = try #require(row?.objectID.storeIdentifier).uuidString
            for (query, titles) in [
                ("where=author == %25@&arg=\(bea)", "Merging Élan"),
                ("where=author == %25@&arg=/api/\(bea)", "Merging Élan"),
                ("where=author == %25@&arg=User/\(key)", "Merging Élan"),
                ("where=author == %25@&arg=Contact/\(key)", "Merging Élan"),
                ("where=author == %25@&arg=x-coredata://\(store)/User/p\(key)", "Merging Élan"),
                ("where=author != %25@&arg=\(bea)", "Contexts Faults Saving Undo"),
                ("where=author IN %25@&arg=[\"\(bea)\"]", "Merging Élan"),
                ("where=author IN %25@&arg=[{\"_id\":\"\(bea)\"}]", "Merging Élan"),
                ("where=SELF == %25@&arg=\(undo)", "Undo"),
                ("where=_id == %25@&arg=\(undo)", "Undo"),
                ("where=_id IN %25@&arg=[\"\(undo)\"]", "Undo"),
                ("where=tags CONTAINS %25@&arg=\(swift)", "Undo"),
                ("where=ANY tags == %25@&arg=\(swift)", "Undo"),
                ("where=author == %25@&arg=users/4711", ""),
            ] {
                #expect(try world.list("/api/posts?\(query)") == titles, "\(query)")
            }
        }
    }

    @Test("a reference to a parent entity finds objects of its subentities")
    func kinds() throws {
        try APIWorld.each { world throws in
            let anna = try world.user("Anna")
            let contact = "Contact/" + String(try #require(anna.split(separator: "/").last))
            #expect(try world.list("/api/Contact?where=SELF == %25@&arg=\(contact)") == "Anna")
            #expect(try world.list("/api/Contact?where=SELF != %25@&arg=\(contact)") == "Bea Cem Writers")
            #expect(try world.list("/api/Contact?where=SELF IN %25@&arg=[\"\(contact)\"]") == "Anna")
            #expect(try world.list("/api/Group?where=ANY members == %25@&arg=\(contact)") == "Writers")
            #expect(try world.list("/api/Contact?_id=\(contact)") == "Anna")
        }
    }

    struct Wrong: CustomTestStringConvertible {
        let query: String
        let problem: String

        init(_ query: String, _ problem: String) { (self.query, self.problem) = (query, problem) }

        var testDescription: String { query }
    }

    @Test(
        "unknown names and wrong types are refused with position and hint, before a store is read",
        arguments: [
            Wrong("where=titel == 'x'", "400 predicate at 0: Post has no property “titel”. Did you mean “title”?"),
            Wrong("where=author.nam == 'x'", "400 predicate at 7: User has no property “nam”. Did you mean “name”?"),
            Wrong("where='é€😀' == author.nam", "400 predicate at 16: User has no property “nam”. Did you mean “name”?"),
            Wrong("where=_hiden == nil", "400 predicate at 0: Post has no property “_hiden”. Did you mean “__hidden”?"),
            Wrong("where=_version == 1", "400 predicate at 0: Post has no property “_version”."),
            Wrong(
                "where=__hiden == nil",
                "400 predicate at 0: Post has no property “__hiden”. Did you mean “__hidden”?"
            ),
            Wrong(
                "where=author.email.x == nil",
                "400 predicate at 13: “author.email.x” continues after “author.email”, which is text and has no properties."
            ),
            Wrong(
                "where=author._entity.nonsense == 'x'",
                "400 predicate at 15: “author._entity.nonsense” continues after “author._entity”, which is text and has no properties. “_entity” is the name of the object's entity."
            ),
            Wrong(
                "where=_id.name == 'x'",
                "400 predicate at 4: “_id.name” continues after “_id”, which is an object ID and has no properties."
            ),
            Wrong(
                "where=title == 'a' AND upercase:(title) == 'A'",
                "400 predicate at 17: There is no function “upercase:”. Did you mean “uppercase:”?"
            ),
            Wrong(
                "where=views == 'ten'",
                "400 predicate at 0: “views == \"ten\"” compares a number with text, which are never equal and have no order. Numbers are written without quotes."
            ),
            Wrong(
                "where=title > 1 AND views BEGINSWITH 'x'",
                "400 predicate at 0: “title > 1” compares text with a number, which are never equal and have no order. Text is written in quotes."
            ),
            Wrong(
                "where=title == %25@ AND views == %25@&arg=a&arg=b",
                "400 predicate at 25: “b” isn't a valid Int64 for “views”."
            ),
            Wrong(
                "where=createdAt > %25@&arg=yesterday",
                "400 predicate at 12: “yesterday” isn't a valid Date for “createdAt”. Write a date as 2026-11-21T09:30:00Z; encode a plus sign in a query as %2B."
            ),
            Wrong(
                "where=author == %25@&arg=posts/1",
                "400 predicate at 10: “posts/1” is a Post, but a User is expected."
            ),
            Wrong(
                "where=author == %25@&arg=seven",
                "400 predicate at 10: “seven” isn't a reference to a User. Write a reference as users/1."
            ),
            Wrong(
                "where=tags.name == 'x'",
                "400 predicate at 0: “tags.name” gives many values, but == compares one. Write ANY or ALL before it, use SUBQUERY, or use its @count, @min or @max."
            ),
            Wrong(
                "where=others.title == 'x'",
                "400 predicate at 0: “others” is a fetched property, which stores can't query."
            ),
            Wrong("where=draft == 'x'", "400 predicate at 0: “draft” is transient, so stores can't query it."),
            Wrong(
                "where=title == $NAME",
                "400 predicate at 9: The variable $NAME has no value. Pass it in the parameter “$NAME”."
            ),
            Wrong(
                "where=title == $NAME&$NAME=x&$NAM=y",
                "400 predicate No predicate uses the variable “$NAM”. Did you mean “$NAME”?"
            ),
            Wrong("where=title ==", "400 predicate at 8: Expected an expression, but found the end."),
            Wrong("where=views == %25d&arg=1.5", "400 predicate at 9: %d takes an integer, not “1.5”."),
            Wrong("where=%25K == 1&arg=vews", "400 predicate at 0: Post has no property “vews”. Did you mean “views”?"),
            Wrong(
                "where=views IN %25@&arg=5",
                "400 predicate at 9: A list is expected, not “5”. Write a list as JSON: [1,2] or [\"a\",\"b\"]."
            ),
        ]
    )
    func mistakes(wrong: Wrong) throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?\(wrong.query)")
            #expect(answer.problem == wrong.problem)
            #expect(answer.statements ?? 0 == 0)
        }
    }

    @Test(
        "too few or too many arguments are refused",
        arguments: [
            ("where=views == %25@", "400 predicate at 9: Placeholder 1 has no argument: 0 of 1 were passed."),
            (
                "where=views == %25@ OR title == %25@&arg=1",
                "400 predicate at 24: Placeholder 2 has no argument: 1 of 2 were passed."
            ),
            (
                "where=views == 1&arg=4",
                "400 predicate The number of arguments (1) doesn't match that of placeholders (0). Each %@ and %K takes one argument. Placeholders in quotes aren't substituted; write %@ without quotes."
            ),
            (
                "arg=4",
                "400 predicate The number of arguments (1) doesn't match that of placeholders (0). Each %@ and %K takes one argument. Placeholders in quotes aren't substituted; write %@ without quotes."
            ),
        ]
    )
    func counts(query: String, problem: String) throws {
        try APIWorld.each { world throws in #expect(try world.get("/api/posts?\(query)").problem == problem) }
    }

    @Test("a predicate is limited in length, depth and number of terms")
    func limits() throws {
        try APIWorld.each { world throws in
            for text in [
                String(repeating: "(", count: 60) + "views == 1" + String(repeating: ")", count: 60),
                Array(repeating: "views==1", count: 501).joined(separator: " OR "),
                "title == '" + String(repeating: "x", count: 9_000) + "'",
            ] {
                let answer = try world.get("/api/posts?where=\(text)")
                #expect(answer.status == 400)
                #expect(answer["code"]?.string == "predicate")
                #expect(answer["position"] != nil)
            }
        }
    }

    @Test("a pattern that takes too long is reported as a predicate error")
    func expensivePattern() throws {
        try APIWorld.each { world throws in
            let title = String(repeating: "a", count: 60) + "!"
            #expect(try world.send(.post, "/api/posts", "{\"title\":\"\(title)\"}").status == 201)
            let answer = try world.get("/api/posts?where=title MATCHES %25@&arg=(a%2B)%2B$")
            #expect(answer.status == 400)
            #expect(answer["code"]?.string == "predicate")
            #expect(answer["detail"]?.string?.contains("simplify the pattern") == true)
        }
    }

    @Test("a predicate that must be evaluated in memory for too many objects is refused")
    func tooMuchInMemory() throws {
        try Checkout.withFolder { folder in
            let model = try ManagedObjectModel(Blog.model)
            var options = SQLiteStoreOptions()
            options.evaluationLimit = 3
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: folder + "/Blog.sqlite", model: model, options: options))
            try Blog.fill(coordinator)
            let transport = try Transport(API(coordinator))
            let answer = try transport.answer(to: HTTPRequest(.get, "/api/posts?where=extra.kind%20==%20nil"))
            #expect(answer.status == 400)
            #expect(answer["code"]?.string == "predicate")
            #expect(answer.text.contains(folder) == false)
        }
    }
}
