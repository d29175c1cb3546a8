// SPDX-License-Identifier: Apache-2.0

// Each rule of the model check, with a model that breaks only that rule.

import FoundationEssentials
import ObjectModel
import Predicates
import Testing

/// An issue in the tests' short form: `error relationship.inverse User.posts`.
func brief(_ issue: ModelIssue) -> String {
    let place = [issue.place.entity, issue.place.property].compactMap(\.self).joined(separator: ".")
    return "\(issue.severity) \(issue.code.rawValue) \(place)"
}

@Suite struct ModelCheckTests {
    static let valid = Model {
        Entity("Item", isAbstract: true) {
            Attribute("created", .date)
        }
        Entity("Post", parent: "Item") {
            Attribute("title", .string).default("Untitled").length(1...80)
            Attribute("views", .int32).default(0).in(0...1_000_000)
            Attribute("body", .binary).optional().externalStorage()
            Attribute("shout", .string).optional().derived("uppercase:(title)")
            Attribute("tagCount", .int64).optional().derived("tags.@count")
            Attribute("authorName", .string).optional().derived("author.name")
            Attribute("place", .composite("Place")).optional()
            Attribute("scratch", .undefined).transient()
            Attribute("colour", .transformable(transformer: "NSSecureUnarchiveFromData")).optional()
            Relationship("tags", toMany: "Tag", inverse: "posts").ordered()
            Relationship("author", toOne: "User", inverse: "posts")
            FetchIndex("newest", .descending("created"), .ascending("place.latitude"), where: "views > 0")
            UniquenessConstraint("title", "created")
            UniquenessConstraint("place.latitude")
        }
        Entity("Tag") {
            Attribute("name", .string)
            Relationship("posts", toMany: "Post", inverse: "tags")
        }
        Entity("User") {
            Attribute("name", .string).matching("[a-z]+")
            Attribute("updatedAt", .date).optional().derived("now()")
            Attribute("totalViews", .int64).optional().derived("posts.views.@sum")
            Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
            FetchedProperty("drafts", of: "Post", predicate: "author == $FETCH_SOURCE AND views == 0")
        }
        Composite("Place") {
            Attribute("latitude", .double).in(-90.0...90.0)
            Attribute("longitude", .double)
        }
        Configuration("Cloud", entities: ["Post", "Tag", "User"])
        FetchRequestTemplate("By", entity: "Post", predicate: "author.name == $NAME OR ANY tags.name IN $TAGS")
    }

    @Test("a valid model has no issues")
    func validModel() {
        #expect(Self.valid.issues().map(\.message) == [])
        #expect(Model().issues() == [])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var issues: [String]
        var model: @Sendable () -> Model

        init(_ issues: String..., model: @escaping @Sendable () -> Model) {
            testDescription = issues.joined(separator: "; ")
            (self.issues, self.model) = (issues, model)
        }

        /// A case of one entity `E`.
        static func entity(
            _ issues: String...,
            @EntityBuilder content: @escaping @Sendable () -> [EntityPart]
        ) -> Case {
            var testCase = Case { Model { Entity("E", content) } }
            testCase.testDescription = issues.joined(separator: "; ")
            testCase.issues = issues
            return testCase
        }

        /// A case of entities `A` and `B` with one relationship each.
        static func pair(
            _ issues: String...,
            relationships: @escaping @Sendable () -> (Relationship, Relationship)
        ) -> Case {
            var testCase = Case {
                Model {
                    Entity("A") { relationships().0 }
                    Entity("B") { relationships().1 }
                }
            }
            testCase.testDescription = issues.joined(separator: "; ")
            testCase.issues = issues
            return testCase
        }
    }

    static let names: [Case] = [
        Case("error entity.name a b", "error entity.name ", "error entity.name 1st") {
            Model {
                Entity("a b")
                Entity("")
                Entity("1st")
            }
        },
        Case("error entity.duplicate E") {
            Model {
                Entity("E")
                Entity("E")
            }
        },
        Case("error entity.case USER") {
            Model {
                Entity("User")
                Entity("USER")
            }
        },
        Case("warning entity.case Fox") {
            Model {
                Entity("FOX")
                Entity("Fox", parent: "FOX")
            }
        },
        Case("warning entity.lowercase post") { Model { Entity("post") } },
        .entity("error property.name E.a-b") { Attribute("a-b", .string) },
        .entity("error property.duplicate E.a") {
            Attribute("a", .string)
            Attribute("a", .int16)
        },
        .entity("error property.duplicate E.a", "warning relationship.inverse E.a") {
            Attribute("a", .string)
            Relationship("a", toOne: "E")
        },
        .entity("warning property.case E.aB") {
            Attribute("ab", .string)
            Attribute("aB", .string)
        },
        Case("error property.inherited C.a") {
            Model {
                Entity("A") { Attribute("a", .string) }
                Entity("B", parent: "A")
                Entity("C", parent: "B") { Attribute("a", .string) }
            }
        },
        .entity("warning property.uppercase E.Name") { Attribute("Name", .string) },
        .entity("error property.reserved E.description") { Attribute("description", .string) },
        .entity("error property.reserved E.objectID") { Attribute("objectID", .string) },
        .entity("error property.reserved E.self") { Attribute("self", .string) },
        .entity("warning property.risky E.deleted") { Attribute("deleted", .bool) },
        .entity("note property.keyword E.in") { Attribute("in", .string) },
        .entity("note property.keyword E.like") { Attribute("like", .string) },
        .entity { Attribute("count", .int16) },
        .entity { Attribute("first", .string) },
        .entity { Attribute("_größe2", .string) },
    ]

    static let userInfo: [Case] = [
        Case("warning userInfo.duplicate A", "warning userInfo.duplicate A.x", "warning userInfo.duplicate P.y") {
            let twice = UserInfo([
                .init(key: "k", value: "1"), .init(key: "k", value: "2"), .init(key: "k", value: "1"),
            ])
            var entity = Entity(name: "A", attributes: [Attribute(name: "x", type: .string, userInfo: twice)])
            entity.userInfo = twice
            return Model(
                entities: [entity],
                composites: [
                    Composite(name: "P", attributes: [Attribute(name: "y", type: .string, userInfo: twice)])
                ]
            )
        }
    ]

    static let hierarchy: [Case] = [
        Case("error entity.parent E") { Model { Entity("E", parent: "Nobody") } },
        Case("error entity.cycle A", "error entity.cycle B") {
            Model {
                Entity("A", parent: "B")
                Entity("B", parent: "A")
                Entity("C", parent: "B")
            }
        },
        Case("error entity.cycle A") { Model { Entity("A", parent: "A") } },
        Case("warning entity.abstract A") { Model { Entity("A", isAbstract: true) } },
    ]

    static let attributes: [Case] = [
        .entity("error attribute.type E.a") { Attribute("a", .undefined) },
        .entity("error attribute.default E.a") { Attribute("a", .int16).default("x") },
        .entity("error attribute.default E.a") { Attribute("a", .int16).default(40_000) },
        .entity("error attribute.default E.a") { Attribute("a", .int32).default(3_000_000_000) },
        .entity("error attribute.default E.a") { Attribute("a", .bool).default(2) },
        .entity("error attribute.default E.a") { Attribute("a", .float).default(1e300) },
        .entity { Attribute("a", .double).default(1) },
        .entity { Attribute("a", .double).default(nil as Int?) },
        .entity("warning attribute.invalidDefault E.a") { Attribute("a", .int16).default(9).in(0...5) },
        .entity("warning attribute.invalidDefault E.a") { Attribute("a", .double).default(-0.5).atLeast(0) },
        .entity("warning attribute.invalidDefault E.a") { Attribute("a", .string).default("long").length(0...3) },
        .entity("warning attribute.invalidDefault E.a") { Attribute("a", .string).default("").length(1...3) },
        .entity("error attribute.bounds E.a") { Attribute("a", .int16).atLeast(5).atMost(1) },
        .entity("error attribute.bounds E.a") { Attribute("a", .int16).atLeast("x") },
        .entity("error attribute.bounds E.a") {
            Attribute(name: "a", type: .string, minimumLength: 5, maximumLength: 1)
        },
        .entity("error attribute.bounds E.a") { Attribute(name: "a", type: .string, minimumLength: -1) },
        .entity("warning attribute.validation E.a") { Attribute("a", .bool).atLeast(0) },
        .entity("warning attribute.validation E.a") { Attribute("a", .int16).length(1...2) },
        .entity("warning attribute.validation E.a") { Attribute("a", .int16).matching("x") },
        .entity("error attribute.regularExpression E.a") { Attribute("a", .string).matching("[a-z") },
        .entity("warning attribute.invalidDefault E.a") { Attribute("a", .string).matching("[a-z]+").default("A1") },
        .entity { Attribute("a", .string).matching("[a-z]+").default("abc") },
        .entity("warning attribute.externalStorage E.a") { Attribute("a", .string).externalStorage() },
        .entity("warning attribute.transformer E.a") {
            Attribute("a", .transformable(transformer: "NSKeyedUnarchiveFromData"))
        },
        .entity("error composite.unknown E.a") { Attribute("a", .composite("Place")) },
        Case("warning composite.empty Place") { Model { Composite("Place") {} } },
        Case("error composite.cycle A", "error composite.cycle B") {
            Model {
                Composite("A") { Attribute("b", .composite("B")) }
                Composite("B") { Attribute("a", .composite("A")) }
            }
        },
        Case("error composite.duplicate A", "error property.duplicate A.a") {
            Model {
                Composite("A") { Attribute("a", .string) }
                Composite("A") {
                    Attribute("a", .string)
                    Attribute("a", .string)
                }
            }
        },
        Case("error composite.content A.a", "error composite.content A.b", "error attribute.default A.c") {
            Model {
                Composite("A") {
                    Attribute("a", .string).transient()
                    Attribute("b", .string).derived("now()")
                    Attribute("c", .string).default(1)
                }
            }
        },
        .entity("error predicate.syntax E.a") { Attribute("a", .string).derived("uppercase:(") },
        .entity("error predicate.key E.a") { Attribute("a", .string).derived("nme") },
        .entity("error derived.form E.a", "warning relationship.inverse E.many") {
            Attribute("a", .int16).derived("many.@max.a")
            Relationship("many", toMany: "E")
        },
        .entity("error derived.form E.a", "warning relationship.inverse E.many") {
            Attribute("a", .int16).derived("many.@sum.b")
            Attribute("b", .int16)
            Relationship("many", toMany: "E")
        },
        .entity("error derived.form E.a") {
            Attribute("a", .int16).derived("b + 1")
            Attribute("b", .int16)
        },
        .entity("warning derived.type E.a") {
            Attribute("a", .int16).derived("b")
            Attribute("b", .string)
        },
        .entity("warning derived.default E.a") {
            Attribute("a", .date).derived("now()").default(Date(timeIntervalSinceReferenceDate: 0))
        },
        .entity("error derived.transient E.a") { Attribute("a", .date).derived("now()").transient() },
    ]

    static let relationships: [Case] = [
        .entity("error relationship.destination E.r") { Relationship("r", toOne: "Nobody") },
        .entity("error relationship.destination E.r") { Relationship("r", toOne: "") },
        .entity("warning relationship.inverse E.r") { Relationship("r", toOne: "E") },
        .entity("error relationship.inverseUnknown E.r") { Relationship("r", toOne: "E", inverse: "x") },
        Case(
            "error relationship.inverseDestination A.b",
            "error relationship.inverseMutual C.b"
        ) {
            Model {
                Entity("A") { Relationship("b", toOne: "B", inverse: "c").optional() }
                Entity("C") { Relationship("b", toOne: "B", inverse: "c").optional() }
                Entity("B") { Relationship("c", toOne: "C").optional() }
            }
        },
        .pair("error relationship.inverseMutual A.b") {
            (Relationship("b", toOne: "B", inverse: "a").optional(), Relationship("a", toOne: "A").optional())
        },
        .pair("warning relationship.ordered A.b") {
            (
                Relationship("b", toOne: "B", inverse: "a").optional().ordered(),
                Relationship("a", toOne: "A", inverse: "b").optional()
            )
        },
        .pair("error relationship.count A.b") {
            (
                Relationship(
                    name: "b",
                    destinationName: "B",
                    inverseName: "a",
                    isToMany: true,
                    minimumCount: 3,
                    maximumCount: 2
                ),
                Relationship("a", toOne: "A", inverse: "b").optional()
            )
        },
        .pair("error relationship.count A.b") {
            (Relationship("b", toMany: "B", inverse: "a").count((-1)...2), Relationship("a", toMany: "A", inverse: "b"))
        },
        .pair("error relationship.count A.b") {
            (
                Relationship(name: "b", destinationName: "B", inverseName: "a", isOptional: true, maximumCount: 2),
                Relationship("a", toMany: "A", inverse: "b")
            )
        },
        .pair("warning relationship.requiredInverse A.b") {
            (Relationship("b", toMany: "B", inverse: "a"), Relationship("a", toOne: "A", inverse: "b"))
        },
        .pair("warning relationship.noAction A.b") {
            (
                Relationship("b", toMany: "B", inverse: "a", deleteRule: .noAction),
                Relationship("a", toMany: "A", inverse: "b")
            )
        },
        .pair {
            (
                Relationship("b", toMany: "B", inverse: "a", deleteRule: .deny),
                Relationship("a", toOne: "A", inverse: "b", deleteRule: .cascade)
            )
        },
    ]

    static let others: [Case] = [
        .entity("error constraint.unknown E.nme") {
            Attribute("name", .string)
            UniquenessConstraint("nme")
        },
        .entity("error constraint.property E.a", "warning constraint.duplicate E") {
            Attribute("a", .string).transient()
            Attribute("b", .string)
            UniquenessConstraint("a")
            UniquenessConstraint("b")
            UniquenessConstraint("b")
        },
        .entity("warning relationship.inverse E.r", "error constraint.property E.r", "warning constraint.empty E") {
            Relationship("r", toMany: "E")
            UniquenessConstraint("r")
            UniquenessConstraint()
        },
        Case("error constraint.inherited B") {
            Model {
                Entity("A") {
                    Attribute("a", .string)
                    UniquenessConstraint("a")
                }
                Entity("B", parent: "A") { UniquenessConstraint("a") }
            }
        },
        .entity("error index.unknown E.b", "error index.duplicate E", "warning index.empty E") {
            Attribute("a", .string)
            FetchIndex("i", .ascending("b"))
            FetchIndex("i", .ascending("a"))
            FetchIndex("j")
        },
        .entity("warning index.property E.t", "warning index.rTree E.a", "error index.unknown E.a.b") {
            Attribute("a", .string)
            Attribute("t", .string).transient()
            FetchIndex("i", .ascending("t"))
            FetchIndex("j", .rTree("a"))
            FetchIndex("k", .ascending("a.b"))
        },
        .entity("error predicate.syntax E", "error predicate.key E", "error predicate.variable E") {
            Attribute("a", .string)
            FetchIndex("i", .ascending("a"), where: "a ==")
            FetchIndex("j", .ascending("a"), where: "b == 1")
            FetchIndex("k", .ascending("a"), where: "a == $X")
        },
        Case("error index.unknown E.b") {
            Model(entities: [
                Entity(name: "E", attributes: [Attribute("a", .string)], compoundIndexes: [["a", "b"]])
            ])
        },
        Case("error configuration.unknown Nobody", "warning configuration.member E", "error configuration.duplicate ") {
            Model {
                Entity("E")
                Configuration("A", entities: ["Nobody", "E", "E"])
                Configuration("A", entities: [])
            }
        },
        Case("warning configuration.crossing A.b", "warning configuration.crossing B.a") {
            Model {
                Entity("A") { Relationship("b", toMany: "B", inverse: "a") }
                Entity("B") { Relationship("a", toMany: "A", inverse: "b") }
                Configuration("One", entities: ["A"])
                Configuration("Two", entities: ["B"])
            }
        },
        Case(
            "error request.entity Nobody",
            "error request.duplicate E",
            "error predicate.syntax E",
            "warning predicate.key E"
        ) {
            Model {
                Entity("E")
                FetchRequestTemplate("a", entity: "Nobody")
                FetchRequestTemplate("a", entity: "E")
                FetchRequestTemplate("b", entity: "E", predicate: "a = = b")
                FetchRequestTemplate("c", entity: "E", predicate: "a == $A")
            }
        },
        .entity("error request.entity E.f", "warning predicate.key E.g", "warning predicate.variable E.h") {
            FetchedProperty("f", of: "Nobody")
            FetchedProperty("g", of: "E", predicate: "SELF == $FETCH_SOURCE.parent")
            FetchedProperty("h", of: "E", predicate: "SELF == $FETCH_SOURCES")
        },
    ]

    @Test(
        "a broken rule is reported with its code, place and severity",
        arguments: names + userInfo + hierarchy + attributes + relationships + others
    )
    func rules(_ testCase: Case) {
        let issues = testCase.model().issues()
        #expect(issues.map(brief) == testCase.issues)
        #expect(issues.allSatisfy { $0.message.hasSuffix(".") || $0.message.contains("\n") })
    }

    @Test("all errors of a model are reported at once, in model order, with the file")
    func twelveMistakes() {
        let model = Model {
            Entity("User", parent: "Person") {
                Attribute("name", .undefined)
                Attribute("age", .int16).default(99_999)
                Attribute("hash", .string)
                Relationship("posts", toMany: "Pots", inverse: "author")
                FetchIndex("byName", .ascending("nam"))
            }
            Entity("Post") {
                Attribute("title", .string)
                Attribute("title", .string)
                Attribute("place", .composite("Place"))
                Relationship("author", toOne: "User", inverse: "post")
                UniquenessConstraint("titel")
            }
            Entity("Empty", isAbstract: true)
            Configuration("Cloud", entities: ["Usr"])
            FetchRequestTemplate("Find", entity: "Post", predicate: "titel == $TITLE")
        }
        let issues = model.issues(file: "Blog.xcdatamodeld")
        #expect(
            issues.map(brief) == [
                "error entity.parent User", "error attribute.type User.name", "error attribute.default User.age",
                "error property.reserved User.hash", "error relationship.destination User.posts",
                "error index.unknown User.nam", "error property.duplicate Post.title",
                "error composite.unknown Post.place",
                "error relationship.inverseUnknown Post.author", "error constraint.unknown Post.titel",
                "warning entity.abstract Empty", "error configuration.unknown Usr", "warning predicate.key Post",
            ]
        )
        #expect(issues.allSatisfy { $0.place.file == "Blog.xcdatamodeld" })
        #expect(issues[4].hint == "Did you mean “Post”?")
        #expect(issues[8].hint == "Did you mean “posts”?")
        #expect(issues[12].hint == "Did you mean “title”?")
    }

    @Test("a predicate's syntax error is shown with its position")
    func syntaxPosition() throws {
        let model = Model {
            Entity("E") { Attribute("a", .string) }
            FetchRequestTemplate("t", entity: "E", predicate: "a BEGINSWIT 'x'")
        }
        let issue = try #require(model.issues().first)
        #expect(issue.message.hasSuffix("a BEGINSWIT 'x'\n  ^"))
    }

    @Test("two relationships without inverses that may be one relationship get the hint to join them")
    func unjoinedRelationships() {
        let model = Model {
            Entity("Book") {
                Relationship("author", toOne: "Author").optional()
                Relationship("shelf", toOne: "Shelf")
            }
            Entity("Author") { Relationship("books", toMany: "Book") }
            Entity("Shelf") {
                Relationship("front", toMany: "Book")
                Relationship("back", toMany: "Book")
            }
        }
        let hints = model.issues().filter { $0.code == .relationshipInverse }.map {
            "\($0.place.property ?? ""): \($0.hint ?? "")"
        }
        #expect(
            hints == [
                "author: If “books” of Author is the other side, name each as the inverse of the other: in JSON, \"Author?.books\" and \"[Book].author\".",
                "shelf: Add a relationship from Shelf back to Book.",
                "books: If “author” of Book is the other side, name each as the inverse of the other: in JSON, \"[Book].author\" and \"Author?.books\".",
                "front: If “shelf” of Book is the other side, name each as the inverse of the other: in JSON, \"[Book].shelf\" and \"Shelf.front\".",
                "back: If “shelf” of Book is the other side, name each as the inverse of the other: in JSON, \"[Book].shelf\" and \"Shelf.back\".",
            ]
        )
    }
}
