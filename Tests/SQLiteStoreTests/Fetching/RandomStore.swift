// SPDX-License-Identifier: Apache-2.0

// A store of a random model with random rows: nils, ties, extremes, text of all kinds, dangling references.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import TestSupport

@testable import SQLiteStore

struct RandomStore {
    let store: SQLiteStore
    let model: ManagedObjectModel
    var objects: [ManagedObjectID] = []

    init(_ random: inout SeededGenerator, in folder: String) throws {
        model = try ManagedObjectModel(Self.model(&random))
        store = try SQLiteStore(path: folder + "/Random.sqlite", model: model)
        try fill(&random)
        try tearHoles(&random)
    }

    // MARK: Model

    static let types: [AttributeType] = [
        .int16, .int32, .int64, .decimal, .double, .float, .string, .bool, .date, .binary, .uuid, .uri, .string,
        .decimal,
    ]

    private static func model(_ random: inout SeededGenerator) -> Model {
        var entities: [Entity] = []
        var names = ["Alpha", "Delta", "Epsilon"]
        for name in names { entities.append(entity(name, nil, &random)) }
        if random.chance(70) {
            entities.append(entity("Beta", "Alpha", &random))
            names.append("Beta")
            if random.chance(50) {
                entities.append(entity("Gamma", random.chance(50) ? "Beta" : "Alpha", &random))
                names.append("Gamma")
            }
        }
        for number in 0..<Int.random(in: 3...7, using: &random) {
            let (one, other) = (
                Int.random(in: 0..<entities.count, using: &random), Int.random(in: 0..<entities.count, using: &random)
            )
            let (name, back) = ("r\(number)", "s\(number)")
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                var many = Relationship(back, toMany: names[one], inverse: name)
                if random.chance(50) { many = many.ordered() }
                entities[one].relationships.append(Relationship(name, toOne: names[other], inverse: back).optional())
                entities[other].relationships.append(many)
            case 2:
                entities[one].relationships.append(Relationship(name, toOne: names[other], inverse: back).optional())
                entities[other].relationships.append(Relationship(back, toOne: names[one], inverse: name).optional())
            case 3, 4:
                let (isOrdered, isBackOrdered) = (random.chance(40), random.chance(40))
                let many = Relationship(name, toMany: names[other], inverse: back)
                let more = Relationship(back, toMany: names[one], inverse: name)
                entities[one].relationships.append(isOrdered ? many.ordered() : many)
                entities[other].relationships.append(isBackOrdered ? more.ordered() : more)
            default:
                if random.chance(50) {
                    entities[one].relationships.append(Relationship(name, toMany: names[one], inverse: name))
                } else {
                    entities[one].relationships.append(Relationship(name, toMany: names[other]))
                    entities[other].relationships.append(Relationship(back, toOne: names[one]).optional())
                }
            }
        }
        return Model {
            Composite("Point") {
                Attribute("x", .double).optional()
                Attribute("label", .string).optional()
            }
            entities
        }
    }

    private static func entity(_ name: String, _ parent: String?, _ random: inout SeededGenerator) -> Entity {
        var attributes: [Attribute] = []
        for number in 0..<Int.random(in: 3...8, using: &random) {
            let type = types.randomElement(using: &random) ?? .string
            attributes.append(Attribute("\(name.lowercased())\(number)", type).optional())
        }
        attributes.append(Attribute("\(name.lowercased())Name", .string).optional())
        if random.chance(50) {
            let derivation = "canonical:(\(name.lowercased())Name)"
            attributes.append(Attribute("\(name.lowercased())Plain", .string).optional().derived(derivation))
        }
        if random.chance(40) {
            attributes.append(Attribute("\(name.lowercased())Point", .composite("Point")).optional())
        }
        let indexed = attributes.filter { !$0.isDerived && $0.type != .composite("Point") }
        let chosen = indexed.filter { _ in random.chance(40) }
        return Entity(name, parent: parent) {
            attributes
            for attribute in chosen { FetchIndex("by\(attribute.name)", .ascending(attribute.name)) }
        }
    }

    // MARK: Rows

    private mutating func fill(_ random: inout SeededGenerator) throws {
        var request = StoreSaveRequest()
        var rows: [ManagedObjectID: Row] = [:]
        for entity in model.entities {
            let count = Int.random(in: 0...14, using: &random)
            objects += try store.permanentIDs(for: Array(repeating: entity, count: count))
        }
        for objectID in objects {
            let values = objectID.entity.attributes.map { attribute in
                attribute.isDerived ? .null : RandomValues.value(of: attribute, &random)
            }
            rows[objectID] = Row(attributes: values, toOnes: objectID.entity.toOnes.map { _ in nil })
        }
        for objectID in objects {
            for relationship in objectID.entity.relationships {
                let others = objects.filter { $0.entity.isKind(of: model.destination(of: relationship)) }
                if relationship.isToMany {
                    guard relationship.isManyToMany, !others.isEmpty else { continue }
                    let added = Array(others.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
                    if !added.isEmpty {
                        request.members.append(.init(owner: objectID, relationship: relationship, added: added))
                    }
                } else if let other = others.randomElement(using: &random), random.chance(75) {
                    if let inverse = relationship.inverse, !inverse.isToMany {
                        // Both must be free, and then refer to each other.
                        guard rows[objectID]?.toOnes[relationship.slot] == nil,
                            rows[other]?.toOnes[inverse.slot] == nil,
                            objectID != other
                        else { continue }
                        rows[other]?.toOnes[inverse.slot] = objectID
                    }
                    rows[objectID]?.toOnes[relationship.slot] = other
                }
            }
        }
        request.insertions = objects.compactMap { objectID in
            rows[objectID].map { StoreSaveRequest.Insertion(objectID: objectID, row: $0) }
        }
        guard !request.isEmpty else { return }
        guard case .saved = try store.save(request) else { throw CancellationError() }
    }

    /// Removes some rows without updating the objects that refer to them.
    private func tearHoles(_ random: inout SeededGenerator) throws {
        let lost = objects.filter { _ in random.chance(4) }
        for objectID in lost {
            guard let table = store.tables.schema.table(of: objectID.entity), let key = store.tables.key(of: objectID)
            else {
                continue
            }
            try store.database.write { connection in
                try connection.execute("DELETE FROM \(identifier: table.name) WHERE Z_PK = \(value: .integer(key))")
            }
        }
    }
}

/// Values that are easily confused with others.
enum RandomValues {
    static let texts = [
        "", "a", "A", "á", "a\u{301}", "Äpfel", "äpfel", "apfel", "straße", "STRASSE", "strasse", "a\0b", "a\0", "ab",
        "abc", "b", "Ole", "olé", "ZEBRA", "zebra", "1", "10", "\u{10FFFF}", "\u{FFFF}", "日本", "ı", "I", "i", "😀",
        "a*b",
        "x?y", "x\\y", "ab\ncd",
    ]
    static let integers: [Int64] = [0, 1, -1, 2, 3, 5, 7, 10, 100, -7, 32767, -32768]
    static let large: [Int64] = [
        .max, .min, .max - 1, .min + 1, 9_007_199_254_740_993, 9_007_199_254_740_992, 4_611_686_018_427_387_904,
    ]
    static let doubles: [Double] = [
        0, -0.0, 0.1, 0.2, 0.5, -0.5, 1, 1.5, 2.5, -1.5, 1e10, 1e200, -1e200, .infinity, -.infinity,
        9_007_199_254_740_992,
        9.223372036854775807e18, 3.14159, 1e-300, 5, 1e-128, 1.2345678901234567e-120, 1e127, 1e130, -1.5e150,
    ]
    static let decimals = [
        "0", "1", "-1", "0.1", "0.2", "0.5", "1.50", "2.5", "19.99", "-19.99", "12345678901234567890.123456789", "1e30",
        "0.30000000000000004", "0.3", "12345678901234567890123456789012345678", "9007199254740993",
        "9223372036854775808",
        "-12345678901234567890.12345678", "0.00000000000000000001", "5", "1e-20", "18446744073709551616",
        "1e-128", "-1e-128", "1e-90", "1e-64", "1e127", "1000e127", "-150000000000000000000000e127",
        "99999999999999999999999999999999999999e127", "0.1234567890123456789012345678901234567",
    ].compactMap { Decimal(string: $0) }
    static let dates: [Double] = [0, 1, -1, 0.5, 86_400, 700_000_000.25, -1e9, 1e9]
    static let uuids = [
        UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
        UUID(uuid: (255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
        UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16)),
    ]
    static let bytes: [[UInt8]] = [[], [0], [0, 1], [1], [255], [97], [97, 0, 98], [0, 0], [1, 2, 3]]

    static func value(of attribute: AttributeDescription, _ random: inout SeededGenerator) -> Value {
        if random.chance(20) { return .null }
        if case .composite = attribute.type {
            return .dictionary(
                Dictionary(uniqueKeysWithValues: attribute.elements.map { ($0.name, value(of: $0, &random)) })
            )
        }
        return value(of: attribute.type, &random)
    }

    static func value(of type: AttributeType, _ random: inout SeededGenerator) -> Value {
        func pick<T>(_ values: [T], _ random: inout SeededGenerator) -> T {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        switch type {
        case .int16, .int32: return .integer(pick(integers, &random))
        case .int64: return .integer(pick(random.chance(25) ? large : integers, &random))
        case .decimal: return .decimal(pick(decimals, &random))
        case .double: return .double(pick(doubles, &random))
        case .float:
            return .double(Double(Float(pick(doubles.filter { $0.magnitude < 1e20 || $0.isInfinite }, &random))))
        case .bool: return .bool(random.chance(50))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: pick(dates, &random)))
        case .binary: return .data(Data(pick(bytes, &random)))
        case .uuid: return .uuid(pick(uuids, &random))
        case .uri: return .uri(pick(texts, &random))
        default: return .string(pick(texts, &random))
        }
    }
}
