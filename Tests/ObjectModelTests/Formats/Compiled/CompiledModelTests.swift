// SPDX-License-Identifier: Apache-2.0

// Compiled models: compilable models are read back unchanged, all others are refused.

import Compression
import FoundationEssentials
import ObjectModel
import Predicates
import PropertyList
import TestSupport
import Testing

@Suite("Compiled models")
struct CompiledModelTests {
    @Test("a compiled model preserves everything that the engine needs")
    func roundTrip() throws {
        let model = try ModelVersion(contents: Array(everything.utf8)).model
        for bytes in [try model.compiled(), try model.compiledForStore()] {
            let version = try ModelVersion(compiled: bytes)
            #expect(version.issues == [])
            #expect(version.model == model.compilable)
        }
        #expect(try model.compiled() == model.compiled())
    }

    @Test("a compiled empty model is an empty model")
    func empty() throws {
        #expect(try Model(compiled: Model().compiled()) == Model())
    }

    @Test("a compiled model separates an entity's own properties from the inherited ones")
    func inheritance() throws {
        let model = Model(entities: [
            Entity(name: "A", attributes: [Attribute(name: "a", type: .string)]),
            Entity(name: "B", parentName: "A", attributes: [Attribute(name: "b", type: .string)]),
            Entity(name: "C", parentName: "B", attributes: [Attribute(name: "c", type: .string)]),
        ])
        #expect(try Model(compiled: model.compiled()) == model)
        let archive = try KeyedArchive(parsing: model.compiled())
        let entities = try #require(archive.root.object?["NSEntities"]?.object?["values"]?.members)
        let keys = entities.map { $0.object?["NSProperties"]?.dictionary?.compactMap(\.key.string) }
        #expect(keys == [["a"], ["a", "b"], ["a", "b", "c"]])
    }

    @Test(
        "a compiled predicate is read back as its canonical text",
        arguments: [
            ("a = 1", "a == 1"), ("NOT a != nil OR b < 1.5 AND c >= 2", "NOT a != nil OR b < 1.5 AND c >= 2"),
            ("ANY tags.name BEGINSWITH[cd] $x", "ANY tags.name BEGINSWITH[cd] $x"),
            ("ALL n BETWEEN {1, 2}", "ALL n BETWEEN {1, 2}"), ("a IN {'x', 'y'}", #"a IN {"x", "y"}"#),
            ("a MATCHES 'x+' AND b LIKE '*y' AND c CONTAINS 'z'", nil), ("posts.@count > 3", "posts.@count > 3"),
            ("count:(posts) > 3", "posts.@count > 3"), ("posts.@sum.views > a * 2 + 1", nil),
            ("SUBQUERY(posts, $p, $p.a == SELF).@count > 0", nil), ("a.b[FIRST] == c[0]", nil),
            ("CAST(a, 'NSDate') < now()", nil), ("TERNARY(a == 1, b, c) == d", nil), ("a UNION b == c", nil),
            ("TRUEPREDICATE", "TRUEPREDICATE"), ("NOT FALSEPREDICATE", nil), ("a IN {b, 1, $c}", nil),
            ("d == CAST(5, 'NSDate')", nil), ("uppercase:(a) == $FETCH_SOURCE.b.c", nil),
        ] as [(String, String?)]
    )
    func predicates(text: String, expected: String?) throws {
        var model = Model(entities: [Entity(name: "E")])
        model.fetchRequestTemplates = [FetchRequestTemplate("t", entity: "E", predicate: text)]
        let version = try ModelVersion(compiled: model.compiled())
        #expect(version.issues == [])
        let canonical = try ObjectPredicate(template: text).description
        #expect(version.model.fetchRequestTemplates[0].predicate == expected ?? canonical)
    }

    @Test("a compiled model preserves default values of all types")
    func defaults() throws {
        let values: [(AttributeType, Value)] = [
            (.int16, -5), (.int32, 70_000), (.int64, .integer(.min)), (.double, 0.1), (.float, -0.5), (.bool, true),
            (.decimal, .decimal(try #require(Decimal(string: "-12345678901234567890.125")))), (.string, "ä"),
            (.date, .date(Date(timeIntervalSinceReferenceDate: 1.5))), (.binary, .data(Data([1, 2]))),
            (.uuid, .uuid(try #require(UUID(uuidString: "3F2504E0-4F89-11D3-9A0C-0305E82C3301")))),
            (.uri, .uri("x:y z")),
        ]
        let attributes = values.enumerated().map { number, value in
            Attribute(name: "a\(Character(Unicode.Scalar(UInt8(97 + number))))", type: value.0, defaultValue: value.1)
        }
        let model = Model(entities: [Entity(name: "E", attributes: attributes)])
        let version = try ModelVersion(compiled: model.compiled())
        #expect(version.issues == [])
        #expect(version.model == model)
    }

    @Test("nested and repeated composites are compiled, and a cycle of composites is refused")
    func composites() throws {
        let point = Composite(name: "Point", attributes: [Attribute(name: "x", type: .double)])
        let box = Composite(name: "Box", attributes: [Attribute(name: "corner", type: .composite("Point"))])
        let attributes = ["a", "b"].map { Attribute(name: $0, type: .composite("Box")) }
        let model = Model(entities: [Entity(name: "E", attributes: attributes)], composites: [box, point])
        #expect(try Model(compiled: model.compiled()) == model)
        var circle = model
        circle.composites[1].attributes[0].type = .composite("Box")
        let error = #expect(throws: ModelError.self) { try circle.compiled() }
        #expect(error?.code == .unwritable && error?.place.entity == "E" && error?.place.property == "a")
    }

    @Test("each index is read once, though Core Data archives some as several kinds")
    func indexes() throws {
        let elements = [FetchIndex.Element(.property("a")), FetchIndex.Element(.expression("entity", type: nil))]
        let entity = Entity(
            name: "E",
            attributes: [
                Attribute(name: "a", type: .int16, isIndexed: true),
                Attribute(name: "b", type: .int16, isIndexed: true),
            ],
            fetchIndexes: [
                FetchIndex(name: "byA", elements: [FetchIndex.Element(.property("a"))]),
                FetchIndex(name: "byKind", elements: elements, partialPredicate: "a > 1"),
            ],
            compoundIndexes: [["a", "b"]]
        )
        let model = Model(entities: [entity])
        #expect(try Model(compiled: model.compiled()) == model)
        var doubled = model
        doubled.entities[0].compoundIndexes.append(["a", "entity"])
        #expect(try Model(compiled: doubled.compiled()) == model)
    }

    @Test("an index over a to-many relationship is left out with a note")
    func toManyIndex() throws {
        let entity = Entity(
            name: "E",
            attributes: [Attribute(name: "a", type: .int16)],
            relationships: [Relationship(name: "r", destinationName: "E", isToMany: true)],
            fetchIndexes: [
                FetchIndex(name: "byR", elements: [FetchIndex.Element(.property("r"))]),
                FetchIndex(
                    name: "both",
                    elements: [FetchIndex.Element(.property("r")), FetchIndex.Element(.property("a"))]
                ),
            ]
        )
        let version = try ModelVersion(compiled: Model(entities: [entity]).compiled())
        let rest = FetchIndex(name: "both", elements: [FetchIndex.Element(.property("a"))])
        #expect(version.model.entities[0].fetchIndexes == [rest])
        #expect(version.issues.map(\.code) == [.modelLeftOut, .modelLeftOut])
    }

    @Test(
        "compiling a contradictory model fails",
        arguments: [
            (Model(entities: [Entity(name: "A"), Entity(name: "A")]), "Two entities have the name “A”"),
            (Model(entities: [Entity(name: "A", parentName: "A")]), "The entity has no root"),
            (Model(entities: [Entity(name: "A", parentName: "B")]), "The entity has no root"),
            (
                Model(entities: [
                    Entity(name: "A", attributes: [Attribute(name: "a", type: .bool, derivation: "a +")])
                ]), "The expression “a +” can't be compiled"
            ),
            (
                Model(entities: [
                    Entity(
                        name: "A",
                        attributes: [Attribute(name: "a", type: .bool), Attribute(name: "a", type: .bool)]
                    )
                ]), "Two properties have the name “a”"
            ),
            (
                Model(fetchRequestTemplates: [FetchRequestTemplate("t", entity: "A", predicate: "a == %@")]),
                "“%@” has no value"
            ),
        ]
    )
    func refusals(model: Model, message: String) {
        let error = #expect(throws: ModelError.self) { try model.compiled() }
        #expect(error?.code == .unwritable)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test("unsupported parts of a compiled model are left out and reported")
    func leftOut() throws {
        var builder = KeyedArchiveBuilder()
        let path = builder.add(class: ["NSKeyPathSpecifierExpression", "NSObject"], [("NSKeyPath", builder.add("x"))])
        let own = builder.add(class: ["NSSelfExpression", "NSObject"], [])
        let comparison = builder.add(
            class: ["NSComparisonPredicate", "NSObject"],
            [
                ("NSLeftExpression", own),
                ("NSRightExpression", builder.add(class: ["NSBlockExpression", "NSObject"], [])),
                (
                    "NSPredicateOperator",
                    builder.add(
                        class: ["NSEqualityPredicateOperator", "NSObject"],
                        [
                            ("NSOperatorType", 4)
                        ]
                    )
                ),
            ]
        )
        let attribute = builder.add(
            class: ["NSAttributeDescription", "NSPropertyDescription", "NSObject"],
            [
                ("NSAttributeType", 12), ("NSPropertyName", builder.add("a")), ("NSDefaultValue", path),
                ("NSValidationPredicates", builder.add(array: [comparison])),
                ("NSUserInfo", builder.add(dictionary: [(builder.add("k"), builder.add(.integer(1)))])),
            ]
        )
        let bytes = Self.model(&builder, properties: [("a", attribute)])
        let version = try ModelVersion(compiled: bytes)
        #expect(version.model.entities == [Entity(name: "E", attributes: [Attribute(name: "a", type: .undefined)])])
        #expect(version.issues.allSatisfy { $0.code == .modelLeftOut && $0.place.property == "a" })
        #expect(
            version.issues.map(\.message) == [
                "The attribute has the unknown type 12, and is read as one without a type.",
                "The user info's value for “k” isn't a text, and is ignored.",
                "The default value isn't a valid Undefined, and is ignored.",
                "A validation predicate can't be read: The expression NSBlockExpression is unknown.",
            ]
        )
    }

    @Test("cyclic predicates and composites in a compiled model are left out")
    func circles() throws {
        var builder = KeyedArchiveBuilder()
        let predicate = builder.reserve()
        builder.fill(
            predicate,
            class: ["NSCompoundPredicate", "NSObject"],
            [("NSCompoundPredicateType", 1), ("NSSubpredicates", builder.add(array: [predicate, predicate]))]
        )
        let attribute = builder.reserve()
        builder.fill(
            attribute,
            class: ["NSCompositeAttributeDescription", "NSAttributeDescription", "NSObject"],
            [
                ("NSAttributeType", 2100), ("NSPropertyName", builder.add("a")),
                ("NSValidationPredicates", builder.add(array: [predicate])),
                ("NSElements", builder.add(array: [attribute, attribute])),
            ]
        )
        let version = try ModelVersion(compiled: Self.model(&builder, properties: [("a", attribute)]))
        #expect(version.issues.contains { $0.message.hasSuffix("It is too complex.") })
        #expect(version.issues.contains { $0.message.contains("nested too deeply") })
        #expect(version.model.entities.count == 1)
    }

    @Test("a compiled model that expands beyond the size limit is refused")
    func size() throws {
        var builder = KeyedArchiveBuilder()
        let text = builder.add("x")
        let list = builder.add(array: Array(repeating: text, count: 2000))
        let lists = builder.add(array: Array(repeating: list, count: 2000))
        let bytes = Self.model(&builder, properties: [], [("NSUniqueTuples", lists)])
        let error = #expect(throws: ModelError.self) { try Model(compiled: bytes) }
        #expect(error?.message == "The compiled model is too large.")
    }

    @Test("bytes that aren't a compiled model are refused")
    func otherBytes() throws {
        func code(_ bytes: [UInt8]) -> ModelError.Code? {
            #expect(throws: ModelError.self) { try Model(compiled: bytes) }?.code
        }
        #expect(code([]) == .syntax)
        #expect(code(Array("hello".utf8)) == .syntax)
        #expect(code(Array("bplist00".utf8)) == .syntax)
        #expect(code((["a": 1] as PropertyListValue).binary()) == .notAModel)
        var builder = KeyedArchiveBuilder()
        let root = builder.add("text")
        #expect(code(builder.archive(root: root).binary()) == .notAModel)
        #expect(code(try [UInt8](repeating: 0, count: 65 << 20).deflated(level: 1)) == .syntax)
    }

    @Test(
        "a compiled model with randomly changed bytes is read or refused without a crash",
        arguments: SeededGenerator.seeds(10)
    )
    func mutations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let model = try ModelVersion(contents: Array(everything.utf8)).model
        let originals = [try model.compiled(), try model.compiledForStore()]
        var read = 0
        for round in 0..<60 {
            var bytes = originals[round % 5 == 0 ? 1 : 0]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let version = try? ModelVersion(compiled: bytes) else { continue }
            read += 1
            // Any model that was read can be checked, and compiled again if it is sound.
            _ = version.model.issues()
            if let again = try? version.model.compiled() { _ = try Model(compiled: again) }
        }
        #expect(read > 0)
    }

    /// A model of one entity, `E`.
    private static func model(
        _ builder: inout KeyedArchiveBuilder,
        properties: [(String, PropertyListValue)],
        _ more: [(String, PropertyListValue)] = []
    ) -> [UInt8] {
        let entries = properties.map { (builder.add($0.0), $0.1) }
        let entity = builder.add(
            class: ["NSEntityDescription", "NSObject"],
            [("NSEntityName", builder.add("E")), ("NSProperties", builder.add(dictionary: entries))] + more
        )
        let entities = builder.add(dictionary: [(builder.add("E"), entity)])
        let root = builder.add(class: ["NSManagedObjectModel", "NSObject"], [("NSEntities", entities)])
        return builder.archive(root: root).binary()
    }
}
