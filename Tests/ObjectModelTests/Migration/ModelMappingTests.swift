// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectModel
import Predicates
import Testing

@Suite("Mappings between versions of a model")
struct ModelMappingTests {
    /// The source of each attribute; an empty name if there is none.
    private func sources(_ mapping: EntityMapping?) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (mapping?.attributes ?? []).map { ($0.name, $0.source ?? "") })
    }

    @Test("a version is mapped to itself by name, for each concrete entity and all that it inherits")
    func same() {
        let model = Model {
            Entity("Thing", isAbstract: true) {
                Attribute("name", .string)
                Attribute("cache", .string).optional().transient()
            }
            Entity("Book", parent: "Thing") {
                Attribute("pages", .int16).default(0)
                Relationship("author", toOne: "Author", inverse: "books").optional()
            }
            Entity("Author", parent: "Thing") {
                Relationship("books", toMany: "Book", inverse: "author").optional()
            }
        }
        let mapping = ModelMapping(from: model, to: model)
        #expect(mapping.entities.map(\.name) == ["Book", "Author"])
        #expect(mapping.entities.map(\.source) == ["Book", "Author"])
        #expect(mapping.removed.isEmpty)
        #expect(sources(mapping["Book"]) == ["name": "name", "pages": "pages"])
        #expect(mapping["Book"]?.attributes.map(\.fallback) == [.null, .null])
        #expect(mapping["Author"]?.relationship(named: "books")?.source == "books")
    }

    @Test("renaming identifiers are followed, also where names are exchanged")
    func renamed() {
        let old = Model {
            Entity("Person") {
                Attribute("first", .string)
                Attribute("last", .string)
                Relationship("friends", toMany: "Person").optional()
            }
            Entity("Pet") { Attribute("name", .string) }
        }
        let new = Model {
            Entity("User", renamedFrom: "Person") {
                Attribute("first", .string).renamed(from: "last")
                Attribute("last", .string).renamed(from: "first")
                Relationship("contacts", toMany: "User").optional().renamed(from: "friends")
            }
        }
        let mapping = ModelMapping(from: old, to: new)
        #expect(mapping["User"]?.source == "Person")
        #expect(sources(mapping["User"]) == ["first": "last", "last": "first"])
        #expect(mapping["User"]?.relationship(named: "contacts")?.source == "friends")
        #expect(mapping.removed == ["Pet"])
    }

    @Test("properties keep their values where they move up or down a hierarchy, or the parent changes")
    func moved() {
        let old = Model {
            Entity("Car") {
                Attribute("wheels", .int16).default(4)
                Attribute("brand", .string)
            }
            Entity("Truck", parent: "Car") { Attribute("load", .double).optional() }
        }
        let new = Model {
            Entity("Vehicle", isAbstract: true) { Attribute("wheels", .int32).default(4) }
            Entity("Car", parent: "Vehicle") { Attribute("brand", .string) }
            Entity("Truck", parent: "Vehicle") {
                Attribute("brand", .string)
                Attribute("weight", .double).optional().renamed(from: "load")
                Attribute("axles", .int16).default(2)
            }
        }
        let mapping = ModelMapping(from: old, to: new)
        #expect(sources(mapping["Car"]) == ["wheels": "wheels", "brand": "brand"])
        #expect(
            sources(mapping["Truck"]) == [
                "wheels": "wheels", "brand": "brand", "weight": "load",
                "axles": "",
            ]
        )
        #expect(mapping["Truck"]?.attribute(named: "axles")?.fallback == 2)
    }

    @Test("values come from attributes only, and an optional attribute keeps nil")
    func kinds() {
        let old = Model {
            Entity("Post") {
                Attribute("author", .string).optional()
                Attribute("views", .int16).optional()
                Attribute("rank", .int16).optional()
            }
        }
        let new = Model {
            Entity("Post") {
                Attribute("views", .int64).default(7)
                Attribute("rank", .int16).optional().default(1)
                Attribute("size", .int64).optional().derived("tags.@count")
                Relationship("author", toOne: "User").optional()
                Relationship("tags", toMany: "User").optional()
            }
            Entity("User") { Attribute("name", .string) }
        }
        let mapping = ModelMapping(from: old, to: new)
        #expect(mapping["User"]?.source == nil)
        #expect(
            sources(mapping["Post"]) == [
                "views": "views", "rank": "rank", "size": "",
            ]
        )
        #expect(mapping["Post"]?.attribute(named: "views")?.fallback == 7)
        #expect(mapping["Post"]?.attribute(named: "rank")?.fallback == .null)
        #expect(mapping["Post"]?.relationships.map(\.source) == [nil, nil])
    }

    @Test("types are converted where each value has a counterpart")
    func conversions() throws {
        let uuid = UUID()
        for (value, old, new, expected) in [
            (5, .int16, .int64, 5), (5, .int64, .decimal, .decimal(5)), (5, .int32, .double, .double(5)),
            (.bool(true), .bool, .int16, 1), (5, .int64, .string, "5"),
            (.uuid(uuid), .uuid, .string, .string(uuid.uuidString)),
            (.uri("a:b"), .uri, .string, "a:b"), (.null, .int16, .string, .null),
        ] as [(Value, AttributeType, AttributeType, Value)] {
            #expect(old.isConvertible(to: new))
            #expect(old.converted(value, to: new) == expected)
        }
        for (old, new) in [
            (.int64, .int32), (.int64, .double), (.string, .uri), (.string, .int64), (.decimal, .double),
            (.date, .double),
            (.binary, .string),
        ] as [(AttributeType, AttributeType)] { #expect(!old.isConvertible(to: new)) }
    }
}
