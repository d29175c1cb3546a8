// SPDX-License-Identifier: Apache-2.0

// What clients of a former version of a model can go on with, and what they would lose.

import ObjectModel
import Predicates
import Testing

@Suite("Shapes of other versions")
struct ShapeMappingTests {
    /// A change of the model, and the differences for clients of the former version.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
        let edit: @Sendable (inout Model) -> Void

        init(_ name: String, _ lines: [String] = [], _ edit: @escaping @Sendable (inout Model) -> Void) {
            testDescription = name
            self.lines = lines
            self.edit = edit
        }
    }

    static let model = Model {
        Entity("Item", isAbstract: true) {
            Attribute("created", .date).optional()
        }
        Entity("Post", parent: "Item") {
            Attribute("title", .string)
            Attribute("views", .int32).default(0)
            Attribute("note", .string).optional()
            Attribute("cover", .binary).default("none")
            Relationship("tags", toMany: "Tag", inverse: "posts").optional()
            Relationship("author", toOne: "Person").optional()
            Relationship("owner", toOne: "Actor").optional()
            FetchedProperty("similar", of: "Post", predicate: "title == $FETCH_SOURCE.title")
        }
        Entity("Tag") {
            Attribute("name", .string)
            Relationship("posts", toMany: "Post", inverse: "tags").optional()
        }
        Entity("Person") {
            Attribute("name", .string)
        }
        Entity("Actor", isAbstract: true)
    }

    static let harmless = [
        Case("nothing") { _ in },
        Case("an entity is renamed") { model in
            model.edit("Person") {
                $0.name = "User"
                $0.renamingIdentifier = "Person"
            }
            model.edit("Post") { $0.relationships[1].destinationName = "User" }
        },
        Case("a property is renamed") { model in
            model.edit("Post") {
                $0.attributes[0].name = "headline"
                $0.attributes[0].renamingIdentifier = "title"
            }
        },
        Case("an optional attribute is added") { model in
            model.edit("Post") { $0.attributes.append(Attribute(name: "summary", type: .string, isOptional: true)) }
        },
        Case("an attribute with a default is added to a parent") { model in
            model.edit("Item") { $0.attributes.append(Attribute(name: "rank", type: .int16, defaultValue: 1)) }
        },
        Case("an entity is added, and an optional relationship to it") { model in
            model.entities.append(Entity(name: "Review", attributes: [Attribute(name: "text", type: .string)]))
            model.edit("Post") {
                $0.relationships.append(
                    Relationship(name: "reviews", destinationName: "Review", isToMany: true, isOptional: true)
                )
            }
        },
        Case("an attribute becomes required, with a default") { model in
            model.edit("Post") {
                $0.attributes[2].isOptional = false
                $0.attributes[2].defaultValue = "none"
            }
        },
        Case("a required attribute with a default becomes optional") { model in
            model.edit("Post") { $0.attributes[1].isOptional = true }
        },
        Case("rules, indexes, defaults and delete rules change") { model in
            model.edit("Post") {
                $0.attributes[0].maximumLength = 10
                $0.attributes[1].defaultValue = 5
                $0.relationships[0].deleteRule = .cascade
                $0.uniquenessConstraints = [["title"]]
                $0.userInfo = ["path": "posts"]
            }
        },
        Case("a subentity is added to an abstract entity") { model in
            model.entities.append(Entity(name: "Guide", parentName: "Item"))
        },
        Case("a property moves to the parent") { model in
            model.edit("Post") { $0.attributes.remove(at: 2) }
            model.edit("Item") { $0.attributes.append(Attribute(name: "note", type: .string, isOptional: true)) }
        },
    ]

    static let lossy = [
        Case("an entity is removed", ["Person: removed", "Post.author: destination Person → Tag"]) { model in
            model.entities.removeAll { $0.name == "Person" }
            model.edit("Post") { $0.relationships[1].destinationName = "Tag" }
        },
        Case("a property is removed", ["Post.note: attribute removed"]) { model in
            model.edit("Post") { $0.attributes.remove(at: 2) }
        },
        Case("a property of a parent is removed", ["Item.created: attribute removed"]) { model in
            model.edit("Item") { $0.attributes = [] }
        },
        Case("a type changes", ["Post.views: type Int32 → Int64"]) { model in
            model.edit("Post") { $0.attributes[1].type = .int64 }
        },
        Case("an attribute becomes required", ["Post.note: optional yes → no"]) { model in
            model.edit("Post") { $0.attributes[2].isOptional = false }
        },
        Case("a required attribute without a default becomes optional", ["Post.title: optional no → yes"]) { model in
            model.edit("Post") { $0.attributes[0].isOptional = true }
        },
        Case("bytes become optional", ["Post.cover: optional no → yes"]) { model in
            model.edit("Post") { $0.attributes[3].isOptional = true }
        },
        Case("a required attribute is added", ["Post.slug: attribute added, required"]) { model in
            model.edit("Post") { $0.attributes.append(Attribute(name: "slug", type: .string)) }
        },
        Case("a relationship becomes required", ["Post.author: optional yes → no"]) { model in
            model.edit("Post") { $0.relationships[1].isOptional = false }
        },
        Case("a relationship becomes to-many", ["Post.author: to-many no → yes"]) { model in
            model.edit("Post") { $0.relationships[1].isToMany = true }
        },
        Case("a relationship becomes ordered", ["Post.tags: ordered no → yes"]) { model in
            model.edit("Post") { $0.relationships[0].isOrdered = true }
        },
        Case("a relationship gets an inverse", ["Post.author: inverse none → posts"]) { model in
            model.edit("Post") { $0.relationships[1].inverseName = "posts" }
            model.edit("Person") {
                $0.relationships.append(
                    Relationship(
                        name: "posts",
                        destinationName: "Post",
                        inverseName: "author",
                        isToMany: true,
                        isOptional: true
                    )
                )
            }
        },
        Case("a subentity is added", ["Guide: added below Post"]) { model in
            model.entities.append(Entity(name: "Guide", parentName: "Post"))
        },
        Case("a subentity is added to the destination of a relationship", ["Robot: added below Actor"]) { model in
            model.entities.append(Entity(name: "Robot", parentName: "Actor"))
        },
        Case("an entity becomes abstract", ["Tag: abstract no → yes"]) { model in
            model.edit("Tag") { $0.isAbstract = true }
        },
        Case("a property becomes derived", ["Post.note: derived no → yes"]) { model in
            model.edit("Post") { $0.attributes[2].derivation = "canonical:(title)" }
        },
        Case("a fetched property gets another entity", ["Post.similar: fetch request changed"]) { model in
            model.edit("Post") { $0.fetchedProperties[0].fetchRequest.entityName = "Tag" }
        },
        Case("values come from a rule", ["Post.note: attribute removed"]) { model in
            model.edit("Post") {
                $0.attributes[2].name = "remark"
                $0.attributes[2].userInfo = ["migrationValue": "note + '!'"]
            }
        },
    ]

    @Test("a change that loses nothing is no difference", arguments: harmless)
    func kept(_ change: Case) {
        var next = Self.model
        change.edit(&next)
        #expect(ShapeMapping(of: next, in: Self.model).differences.map(\.line) == [])
    }

    @Test("a change that loses something is described in the words of a diff", arguments: lossy)
    func lost(_ change: Case) {
        var next = Self.model
        change.edit(&next)
        #expect(ShapeMapping(of: next, in: Self.model).differences.map(\.line) == change.lines)
    }

    @Test("names are those of the other version, which may also be the later one")
    func names() throws {
        var next = Self.model
        next.edit("Post") {
            $0.name = "Article"
            $0.renamingIdentifier = "Post"
            $0.attributes[0].name = "headline"
            $0.attributes[0].renamingIdentifier = "title"
        }
        next.edit("Tag") { $0.relationships[0].destinationName = "Article" }
        let former = ShapeMapping(of: next, in: Self.model)
        #expect(former.differences.isEmpty)
        #expect(former.entities["Article"]?.name == "Post")
        #expect(former.entities["Article"]?.properties["headline"]?.name == "title")
        #expect(former.entities["Article"]?.properties["created"]?.name == "created")
        let later = ShapeMapping(of: Self.model, in: next, isLater: true)
        #expect(later.differences.isEmpty)
        #expect(later.entities["Post"]?.name == "Article")
        #expect(later.entities["Post"]?.properties["title"]?.name == "headline")
    }

    @Test("exchanged names are followed")
    func exchanged() {
        var next = Self.model
        next.edit("Post") {
            $0.attributes[0].name = "note"
            $0.attributes[0].renamingIdentifier = "title"
            $0.attributes[2].name = "title"
            $0.attributes[2].renamingIdentifier = "note"
        }
        let mapping = ShapeMapping(of: next, in: Self.model)
        #expect(mapping.differences.isEmpty)
        #expect(mapping.entities["Post"]?.properties["note"]?.name == "title")
        #expect(mapping.entities["Post"]?.properties["title"]?.name == "note")
    }

    @Test("names are followed through the versions between, in either direction")
    func steps() {
        var second = Self.model
        second.edit("Post") {
            $0.attributes[2].name = "remark"
            $0.attributes[2].renamingIdentifier = "note"
        }
        var third = second
        third.edit("Post") {
            $0.attributes[2].name = "comment"
            $0.attributes[2].renamingIdentifier = "remark"
        }
        let direct = ShapeMapping(of: third, in: Self.model)
        #expect(direct.differences.map(\.line) == ["Post.note: attribute removed"])
        let former = ShapeMapping(of: third, in: Self.model, through: [second])
        #expect(former.differences.isEmpty && former.entities["Post"]?.properties["comment"]?.name == "note")
        let later = ShapeMapping(of: Self.model, in: third, through: [second], isLater: true)
        #expect(later.differences.isEmpty && later.entities["Post"]?.properties["note"]?.name == "comment")
        // What differs in between only doesn't matter.
        second.edit("Post") { $0.attributes[1].type = .int64 }
        let kept = ShapeMapping(of: Self.model, in: Self.model, through: [second])
        #expect(kept.differences.isEmpty && kept.entities["Post"]?.properties["note"]?.name == "note")
    }

    @Test("a former name that is used again doesn't hide where its property went")
    func usedAgain() {
        var second = Self.model
        second.edit("Post") {
            $0.attributes[2].name = "remark"
            $0.attributes[2].renamingIdentifier = "note"
        }
        var third = second
        third.edit("Post") {
            $0.attributes[2].name = "comment"
            $0.attributes[2].renamingIdentifier = "remark"
        }
        var fourth = third
        fourth.edit("Post") { $0.attributes.append(Attribute(name: "note", type: .string, isOptional: true)) }
        let mapping = ShapeMapping(of: fourth, in: Self.model, through: [third, second])
        let properties = mapping.entities["Post"]?.properties
        #expect(properties?["comment"]?.name == "note" && properties?["note"] == nil)
    }

    @Test("an inherited property must be the same one in a subentity")
    func inherited() {
        var next = Self.model
        next.edit("Item") {
            $0.attributes[0].name = "made"
            $0.attributes[0].renamingIdentifier = "created"
        }
        next.edit("Post") { $0.attributes.append(Attribute(name: "created", type: .date, isOptional: true)) }
        let mapping = ShapeMapping(of: next, in: Self.model)
        #expect(mapping.differences.map(\.line) == ["Post.created: another property than in Item"])
    }

    @Test("an added attribute with a default that must be unique is a difference")
    func unique() {
        var next = Self.model
        next.edit("Post") {
            $0.attributes.append(Attribute(name: "slug", type: .string, defaultValue: "-"))
            $0.uniquenessConstraints = [["slug"]]
        }
        #expect(ShapeMapping(of: next, in: Self.model).differences.map(\.line) == ["Post: slug added, unique"])
        next.edit("Post") { $0.uniquenessConstraints = [["slug", "title"]] }
        #expect(ShapeMapping(of: next, in: Self.model).differences.isEmpty)
    }

    @Test("null stands for a default where only one version permits it")
    func null() {
        var next = Self.model
        next.edit("Post") {
            $0.attributes[1].isOptional = true
            $0.attributes[2].isOptional = false
            $0.attributes[2].defaultValue = "none"
        }
        let properties = ShapeMapping(of: next, in: Self.model).entities["Post"]?.properties
        #expect(properties?["views"]?.shownForNull == 0)
        #expect(properties?["views"]?.storedForNull == nil)
        #expect(properties?["note"]?.storedForNull == "none")
        #expect(properties?["note"]?.shownForNull == nil)
    }
}

extension Model {
    /// Changes an entity.
    fileprivate mutating func edit(_ name: String, _ change: (inout Entity) -> Void) {
        guard let place = entities.firstIndex(where: { $0.name == name }) else { return }
        change(&entities[place])
    }
}
