// SPDX-License-Identifier: Apache-2.0

import Foundation
import Predicates
import Testing

@Suite("Objects, collections and key paths")
struct CollectionTests {
    let blog = Blog()

    @Test("a nil object along a key path makes the result nil")
    func nilPropagates() throws {
        let posts = blog.posts
        #expect(try evaluate(key("author.name"), posts[0]) == "Ann")
        #expect(try evaluate(key("author.name"), posts[1]) == .null)
        #expect(try evaluate(key("author.author.name.anything"), posts[1]) == .null)
        #expect(try holds(key("author"), .equal, constant(nil), for: posts[1]))
        #expect(try holds(key("author.name"), .notEqual, constant("Ann"), for: posts[1]))
    }

    @Test("an unknown key is an error that names it")
    func unknownKey() {
        let author = blog.author
        #expect(throws: EvaluationError.self) { try evaluate(key("posts.author.nmae"), author) }
        do {
            _ = try evaluate(key("nmae"), author)
            Issue.record("nothing was thrown")
        } catch {
            #expect((error as? EvaluationError)?.subject == "nmae")
        }
    }

    @Test("a missing key of a value gives nil, and a key of a list gives the members' values")
    func keysOfValues() throws {
        #expect(try evaluate(key("name.first"), blog.author) == .null)
        let items = Value.array([.dictionary(["a": 1]), 2, .array([.dictionary(["a": "x"])])])
        let object = Plain(properties: ["x": items, "none": [1, "b"], "date": .date(epoch)])
        #expect(try evaluate(key("x.a"), object) == [1, .null, ["x"]])
        #expect(try evaluate(key("none.a"), object) == .null)
        #expect(try evaluate(key("date.a"), object) == .null)
        #expect(try !holds(key("x.a"), .equal, constant(1), for: object))
        #expect(try evaluate(key("x.a.@count"), object) == 2)
    }

    @Test("self and objectID are keys of every object")
    func builtInKeys() throws {
        let posts = blog.posts
        let reference = Value.reference(ObjectReference(uri: "author/1"))
        #expect(try evaluate(key("author.objectID"), posts[0]) == reference)
        #expect(try evaluate(key("author.self.name"), posts[0]) == "Ann")
        #expect(try evaluate(key("objectID"), Plain()) == .null)
        #expect(try holds(key("objectID"), .equal, constant(.reference(ObjectReference(uri: "post/1"))), for: posts[0]))
        #expect(try evaluate(.keyPath(of: constant(reference), [.name("objectID")])) == reference)
    }

    @Test("keys and indexes reach into dictionaries, such as composite attributes")
    func dictionaries() throws {
        let posts = blog.posts
        #expect(try evaluate(key("size.width"), posts[0]) == 3)
        #expect(try evaluate(key("size.unit"), posts[0]) == .null)
        #expect(try evaluate(key("size.height"), posts[0]) == .null)
        #expect(try evaluate(key("size.width"), posts[1]) == .null)
        #expect(try evaluate(.element(of: key("size"), .at(constant("width"))), posts[0]) == 3)
        #expect(try evaluate(.element(of: key("size"), .at(constant(1))), posts[0]) == .null)
        #expect(try holds(key("size"), .contains, constant(3), for: posts[0]))
        #expect(try holds(constant(3), .in, key("size"), for: posts[0]))
        #expect(try !holds(constant(4), .in, key("size"), for: posts[0]))
    }

    @Test("references are ordered by store, with text keys first and numbers by value")
    func referenceOrder() throws {
        let ordered = [
            "x-coredata:///Post/tB", "x-coredata://A/Post/pKey", "x-coredata://A/Post/p2", "x-coredata://A/Author/p10",
            "x-coredata://A/Post/p10", "x-coredata://B/Post/p01", "x-coredata://B/Post/p1",
        ]
        for (place, one) in ordered.enumerated() {
            for (otherPlace, other) in ordered.enumerated() {
                let isLess = try ObjectPredicate.comparing(
                    constant(.reference(ObjectReference(uri: one))),
                    .less,
                    constant(.reference(ObjectReference(uri: other)))
                ).evaluate(with: Thing())
                #expect(isLess == (place < otherPlace), "\(one) \(other)")
            }
        }
    }

    @Test("objects are equal by reference, and an object without one equals only itself")
    func objectEquality() throws {
        let (author, posts) = (blog.author, blog.posts)
        let sameAuthor = Thing("author/1")
        let variables: [String: Operand] = ["same": .object(sameAuthor), "other": .object(posts[1])]
        func holds(_ operation: Comparison.Operator, _ right: ObjectExpression) throws -> Bool {
            try ObjectPredicate.comparing(key("author"), operation, right).evaluate(
                with: posts[0],
                variables: variables
            )
        }
        #expect(try holds(.equal, variable("same")))
        #expect(try !holds(.equal, variable("other")))
        #expect(try holds(.notEqual, variable("other")))
        #expect(try holds(.equal, constant(.reference(ObjectReference(uri: "author/1")))))
        #expect(try !holds(.equal, constant("author/1")))
        #expect(try holds(.less, variable("other")))
        #expect(try !holds(.greater, variable("other")) && !holds(.less, variable("same")))
        #expect(try !holds(.less, constant("author/2")))
        #expect(
            try Predicates.ObjectPredicate.comparing(.evaluatedObject, .in, key("posts.author")).evaluate(with: author)
        )

        let nameless = Thing()
        defer { nameless.properties = [:] }
        nameless.properties = ["me": .object(nameless), "you": .object(Thing())]
        #expect(try PredicatesTests.holds(.evaluatedObject, .equal, key("me"), for: nameless))
        #expect(try !PredicatesTests.holds(.evaluatedObject, .equal, key("you"), for: nameless))
        #expect(try !PredicatesTests.holds(.evaluatedObject, .equal, .evaluatedObject, for: Plain()))
    }

    @Test("a key path through a collection maps its members and flattens one level")
    func mapping() throws {
        let author = blog.author
        #expect(try members(key("posts.title"), author) == ["Héllo", nil])
        #expect(try members(key("posts.author.name"), author) == ["Ann", nil])
        #expect(try members(key("posts.tags.name"), author) == ["swift", "Linux"])
        author.properties["grid"] = .collection([.collection([.collection([.value(1)])]), .value([2, 3])])
        #expect(try members(key("grid.self"), author) == ["a collection", [2, 3]])
    }

    @Test("ANY over an empty collection is false, ALL is true, and NOT negates both")
    func overNothing() throws {
        let posts = blog.posts
        for operation in Comparison.Operator.allCases {
            for collection in [key("tags.name"), key("author.posts.title")] {
                let some = ObjectPredicate.comparing(collection, operation, constant("x"), modifier: .any)
                let every = ObjectPredicate.comparing(collection, operation, constant("x"), modifier: .all)
                #expect(try !some.evaluate(with: posts[1]))
                #expect(try every.evaluate(with: posts[1]))
                #expect(try ObjectPredicate.not(some).evaluate(with: posts[1]))
                #expect(try !ObjectPredicate.not(every).evaluate(with: posts[1]))
            }
        }
    }

    @Test("ANY and ALL test every member, including nil members")
    func anyAndAll() throws {
        let (author, posts) = (blog.author, blog.posts)
        #expect(try holds(key("tags.name"), .equal, constant("linux"), .any, caseInsensitive, for: posts[0]))
        #expect(try !holds(key("tags.name"), .equal, constant("linux"), .any, for: posts[0]))
        #expect(try holds(key("tags.name"), .like, constant("*i*"), .all, for: posts[0]))
        #expect(try holds(key("posts.title"), .equal, constant(nil), .any, for: author))
        #expect(try !holds(key("posts.views"), .greater, constant(1), .all, for: author))
        #expect(try holds(key("posts.views"), .greater, constant(1), .any, for: author))
        #expect(try holds(key("posts.views"), .notEqual, constant(10), .any, for: author))
        #expect(try holds(key("tags.name"), .in, constant(["swift", "Linux"]), .all, for: posts[0]))
        #expect(
            try holds(key("posts"), .equal, constant(.reference(ObjectReference(uri: "post/2"))), .any, for: author)
        )
    }

    @Test("a single value under ANY or ALL is its only member, and nil has no members")
    func singleMember() throws {
        let author = blog.author
        #expect(try holds(key("name"), .equal, constant("Ann"), .any, for: author))
        #expect(try !holds(key("name"), .equal, constant("Bob"), .all, for: author))
        #expect(try !holds(key("nothing"), .equal, constant(nil), .any, for: author))
    }

    @Test(
        "a to-many key is refused where a single value is compared",
        arguments: [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith, .like, .matches,
            .between, .in,
        ] as [Comparison.Operator]
    )
    func toManyNotAllowed(operation: Comparison.Operator) {
        let (author, posts) = (blog.author, blog.posts)
        let right: Value = operation == .between ? [1, 2] : operation == .in ? [1] : 1
        #expect(
            errorCode { try holds(key("posts.views"), operation, constant(right), for: author) } == .toManyNotAllowed
        )
        #expect(errorCode { try holds(key("tags"), operation, constant(right), for: posts[1]) } == .toManyNotAllowed)
    }

    @Test("a to-many key is refused in functions of single values")
    func toManyInFunctions() {
        let author = blog.author
        #expect(errorCode { try evaluate(call(.add, key("posts.views"), constant(1)), author) } == .toManyNotAllowed)
        #expect(errorCode { try evaluate(call(.length, key("posts.title")), author) } == .toManyNotAllowed)
        #expect(errorCode { try evaluate(.cast(key("posts.title"), .string), author) } == .toManyNotAllowed)
    }

    @Test("CONTAINS and IN test membership if the container is a collection")
    func membership() throws {
        let (author, posts) = (blog.author, blog.posts)
        #expect(try holds(key("tags.name"), .contains, constant("swift"), for: posts[0]))
        #expect(try !holds(key("tags.name"), .contains, constant("wif"), for: posts[0]))
        #expect(try holds(key("tags.name"), .contains, constant("SWIFT"), .direct, caseInsensitive, for: posts[0]))
        #expect(try !holds(key("tags.name"), .contains, constant(nil), for: posts[1]))
        #expect(try holds(key("posts.title"), .contains, constant(nil), for: author))
        #expect(try holds(key("name"), .in, .aggregate([constant("x"), key("name")]), for: author))
        #expect(try holds(key("nothing"), .in, constant([nil, 1]), for: author))
        #expect(try !holds(key("nothing"), .in, constant([1]), for: author))
        #expect(try !holds(key("name"), .in, constant([]), for: author))
        #expect(try !holds(key("name"), .in, constant(nil), for: author))
        #expect(try !holds(key("name"), .in, constant(5), for: author))
        let references = constant([.reference(ObjectReference(uri: "post/1"))])
        #expect(try holds(.evaluatedObject, .in, references, for: posts[0]))
        #expect(try !holds(.evaluatedObject, .in, references, for: posts[1]))
    }

    @Test("membership in a long constant list is the same as in a short one, with folding and mixed numbers")
    func longLists() throws {
        let list = Value.array(
            (0..<10_000).map { .integer(Int64($0)) } + ["Ä", nil, .reference(ObjectReference(uri: "r"))]
        )
        let evaluator = Evaluator(now: epoch)
        func isMember(_ value: Value, _ options: Comparison.Options = []) throws -> Bool {
            let predicate = ObjectPredicate.comparing(key("x"), .in, constant(list), options: options)
            return try evaluator.matches(predicate, Plain(properties: ["x": value]))
        }
        for value in [5, .double(5), .decimal(9_999), true, "Ä", nil, .reference(ObjectReference(uri: "r"))] as [Value]
        {
            #expect(try isMember(value))
        }
        for value in [10_000, .double(5.5), "ä", "A\u{308}", .uri("r"), "5", .double(.nan)] as [Value] {
            #expect(try !isMember(value))
        }
        #expect(try isMember("a\u{308}", folding))
        #expect(try isMember("ä", caseInsensitive))
        let decomposed = constant(.array(Array(repeating: "a\u{308}", count: 20)))
        let composed = constant(.array(Array(repeating: "ä", count: 20)))
        for (list, isIn) in [(decomposed, false), (composed, true), (decomposed, false)] {
            #expect(try evaluator.matches(.comparing(key("x"), .in, list), Plain(properties: ["x": "ä"])) == isIn)
        }
        let object = Thing("r")
        #expect(try evaluator.matches(.comparing(.evaluatedObject, .in, constant(list)), object))
        let other = Value.array((0..<10_003).map { _ in 7 })
        #expect(try !evaluator.matches(.comparing(key("x"), .in, constant(other)), Plain(properties: ["x": 5])))
    }

    @Test("a collection operator may be before or after the key that it applies to")
    func collectionOperators() throws {
        let author = Thing()
        author.properties["posts"] = .collection(
            [3, 5, nil, 5].map {
                .object(Thing(nil, ["views": $0], ["tags": .collection([.value("a"), .value("b")])]))
            }
        )
        for (name, expected) in [
            ("sum", 13), ("min", 3), ("max", 5), ("avg", .double(13.0 / 3)), ("count", 3),
        ] as [(String, Value)] {
            #expect(try evaluate(key("posts.@\(name).views"), author) == expected)
            #expect(try evaluate(key("posts.views.@\(name)"), author) == expected)
        }
        #expect(try evaluate(key("posts.@count"), author) == 4)
        #expect(try evaluate(key("posts.@sum.tags.@count"), author) == 8)
        #expect(try evaluate(key("posts.tags.@count"), author) == 8)
        #expect(try members(key("posts.@unionOfObjects.views"), author) == [3, 5, nil, 5])
        #expect(try members(key("posts.@distinctUnionOfObjects.views"), author) == [3, 5])
        #expect(try members(key("posts.views.@distinctUnionOfObjects"), author) == [3, 5])
        #expect(try evaluate(key("posts.@distinctUnionOfObjects.tags.@count"), author) == 2)
        #expect(errorCode { try evaluate(key("posts.tags.@sum"), author) } == .wrongKind)
    }

    @Test("over no values, count and sum are 0 and other operators are nil, and nil members are ignored")
    func collectionOperatorsOverNothing() throws {
        let posts = blog.posts
        for path in ["tags", "author.posts"] {
            #expect(try evaluate(key("\(path).@count"), posts[1]) == 0)
            #expect(try evaluate(key("\(path).@sum.views"), posts[1]) == 0)
            for name in ["min", "max", "avg"] {
                #expect(try evaluate(key("\(path).@\(name).views"), posts[1]) == .null)
            }
            #expect(try members(key("\(path).@distinctUnionOfObjects.name"), posts[1]) == [])
        }
    }

    @Test("an index gives a member, or nil if it is out of range")
    func indexes() throws {
        let object = Thing(nil, ["list": ["a", "b", "c"], "none": nil])
        func element(_ index: ElementIndex, of path: String = "list") throws -> Value? {
            try evaluate(.element(of: key(path), index), object)
        }
        #expect(try element(.first) == "a")
        #expect(try element(.last) == "c")
        #expect(try element(.size) == 3)
        #expect(try element(.at(constant(1))) == "b")
        #expect(try element(.at(call(.subtract, .element(of: key("list"), .size), constant(1)))) == "c")
        #expect(try element(.at(constant(3))) == .null)
        #expect(try element(.at(constant(-1))) == .null)
        #expect(try element(.at(constant("x"))) == .null)
        #expect(try element(.first, of: "none") == .null)
        #expect(try element(.size, of: "none") == 0)
        #expect(try evaluate(.element(of: constant(1), .first), object) == .null)
        #expect(errorCode { try evaluate(.element(of: .evaluatedObject, .first), object) } == .wrongKind)
    }

    @Test("SUBQUERY keeps the members that match its predicate, and SELF in it is the outer object")
    func subquery() throws {
        let (author, posts) = (blog.author, blog.posts)
        let popular = ObjectExpression.subquery(
            key("posts"),
            variable: "p",
            .comparing(variable("p", "views"), .greater, constant(5))
        )
        #expect(try members(popular, author) == [.reference(ObjectReference(uri: "post/1"))])
        #expect(try evaluate(.keyPath(of: popular, [.collection(.count)]), author) == 1)
        let own = ObjectExpression.subquery(
            key("posts"),
            variable: "p",
            .comparing(variable("p", "author"), .equal, .evaluatedObject)
        )
        #expect(try evaluate(.keyPath(of: own, [.collection(.count)]), author) == 1)
        let ofNil = ObjectExpression.subquery(key("author.posts"), variable: "p", .constant(true))
        #expect(try evaluate(.keyPath(of: ofNil, [.collection(.count)]), posts[1]) == 0)
        let ofNumber = ObjectExpression.subquery(constant(1), variable: "p", .constant(true))
        #expect(try evaluate(.keyPath(of: ofNumber, [.collection(.count)]), author) == 0)
        let ofObject = ObjectExpression.subquery(.evaluatedObject, variable: "p", .constant(true))
        #expect(errorCode { try evaluate(ofObject, author) } == .wrongKind)
    }

    @Test("a SUBQUERY's variable shadows the binding of the same name, and only inside")
    func shadowing() throws {
        let (author, posts) = (blog.author, blog.posts)
        let inner = ObjectExpression.subquery(
            variable("x", "tags"),
            variable: "x",
            .comparing(variable("x", "name"), .beginsWith, constant("s"))
        )
        let outer = ObjectExpression.subquery(
            key("posts"),
            variable: "x",
            .and([
                .comparing(.keyPath(of: inner, [.collection(.count)]), .equal, constant(1)),
                .comparing(variable("x", "views"), .equal, constant(10)),
            ])
        )
        let both = ObjectPredicate.and([
            .comparing(.keyPath(of: outer, [.collection(.count)]), .equal, constant(1)),
            .comparing(variable("x"), .equal, constant("bound")),
        ])
        #expect(try both.evaluate(with: author, variables: ["x": .value("bound")]))
        let evaluator = Evaluator(variables: ["x": .object(posts[0])], now: epoch)
        let failing = ObjectExpression.subquery(
            key("posts"),
            variable: "x",
            .comparing(key("oops"), .equal, variable("x"))
        )
        #expect(errorCode { try evaluator.operand(of: failing, for: author) } == .unknownKey)
        #expect(try evaluator.matches(.comparing(variable("x", "views"), .equal, constant(10)), author))
    }

    @Test("unbound variables and unsubstituted arguments are errors")
    func unbound() {
        #expect(errorCode { try evaluate(variable("x")) } == .unboundVariable)
        #expect(errorCode { try evaluate(.argument(FormatArgument(index: 0))) } == .unsubstitutedArgument)
        #expect(errorCode { try evaluate(.keyPath(of: .evaluatedObject, [.argument(0)])) } == .unsubstitutedArgument)
    }

    @Test("evaluation refuses predicates that are nested too deeply")
    func depth() throws {
        var predicate = ObjectPredicate.constant(true)
        for _ in 0..<150 { predicate = .not(predicate) }
        #expect(try predicate.evaluate(with: Plain()))
        for _ in 0..<1_000 { predicate = .not(predicate) }
        #expect(errorCode { try predicate.evaluate(with: Plain()) } == .tooDeep)
        #expect(predicate.reorderedForEvaluation == predicate)
        var expression = ObjectExpression.constant(1)
        for _ in 0..<1_000 { expression = .function(.negate, [expression]) }
        #expect(errorCode { try evaluate(expression) } == .tooDeep)
        var subquery = ObjectPredicate.constant(true)
        for _ in 0..<300 {
            subquery = .comparing(.subquery(constant([1]), variable: "x", subquery), .contains, constant(1))
        }
        #expect(errorCode { try subquery.evaluate(with: Plain()) } == .tooDeep)
        #expect(subquery.reorderedForEvaluation == subquery)
    }

    @Test("a checkpoint can stop a long evaluation")
    func checkpoint() {
        struct Stop: Error {}
        var calls = 0
        let evaluator = Evaluator(now: epoch) {
            calls += 1
            if calls == 3 { throw Stop() }
        }
        let list = constant(.array(Array(repeating: 0, count: 100_000)))
        let predicate = ObjectPredicate.comparing(list, .equal, constant(1), modifier: .any)
        #expect(throws: Stop.self) { try evaluator.matches(predicate, Plain()) }
        #expect(calls == 3)
    }

    @Test("members of intermediate collections count towards checkpoints and the limit of members")
    func growth() {
        struct Stop: Error {}
        var calls = 0
        let evaluator = Evaluator(now: epoch) {
            calls += 1
            if calls == 50 { throw Stop() }
        }
        let path = ObjectPredicate.comparing(.keyPath("all.all"), .equal, constant(1), modifier: .any)
        // A hundred collections with a thousand members each.
        #expect(throws: Stop.self) { try evaluator.matches(path, Crowd(count: 1_000)) }
        #expect(errorCode { try path.evaluate(with: Crowd(count: 1_001)) } == .tooManyMembers)
        let union = ObjectExpression.function(.union, [.keyPath("all.all"), .keyPath("all.all")])
        #expect(errorCode { try union.evaluate(with: Crowd(count: 900)) } == .tooManyMembers)
    }

    @Test("comparisons count, so that a checkpoint stops long evaluations of many small objects")
    func comparisons() {
        struct Stop: Error {}
        let evaluator = Evaluator(now: epoch) { throw Stop() }
        let predicate = ObjectPredicate.comparing(constant(1), .equal, constant(2))
        #expect(throws: Stop.self) { for _ in 0..<2_000 { _ = try evaluator.matches(predicate, Plain()) } }
    }
}

/// An object that refers to many objects like itself.
private struct Crowd: KeyValueObject {
    let count: Int

    var reference: ObjectReference? { nil }

    func operand(forKey key: String) -> Operand? { .collection(Array(repeating: .object(self), count: count)) }
}
