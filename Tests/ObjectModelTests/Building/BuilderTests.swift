// SPDX-License-Identifier: Apache-2.0

// Models from the builder equal the same models assembled by hand.

import ObjectModel
import Predicates
import Testing

@Suite struct BuilderTests {
    @Test("a relationship's optionality and count can be set in either order")
    func optionalCount() {
        func posts() -> Relationship { Relationship("posts", toMany: "Post", inverse: "author") }
        #expect(posts().optional().count(2...3) == posts().count(2...3).optional())
        #expect(posts().optional().count(2...) == posts().count(2...).optional())
        #expect(posts().optional().count(2...3).isOptional)
        #expect(!posts().count(2...3).isOptional)
        #expect(posts().count(0...3).isOptional)
        #expect(posts().optional() == posts())
        #expect(posts().optional().hashValue == posts().hashValue)
    }

    @Test("a model from the builder equals one assembled by hand")
    func wholeModel() {
        let built = Model(versionIdentifier: "2") {
            Entity("Item", isAbstract: true) {
                Attribute("created", .date)
            }
            Entity("Post", parent: "Item", className: ".Post", renamedFrom: "Article", userInfo: ["plural": "posts"]) {
                Attribute("title", .string).default("Untitled").length(1...80).matching("[^\\n]+")
                Attribute("rating", .double).optional().in(0.0...5.0).renamed(from: "stars")
                Attribute("body", .binary).optional().externalStorage().preservedAfterDeletion()
                Attribute("shout", .string).optional().derived("uppercase:(title)")
                Attribute("place", .composite("Place")).optional()
                Relationship("tags", toMany: "Tag", inverse: "posts").ordered().count(1...5)
                Relationship("author", toOne: "User", deleteRule: .noAction).optional().userInfo(["a": "b"])
                FetchedProperty("similar", of: "Post", predicate: "title == $FETCH_SOURCE.title")
                FetchIndex("newest", .descending("created"), .ascending("title"), where: "rating > 3")
                UniquenessConstraint("title", "created")
            }
            Composite("Place") {
                Attribute("latitude", .double).atLeast(-90).atMost(90)
                Attribute("longitude", .double)
            }
            Configuration("Cloud", entities: ["Post"])
            FetchRequestTemplate("By", entity: "Post", predicate: "author == $AUTHOR", limit: 10)
        }
        let post = Entity(
            name: "Post",
            className: ".Post",
            parentName: "Item",
            attributes: [
                Attribute(
                    name: "title",
                    type: .string,
                    defaultValue: "Untitled",
                    minimumLength: 1,
                    maximumLength: 80,
                    regularExpression: "[^\\n]+"
                ),
                Attribute(
                    name: "rating",
                    type: .double,
                    isOptional: true,
                    minimumValue: 0.0,
                    maximumValue: 5.0,
                    renamingIdentifier: "stars"
                ),
                Attribute(
                    name: "body",
                    type: .binary,
                    isOptional: true,
                    allowsExternalStorage: true,
                    isPreservedAfterDeletion: true
                ),
                Attribute(name: "shout", type: .string, isOptional: true, derivation: "uppercase:(title)"),
                Attribute(name: "place", type: .composite("Place"), isOptional: true),
            ],
            relationships: [
                Relationship(
                    name: "tags",
                    destinationName: "Tag",
                    inverseName: "posts",
                    isToMany: true,
                    isOrdered: true,
                    minimumCount: 1,
                    maximumCount: 5
                ),
                Relationship(
                    name: "author",
                    destinationName: "User",
                    isOptional: true,
                    deleteRule: .noAction,
                    userInfo: ["a": "b"]
                ),
            ],
            fetchedProperties: [
                FetchedProperty(
                    name: "similar",
                    fetchRequest: FetchRequestTemplate(
                        name: "fetchRequest",
                        entityName: "Post",
                        predicate: "title == $FETCH_SOURCE.title"
                    ),
                    isOptional: true
                )
            ],
            fetchIndexes: [
                FetchIndex(
                    name: "newest",
                    elements: [.init(.property("created"), isAscending: false), .init(.property("title"))],
                    partialPredicate: "rating > 3"
                )
            ],
            uniquenessConstraints: [["title", "created"]],
            userInfo: ["plural": "posts"],
            renamingIdentifier: "Article"
        )
        let place = Composite(
            name: "Place",
            attributes: [
                Attribute(name: "latitude", type: .double, minimumValue: -90, maximumValue: 90),
                Attribute(name: "longitude", type: .double),
            ]
        )
        let item = Entity(name: "Item", isAbstract: true, attributes: [Attribute(name: "created", type: .date)])
        #expect(
            built
                == Model(
                    entities: [item, post],
                    composites: [place],
                    configurations: [Configuration(name: "Cloud", entityNames: ["Post"])],
                    fetchRequestTemplates: [
                        FetchRequestTemplate(
                            name: "By",
                            entityName: "Post",
                            predicate: "author == $AUTHOR",
                            fetchLimit: 10
                        )
                    ],
                    versionIdentifiers: ["2"]
                )
        )
    }

    @Test("the builder accepts loops, conditions and lists")
    func controlFlow() {
        func model(isLarge: Bool) -> Model {
            Model {
                for name in ["A", "B"] {
                    Entity(name) {
                        if isLarge {
                            Attribute("size", .int64)
                        } else {
                            Attribute("size", .int16)
                        }
                        for index in 1...2 { Attribute("part\(index)", .string) }
                        ["x", "y"].map { Attribute($0, .double) }
                    }
                }
                if isLarge { Entity("Large") }
            }
        }
        #expect(model(isLarge: true).entities.map(\.name) == ["A", "B", "Large"])
        #expect(model(isLarge: true).entities[0].attributes[0].type == .int64)
        #expect(model(isLarge: false).entities[1].attributes.map(\.name) == ["size", "part1", "part2", "x", "y"])
        #expect(model(isLarge: false).entities.count == 2)
    }

    @Test("a minimum count above zero makes a relationship required")
    func counts() {
        let relationship = Relationship("tags", toMany: "Tag")
        #expect(relationship.isOptional)
        #expect(!relationship.count(1...).isOptional)
        #expect(relationship.count(1...).maximumCount == nil)
        #expect(relationship.count(0...3).isOptional)
    }
}
