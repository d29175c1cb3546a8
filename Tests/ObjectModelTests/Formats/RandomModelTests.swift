// SPDX-License-Identifier: Apache-2.0

// Random models, which must be unchanged after writing and reading in both formats.

import FoundationEssentials
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Random models")
struct RandomModelTests {
    @Test("a random model is unchanged after writing and reading XML and JSON", arguments: 1...100)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let model = RandomModelMaker().model(&generator)
        let contents = try ModelVersion(contents: model.contents())
        #expect(contents.issues == [], "seed \(seed)")
        #expect(contents.model == model, "seed \(seed)")
        let json = try ModelFile(json: model.json()).current
        #expect(json.issues == [], "seed \(seed)")
        #expect(json.model == model, "seed \(seed)")
    }
}

private struct RandomModelMaker {
    private let texts = ["", "a", "a b", "Ärger\n\t\"<&>'", "YES", "0", "-x", "[a].b?", "String", "日本"]

    func model(_ random: inout SeededGenerator) -> Model {
        let identifier = text(&random)
        return Model(
            entities: named("Entity", 4, &random) { entity($0, &$1) },
            composites: named("Composite", 2, &random) { name, random in
                Composite(name: name, attributes: named("part", 3, &random) { attribute($0, &$1) })
            },
            configurations: named("Configuration", 2, &random) { name, random in
                Configuration(name: name, entityNames: maybe(&random) { list(&$0) } ?? [])
            },
            fetchRequestTemplates: named("request", 3, &random) { request($0, &$1) },
            versionIdentifiers: identifier.isEmpty ? [] : [identifier]
        )
    }

    private func entity(_ name: String, _ random: inout SeededGenerator) -> Entity {
        Entity(
            name: name,
            className: maybe(&random) { _ in ".Class" },
            isAbstract: .random(using: &random),
            parentName: maybe(&random) { _ in "Entity1" },
            attributes: named("attribute", 6, &random) { attribute($0, &$1) },
            relationships: named("relationship", 4, &random) { relationship($0, &$1) },
            fetchedProperties: named("fetched", 2, &random) { name, random in
                FetchedProperty(
                    name: name,
                    fetchRequest: request(maybe(&random) { _ in "own" } ?? "fetchedPropertyFetchRequest", &random),
                    isOptional: .random(using: &random),
                    userInfo: userInfo(&random)
                )
            },
            fetchIndexes: named("index", 3, &random) { name, random in
                FetchIndex(
                    name: name,
                    elements: named("", 3, &random) { indexElement("p" + $0, &$1) },
                    partialPredicate: maybe(&random) { text(&$0) }
                )
            },
            compoundIndexes: named("", 2, &random) { list(&$1) },
            uniquenessConstraints: named("", 2, &random) { list(&$1) },
            userInfo: userInfo(&random),
            renamingIdentifier: maybe(&random) { text(&$0) },
            versionHashModifier: maybe(&random) { text(&$0) }
        )
    }

    private func attribute(_ name: String, _ random: inout SeededGenerator) -> Attribute {
        var types = AttributeType.named.map(\.type)
        types += [.composite("Composite1"), .composite("String"), .composite("Gone"), .transformable(transformer: "T")]
        let type = types.randomElement(using: &random) ?? .string
        var attribute = Attribute(
            name: name,
            type: type,
            isOptional: .random(using: &random),
            isTransient: .random(using: &random),
            defaultValue: maybe(&random) { value(of: type, &$0) } ?? nil,
            allowsExternalStorage: .random(using: &random),
            isPreservedAfterDeletion: .random(using: &random),
            isSearchIndexed: .random(using: &random),
            isIndexed: .random(using: &random),
            userInfo: userInfo(&random),
            renamingIdentifier: maybe(&random) { text(&$0) },
            versionHashModifier: maybe(&random) { text(&$0) }
        )
        attribute.derivation = maybe(&random) { _ in "now()" }
        if type == .string {
            attribute.minimumLength = maybe(&random) { Int.random(in: 0...9, using: &$0) }
            attribute.maximumLength = maybe(&random) { Int.random(in: 0...9, using: &$0) }
            attribute.regularExpression = maybe(&random) { text(&$0) }
        } else if type != .uri, type != .uuid, type != .binary, type != .bool {
            attribute.minimumValue = maybe(&random) { value(of: type, &$0) } ?? nil
            attribute.maximumValue = maybe(&random) { value(of: type, &$0) } ?? nil
        }
        return attribute
    }

    private func value(of type: AttributeType, _ random: inout SeededGenerator) -> Value? {
        let bits = UInt64.random(in: 0...UInt64.max, using: &random)
        let double = Double(Int64(bitPattern: bits)) / Double(1 << (bits % 63))
        return switch type {
        case .int16: .integer(Int64(Int16(truncatingIfNeeded: bits)))
        case .int32: .integer(Int64(Int32(truncatingIfNeeded: bits)))
        case .int64: .integer(Int64(bitPattern: bits))
        case .double, .float: .double(double)
        case .decimal: Decimal(string: "\(Int64(bitPattern: bits))\(bits).\(bits % 1000)").map(Value.decimal)
        case .string: .string(text(&random))
        case .uri: .uri("x:" + text(&random))
        case .bool: .bool(bits % 2 == 0)
        case .date: .date(Date(timeIntervalSinceReferenceDate: bits % 2 == 0 ? double : double.rounded()))
        case .binary: .data(Data([1, 2, UInt8(truncatingIfNeeded: bits)]))
        case .uuid:
            UUID(uuidString: "00000000-0000-0000-0000-\(100_000_000_000 + bits % 900_000_000_000)").map(Value.uuid)
        case .transformable, .composite, .objectID, .undefined: nil
        }
    }

    private func relationship(_ name: String, _ random: inout SeededGenerator) -> Relationship {
        let isToMany = Bool.random(using: &random)
        return Relationship(
            name: name,
            destinationName: "Entity\(Int.random(in: 1...3, using: &random))",
            inverseName: maybe(&random) { _ in "relationship1" },
            isToMany: isToMany,
            isOrdered: rarely(&random),
            isOptional: .random(using: &random),
            isTransient: rarely(&random),
            minimumCount: rarely(&random) ? 2 : nil,
            maximumCount: isToMany && rarely(&random) ? 7 : nil,
            deleteRule: DeleteRule.allCases.randomElement(using: &random) ?? .nullify,
            userInfo: rarely(&random) ? userInfo(&random) : [:]
        )
    }

    private func request(_ name: String, _ random: inout SeededGenerator) -> FetchRequestTemplate {
        FetchRequestTemplate(
            name: name,
            entityName: "Entity1",
            predicate: maybe(&random) { text(&$0) },
            resultType: FetchRequestTemplate.ResultType.allCases.randomElement(using: &random),
            fetchLimit: maybe(&random) { Int.random(in: 0...100, using: &$0) },
            fetchBatchSize: maybe(&random) { Int.random(in: 0...100, using: &$0) },
            includesSubentities: maybe(&random) { .random(using: &$0) },
            includesPropertyValues: maybe(&random) { .random(using: &$0) },
            includesPendingChanges: maybe(&random) { .random(using: &$0) },
            returnsObjectsAsFaults: maybe(&random) { .random(using: &$0) },
            returnsDistinctResults: maybe(&random) { .random(using: &$0) }
        )
    }

    private func indexElement(_ name: String, _ random: inout SeededGenerator) -> FetchIndex.Element {
        let type = maybe(&random) { _ in AttributeType.int64 }
        return FetchIndex.Element(
            rarely(&random) ? .expression("lowercase:(x)", type: type) : .property((rarely(&random) ? "-" : "") + name),
            kind: rarely(&random) ? .rTree : .binary,
            isAscending: .random(using: &random)
        )
    }

    private func userInfo(_ random: inout SeededGenerator) -> UserInfo {
        UserInfo(named("key", 2, &random) { UserInfo.Entry(key: $0, value: text(&$1)) })
    }

    private func list(_ random: inout SeededGenerator) -> [String] {
        named("item", 3, &random) { name, _ in name }
    }

    private func text(_ random: inout SeededGenerator) -> String {
        texts.randomElement(using: &random) ?? ""
    }

    private func rarely(_ random: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<5, using: &random) == 0
    }

    private func maybe<Thing>(
        _ random: inout SeededGenerator,
        _ make: (inout SeededGenerator) -> Thing
    ) -> Thing? {
        Bool.random(using: &random) ? make(&random) : nil
    }

    private func named<Thing>(
        _ name: String,
        _ limit: Int,
        _ random: inout SeededGenerator,
        _ make: (String, inout SeededGenerator) -> Thing
    ) -> [Thing] {
        (0..<Int.random(in: 0...limit, using: &random)).map { make("\(name)\($0)", &random) }
    }
}
