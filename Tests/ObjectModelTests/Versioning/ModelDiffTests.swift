// SPDX-License-Identifier: Apache-2.0

// The diffs of single changes, and their agreement with the version hashes.

import ObjectModel
import Predicates
import Testing
import XML

@Suite struct ModelDiffTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var lines: [String]
        var changesStorage: Bool
        /// The codes of the obstacles and of the consequences, without their common prefix.
        var review: [String]
        var edit: @Sendable (inout Model) -> Void

        init(
            _ name: String,
            _ lines: [String],
            storage changesStorage: Bool = true,
            _ review: [String] = [],
            _ edit: @escaping @Sendable (inout Model) -> Void
        ) {
            (testDescription, self.lines, self.changesStorage) = (name, lines, changesStorage)
            (self.review, self.edit) = (review, edit)
        }
    }

    static let model = Model(
        entities: [
            Entity(name: "Item", isAbstract: true, attributes: [Attribute(name: "created", type: .date)]),
            Entity(
                name: "Post",
                parentName: "Item",
                attributes: [
                    Attribute(name: "title", type: .string),
                    Attribute(name: "views", type: .int32, isOptional: true),
                ],
                relationships: [
                    Relationship(
                        name: "tags",
                        destinationName: "Tag",
                        inverseName: "posts",
                        isToMany: true,
                        isOptional: true
                    )
                ]
            ),
            Entity(
                name: "Tag",
                attributes: [Attribute(name: "name", type: .string)],
                relationships: [
                    Relationship(
                        name: "posts",
                        destinationName: "Post",
                        inverseName: "tags",
                        isToMany: true,
                        isOptional: true
                    )
                ]
            ),
        ]
    )

    @Test(
        "a change is listed, classified and reviewed",
        arguments: [
            Case("an entity more", ["User: added"]) { $0.entities.append(Entity(name: "User")) },
            Case(
                "an entity less",
                ["Tag: removed", "Post.tags: relationship removed"],
                ["loss.relationship", "loss.entity"]
            ) {
                $0.entities.removeLast()
                $0.entities[1].relationships = []
            },
            Case("an entity renamed", ["Label: renamed from Tag, renaming identifier none → Tag"]) {
                $0.entities[2].name = "Label"
                $0.entities[2].renamingIdentifier = "Tag"
                $0.entities[1].relationships[0].destinationName = "Label"
            },
            Case("an attribute more", ["Tag.hue: attribute added"]) {
                $0.entities[2].attributes.append(Attribute(name: "hue", type: .float, isOptional: true))
            },
            Case("a required attribute more", ["Tag.hue: attribute added"], ["required"]) {
                $0.entities[2].attributes.append(Attribute(name: "hue", type: .float))
            },
            Case("a required attribute with a default more", ["Tag.hue: attribute added"]) {
                $0.entities[2].attributes.append(Attribute(name: "hue", type: .float, defaultValue: 0.5))
            },
            Case("a required attribute more above", ["Item.rank: attribute added"], ["required"]) {
                $0.entities[0].attributes.append(Attribute(name: "rank", type: .float))
            },
            Case("a required derived attribute more", ["Tag.size: attribute added"]) {
                $0.entities[2].attributes.append(Attribute(name: "size", type: .int64, derivation: "posts.@count"))
            },
            Case("an attribute less", ["Tag.name: attribute removed"], ["loss.attribute"]) {
                $0.entities[2].attributes = []
            },
            Case(
                "an attribute renamed",
                ["Post.headline: renamed from title, renaming identifier none → title"]
            ) {
                $0.entities[1].attributes[0].name = "headline"
                $0.entities[1].attributes[0].renamingIdentifier = "title"
            },
            Case("an inverse renamed", ["Tag.items: renamed from posts, renaming identifier none → posts"]) {
                $0.entities[2].relationships[0].name = "items"
                $0.entities[2].relationships[0].renamingIdentifier = "posts"
                $0.entities[1].relationships[0].inverseName = "items"
            },
            Case("an identifier that leads nowhere", ["Post.title: renaming identifier none → nothing"], storage: false)
            {
                $0.entities[1].attributes[0].renamingIdentifier = "nothing"
            },
            Case("a larger type", ["Post.views: type Int32 → Int64"]) {
                $0.entities[1].attributes[1].type = .int64
            },
            Case("another type", ["Post.views: type Int32 → Date"], ["type"]) {
                $0.entities[1].attributes[1].type = .date
            },
            Case("required now", ["Post.views: optional yes → no"], ["required"]) {
                $0.entities[1].attributes[1].isOptional = false
            },
            Case("required now, with a default", ["Post.views: optional yes → no, default changed"]) {
                $0.entities[1].attributes[1].isOptional = false
                $0.entities[1].attributes[1].defaultValue = 0
            },
            Case("optional now", ["Post.title: optional no → yes"]) { $0.entities[1].attributes[0].isOptional = true },
            Case("transient now", ["Post.title: transient no → yes"], ["loss.attribute"]) {
                $0.entities[1].attributes[0].isTransient = true
            },
            Case("an attribute that becomes a relationship", ["Tag.name: kind attribute → relationship"], ["kind"]) {
                $0.entities[2].attributes = []
                $0.entities[2].relationships.append(
                    Relationship(name: "name", destinationName: "Post", isOptional: true)
                )
            },
            Case(
                "validation, default, indexes, class and user info",
                [
                    "Tag: class none → Label, indexes changed, user info changed",
                    "Tag.name: default changed, validation changed, indexed no → yes",
                ],
                storage: false
            ) {
                $0.entities[2].className = "Label"
                $0.entities[2].fetchIndexes = [FetchIndex(name: "i", elements: [.init(.property("name"))])]
                $0.entities[2].compoundIndexes = [["name"]]
                $0.entities[2].userInfo = ["a": "b"]
                $0.entities[2].attributes[0].defaultValue = "?"
                $0.entities[2].attributes[0].minimumLength = 1
                $0.entities[2].attributes[0].regularExpression = ".+"
                $0.entities[2].attributes[0].isIndexed = true
            },
            Case("to-one", ["Tag.posts: to-many yes → no"], ["loss.cardinality"]) {
                $0.entities[2].relationships[0].isToMany = false
            },
            Case("ordered", ["Tag.posts: ordered no → yes"]) { $0.entities[2].relationships[0].isOrdered = true },
            Case("counts", ["Tag.posts: counts 0... → 1...9"]) {
                $0.entities[2].relationships[0].minimumCount = 1
                $0.entities[2].relationships[0].maximumCount = 9
            },
            Case("a wider destination", ["Tag.posts: destination Post → Item"]) {
                $0.entities[2].relationships[0].destinationName = "Item"
            },
            Case("another destination", ["Tag.posts: destination Post → Tag"], ["loss.destination"]) {
                $0.entities[2].relationships[0].destinationName = "Tag"
            },
            Case("a delete rule", ["Tag.posts: delete rule Nullify → Deny"], storage: false) {
                $0.entities[2].relationships[0].deleteRule = .deny
            },
            Case(
                "one end of a relationship less",
                ["Post.tags: inverse posts → none", "Tag.posts: relationship removed"]
            ) {
                $0.entities[2].relationships = []
                $0.entities[1].relationships[0].inverseName = nil
            },
            Case("a constraint", ["Tag: uniqueness constraints changed"], ["unique"]) {
                $0.entities[2].uniquenessConstraints = [["name"]]
            },
            Case("moved up", ["Item.title: attribute added", "Post.title: moved to Item"]) {
                $0.entities[0].attributes.append($0.entities[1].attributes.removeFirst())
            },
            Case("moved down", ["Item.created: attribute removed", "Post.created: moved here from Item"]) {
                $0.entities[1].attributes.append($0.entities[0].attributes.removeFirst())
            },
            Case(
                "moved up and of another type",
                ["Item.title: attribute added", "Post.title: moved to Item, type String → URI"],
                ["type"]
            ) {
                var title = $0.entities[1].attributes.removeFirst()
                title.type = .uri
                $0.entities[0].attributes.append(title)
            },
            Case("out of the hierarchy", ["Post: parent Item → none", "Post.created: moved here from Item"]) {
                $0.entities[1].parentName = nil
                $0.entities[1].attributes += $0.entities[0].attributes
            },
            Case("a new parent", ["Tag: parent none → Thing", "Thing: added"]) {
                $0.entities[2].parentName = "Thing"
                $0.entities.append(Entity(name: "Thing", isAbstract: true))
            },
            Case("hierarchies merged", ["Tag: parent none → Item"], ["hierarchy", "required"]) {
                $0.entities[2].parentName = "Item"
            },
            Case("out of the hierarchy, without what it inherited", ["Post: parent Item → none"], ["loss.attribute"]) {
                $0.entities[1].parentName = nil
            },
            Case("abstract", ["Tag: abstract no → yes"], ["abstract"]) { $0.entities[2].isAbstract = true },
            Case("two heirs", ["Post.summary: attribute added"], ["ambiguous"]) {
                $0.entities[1].attributes.append(
                    Attribute(name: "summary", type: .string, isOptional: true, renamingIdentifier: "title")
                )
            },
            Case(
                "what is beside the entities",
                ["model: configurations changed", "model: version identifiers changed"],
                storage: false
            ) {
                $0.configurations = [Configuration(name: "C", entityNames: [])]
                $0.versionIdentifiers = ["2"]
            },
        ]
    )
    func cases(_ testCase: Case) {
        var model = Self.model
        testCase.edit(&model)
        let diff = ModelDiff(from: Self.model, to: model)
        #expect(Set(diff.lines) == Set(testCase.lines))
        #expect(diff.changesStorage == testCase.changesStorage)
        #expect((Self.model.versionHashes() != model.versionHashes()) == testCase.changesStorage)
        let codes = (diff.obstacles + diff.consequences).map { String($0.code.rawValue.dropFirst("migration.".count)) }
        #expect(codes == testCase.review)
        #expect(diff.canBeInferred == diff.obstacles.isEmpty)
        #expect(diff.obstacles.allSatisfy { $0.severity == .error && $0.hint != nil })
        #expect(!diff.isEmpty)
    }

    @Test("a rename is followed across versions by its renaming identifier")
    func canonicalNames() {
        func version(_ name: String, _ identifier: String?) -> Model {
            Model(entities: [
                Entity(
                    name: "E",
                    attributes: [Attribute(name: name, type: .string, renamingIdentifier: identifier)]
                )
            ])
        }
        let (v1, v2, v3) = (version("a", nil), version("b", "a"), version("c", "a"))
        #expect(ModelDiff(from: v1, to: v3).lines == ["E.c: renamed from a, renaming identifier none → a"])
        #expect(ModelDiff(from: v2, to: v3).lines == ["E.c: renamed from b"])
        #expect(ModelDiff(from: v2, to: version("c", "b")).lines == ["E.c: renamed from b, renaming identifier a → b"])
        #expect(ModelDiff(from: v1, to: version("c", nil)).lines == ["E.c: attribute added", "E.a: attribute removed"])
    }

    @Test("two attributes that swap their names are both renamed")
    func swap() {
        func model(_ one: String?, _ two: String?) -> Model {
            Model(entities: [
                Entity(
                    name: "E",
                    attributes: [
                        Attribute(name: "a", type: .string, renamingIdentifier: one),
                        Attribute(name: "b", type: .string, renamingIdentifier: two),
                    ]
                )
            ])
        }
        let diff = ModelDiff(from: model(nil, nil), to: model("b", "a"))
        #expect(
            diff.lines == [
                "E.a: renamed from b, renaming identifier none → b",
                "E.b: renamed from a, renaming identifier none → a",
            ]
        )
    }

    @Test(
        "models that are identical or differ only in order have no diff",
        arguments: 1...50 as ClosedRange<UInt64>
    )
    func identical(seed: UInt64) {
        let model = RandomModel(seed: seed).model
        var reordered = model
        reordered.entities.reverse()
        for index in reordered.entities.indices { reordered.entities[index].attributes.reverse() }
        #expect(ModelDiff(from: model, to: model).isEmpty, "seed \(seed)")
        #expect(ModelDiff(from: model, to: reordered).isEmpty, "seed \(seed)")
        #expect(ModelDiff(from: model, to: reordered).obstacles.isEmpty, "seed \(seed)")
    }

    @Test("a diff changes storage exactly if the hashes differ", arguments: 1...400 as ClosedRange<UInt64>)
    func agreesWithHashes(seed: UInt64) {
        var random = RandomModel(seed: seed)
        let before = random.model
        for _ in 0..<Int(1 + seed % 6) {
            random.edit()
            let diff = ModelDiff(from: before, to: random.model)
            let hashesDiffer = before.versionHashes() != random.model.versionHashes()
            #expect(diff.changesStorage == hashesDiffer, "seed \(seed):\n\(diff)")
            if diff.isEmpty { #expect(diff.obstacles.isEmpty && diff.consequences.isEmpty, "seed \(seed)") }
            let back = ModelDiff(from: random.model, to: before)
            #expect(back.changesStorage == hashesDiffer, "seed \(seed), backwards:\n\(back)")
        }
    }

    @Test("even an invalid model has no diff with itself")
    func wrongModels() {
        let twins = [Entity(name: "A", parentName: "B"), Entity(name: "A", renamingIdentifier: "B")]
        let cycle = [Entity(name: "B", parentName: "C"), Entity(name: "C", parentName: "B", renamingIdentifier: "A")]
        let composites = [
            Composite(name: "X", attributes: [Attribute(name: "x", type: .composite("X"))]),
            Composite(name: "X", attributes: []),
        ]
        let doubled = Entity(
            name: "D",
            attributes: [
                Attribute(name: "a", type: .composite("X")), Attribute(name: "a", type: .composite("None")),
                Attribute(name: "b", type: .double, renamingIdentifier: "a"),
            ],
            relationships: [Relationship(name: "a", destinationName: "Nowhere", inverseName: "gone")]
        )
        let model = Model(entities: twins + cycle + [doubled], composites: composites)
        let diff = ModelDiff(from: model, to: model)
        #expect(diff.isEmpty && diff.canBeInferred && diff.consequences.isEmpty, "\(diff)")
    }

    @Test("an editor's own settings are not a difference")
    func extras() {
        var other = Self.model
        let setting = Extras(attributes: [XMLAttribute(name: "syncable", value: "YES")])
        other.extras = setting
        other.entities[1].extras = setting
        other.entities[1].attributes[0].extras = setting
        other.entities[1].relationships[0].extras = setting
        let diff = ModelDiff(from: Self.model, to: other)
        #expect(diff.isEmpty, "\(diff)")
    }

    @Test("storage lines list only changes of storage")
    func storageLines() {
        var other = Self.model
        other.entities[1].className = "PostObject"
        other.entities[1].isAbstract = true
        other.entities[1].attributes[0].defaultValue = "none"
        other.entities[1].attributes[1].type = .int64
        other.entities[1].attributes[1].isIndexed = true
        let diff = ModelDiff(from: Self.model, to: other)
        #expect(diff.entities.flatMap(\.storageLines) == ["Post: abstract no → yes", "Post.views: type Int32 → Int64"])
    }

    @Test("a cycle of parents is compared without endless recursion")
    func cycles() {
        let model = Model(entities: [Entity(name: "A", parentName: "B"), Entity(name: "B", parentName: "A")])
        #expect(ModelDiff(from: model, to: model).isEmpty)
        #expect(ModelDiff(from: model, to: Model()).lines == ["A: removed", "B: removed"])
    }
}
