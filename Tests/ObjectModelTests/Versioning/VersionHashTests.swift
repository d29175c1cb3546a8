// SPDX-License-Identifier: Apache-2.0

// Which changes affect a version hash, and which must not.

import ObjectModel
import Predicates
import Testing

@Suite struct VersionHashTests {
    static let blog = Model(
        entities: [
            Entity(name: "Item", isAbstract: true, attributes: [Attribute(name: "created", type: .date)]),
            Entity(
                name: "Post",
                parentName: "Item",
                attributes: [
                    Attribute(name: "title", type: .string),
                    Attribute(name: "place", type: .composite("Place"), isOptional: true),
                    Attribute(name: "extra", type: .transformable(transformer: nil), isOptional: true),
                    Attribute(name: "shout", type: .string, isOptional: true, derivation: "uppercase:(title)"),
                ],
                relationships: [
                    Relationship(
                        name: "tags",
                        destinationName: "Tag",
                        inverseName: "posts",
                        isToMany: true,
                        isOptional: true
                    )
                ],
                fetchedProperties: [
                    FetchedProperty(name: "similar", fetchRequest: FetchRequestTemplate(name: "s", entityName: "Post"))
                ],
                uniquenessConstraints: [["title", "created"]]
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
        ],
        composites: [
            Composite(
                name: "Place",
                attributes: [Attribute(name: "lat", type: .double), Attribute(name: "lon", type: .double)]
            )
        ]
    )

    @Test("version hashes are stable, because existing stores depend on them")
    func literalHashes() {
        let hashes = Self.blog.versionHashes().mapValues(\.hex)
        #expect(
            hashes == [
                "Item": "dbe991abe2b9c21cfa7f65fd58399d1518c5865ebefc993ec44f4e618347880c",
                "Post": "86c5f2d32f29a4245c15d1131f6735f29e5644189a9c39a1cf11dccfbf2054dc",
                "Tag": "4c3b50b0db67513904de4ac2a3ab4e02218451cadd8a7666393f3a1459350afb",
            ]
        )
        let checksum = "99eafac38d1959da51b72a15e3ce7f39d95b686fe4cb001969d72c79281855c9"
        #expect(Self.blog.versionChecksum.hex == checksum)
    }

    @Test("an entity's single hash equals its hash in the model's hashes")
    func singleHash() {
        for entity in Self.blog.entities {
            #expect(Self.blog.versionHash(of: entity) == Self.blog.versionHashes()[entity.name])
        }
    }

    @Test("the order of properties, entities and constraints doesn't affect the hashes")
    func order() {
        var model = Self.blog
        model.entities[1].attributes.reverse()
        model.entities[1].uniquenessConstraints = [["created", "title"]]
        model.composites[0].attributes.reverse()
        model.entities.reverse()
        #expect(model.versionHashes() == Self.blog.versionHashes())
        #expect(model.versionChecksum == Self.blog.versionChecksum)
    }

    struct Edit: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changed: Set<String>
        var edit: @Sendable (inout Model) -> Void

        init(_ name: String, changes changed: Set<String> = [], _ edit: @escaping @Sendable (inout Model) -> Void) {
            (testDescription, self.changed, self.edit) = (name, changed, edit)
        }
    }

    @Test(
        "a change affects a hash exactly if it affects the stored data",
        arguments: [
            Edit("name", changes: ["Post"]) { $0.entities[1].attributes[0].name = "headline" },
            Edit("optional", changes: ["Post"]) { $0.entities[1].attributes[0].isOptional = true },
            Edit("transient", changes: ["Post"]) { $0.entities[1].attributes[0].isTransient = true },
            Edit("type", changes: ["Tag"]) { $0.entities[2].attributes[0].type = .uri },
            Edit("transformer", changes: ["Post"]) {
                $0.entities[1].attributes[2].type = .transformable(transformer: "Colour")
            },
            Edit("composite's structure", changes: ["Post"]) { $0.composites[0].attributes[0].type = .float },
            Edit("derived no more", changes: ["Post"]) { $0.entities[1].attributes[3].derivation = nil },
            Edit("attribute's modifier", changes: ["Tag"]) { $0.entities[2].attributes[0].versionHashModifier = "2" },
            Edit("empty modifier", changes: ["Tag"]) { $0.entities[2].versionHashModifier = "" },
            Edit("parent's property", changes: ["Item", "Post"]) { $0.entities[0].attributes[0].isOptional = true },
            Edit("abstract", changes: ["Item", "Post"]) { $0.entities[0].isAbstract = false },
            Edit("parent", changes: ["Post"]) { $0.entities[1].parentName = nil },
            Edit("destination", changes: ["Tag"]) { $0.entities[2].relationships[0].destinationName = "Item" },
            Edit("inverse", changes: ["Tag"]) { $0.entities[2].relationships[0].inverseName = nil },
            Edit("to-many", changes: ["Tag"]) { $0.entities[2].relationships[0].isToMany = false },
            Edit("ordered", changes: ["Tag"]) { $0.entities[2].relationships[0].isOrdered = true },
            Edit("least count", changes: ["Tag"]) { $0.entities[2].relationships[0].minimumCount = 1 },
            Edit("greatest count", changes: ["Tag"]) { $0.entities[2].relationships[0].maximumCount = 9 },
            Edit("constraint", changes: ["Post"]) { $0.entities[1].uniquenessConstraints = [["title"], ["created"]] },
            Edit("fetched property", changes: ["Post"]) { $0.entities[1].fetchedProperties = [] },
            Edit("no bound and a bound of none") { $0.entities[2].relationships[0].maximumCount = 0 },
            Edit("composite's name") {
                $0.composites[0].name = "Spot"
                $0.entities[1].attributes[1].type = .composite("Spot")
            },
            Edit("derivation's text") { $0.entities[1].attributes[3].derivation = "uppercase( title )" },
            Edit("default") { $0.entities[1].attributes[0].defaultValue = "?" },
            Edit("validation") {
                $0.entities[1].attributes[0].maximumLength = 10
                $0.entities[1].attributes[0].regularExpression = ".*"
            },
            Edit("indexes") {
                $0.entities[1].attributes[0].isIndexed = true
                $0.entities[1].fetchIndexes = [FetchIndex(name: "i", elements: [.init(.property("title"))])]
                $0.entities[1].compoundIndexes = [["title"]]
            },
            Edit("class, user info and renaming identifiers") {
                $0.entities[1].className = "Article"
                $0.entities[1].renamingIdentifier = "Article"
                $0.entities[1].userInfo = ["a": "b"]
                $0.entities[1].relationships[0].renamingIdentifier = "labels"
            },
            Edit("delete rule") { $0.entities[2].relationships[0].deleteRule = .deny },
        ]
    )
    func inputs(edit: Edit) {
        var model = Self.blog
        edit.edit(&model)
        let (before, after) = (Self.blog.versionHashes(), model.versionHashes())
        #expect(Set(before.keys.filter { before[$0] != after[$0] }) == edit.changed)
        #expect((model.versionChecksum == Self.blog.versionChecksum) == edit.changed.isEmpty)
    }

    @Test("adjacent texts in a hash are delimited")
    func borders() {
        func hash(_ name: String, _ modifier: String?) -> VersionHash {
            let model = Model(entities: [Entity(name: name, versionHashModifier: modifier)])
            return model.versionHash(of: model.entities[0])
        }
        #expect(Set([hash("ab", "c"), hash("a", "bc"), hash("abc", ""), hash("abc", nil)]).count == 4)
    }

    @Test("the hashes of a parent cycle don't depend on the order of entities")
    func parentCycle() {
        let model = Model(entities: [
            Entity(name: "A", parentName: "B"), Entity(name: "B", parentName: "A"), Entity(name: "C", parentName: "A"),
            Entity(name: "D", parentName: "D"), Entity(name: "E", parentName: "Nobody"),
        ])
        let hashes = model.versionHashes()
        #expect(Set(hashes.values).count == 5)
        for entity in model.entities {
            #expect(model.versionHash(of: entity) == hashes[entity.name])
        }
        var reversed = model
        reversed.entities.reverse()
        #expect(reversed.versionHashes() == hashes)
    }

    @Test("a cycle of composites has a hash")
    func compositeCycle() {
        let model = Model(
            entities: [Entity(name: "E", attributes: [Attribute(name: "a", type: .composite("X"))])],
            composites: [
                Composite(name: "X", attributes: [Attribute(name: "y", type: .composite("Y"))]),
                Composite(name: "Y", attributes: [Attribute(name: "x", type: .composite("X"))]),
            ]
        )
        #expect(model.versionHashes().count == 1)
    }

    @Test("a chain of 20,000 parents is hashed without recursion")
    func deepHierarchy() {
        let model = Model(
            entities: (0..<20_000).map { Entity(name: "E\($0)", parentName: $0 == 0 ? nil : "E\($0 - 1)") }.reversed()
        )
        #expect(Set(model.versionHashes().values).count == 20_000)
    }
}
