// SPDX-License-Identifier: Apache-2.0

// A model with every kind of attribute and relationship, and random content for it.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport

enum Fixture {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Composite("Place") {
                    Attribute("latitude", .double).optional()
                    Attribute("label", .string).optional()
                }
                Entity("Item") {
                    Attribute("name", .string).optional()
                    Attribute("small", .int16).optional()
                    Attribute("large", .int64).optional()
                    Attribute("price", .decimal).optional()
                    Attribute("ratio", .double).optional()
                    Attribute("share", .float).optional()
                    Attribute("flag", .bool).optional()
                    Attribute("made", .date).optional()
                    Attribute("bytes", .binary).optional()
                    Attribute("tag", .uuid).optional()
                    Attribute("link", .uri).optional()
                    Attribute("tree", .transformable(transformer: nil)).optional()
                    Attribute("place", .composite("Place")).optional()
                    Attribute("draft", .string).optional().transient()
                    Relationship("box", toOne: "Box", inverse: "items").optional()
                    Relationship("next", toOne: "Item", inverse: "previous").optional()
                    Relationship("previous", toOne: "Item", inverse: "next").optional()
                    Relationship("labels", toMany: "Label", inverse: "items")
                }
                Entity("Gift", parent: "Item") {
                    Attribute("note", .string).optional()
                }
                Entity("Box") {
                    Attribute("name", .string).optional()
                    Relationship("items", toMany: "Item", inverse: "box").ordered()
                    UniquenessConstraint("name")
                }
                Entity("Label") {
                    Attribute("name", .string).optional()
                    Relationship("items", toMany: "Item", inverse: "labels")
                    Relationship("related", toMany: "Label", inverse: "related")
                }
            }
        )
    }

    /// A small model, so that many files can be tried in little time.
    static let small = Result {
        try ManagedObjectModel(
            Model {
                Entity("Note") {
                    Attribute("tree", .transformable(transformer: nil)).optional()
                    Attribute("made", .date).optional()
                    Relationship("parent", toOne: "Note", inverse: "children").optional()
                    Relationship("children", toMany: "Note", inverse: "parent").ordered()
                    Relationship("similar", toMany: "Note", inverse: "similar")
                }
            }
        )
    }

    /// Consistent content, as a store would write it.
    static func content(seed: UInt64, of model: ManagedObjectModel) throws -> StoreContent {
        var random = SeededGenerator(seed: seed)
        var objects: [FileObject] = []
        var numbers: [String: [Int64]] = [:]
        var last: Int64 = 0
        for entity in model.entities {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                last += Int64.random(in: 1...300, using: &random)
                objects.append(
                    FileObject(entity: entity, reference: last, version: .random(in: 1...9, using: &random))
                )
                numbers[entity.name == "Gift" ? "Item" : entity.name, default: []].append(last)
            }
        }
        for index in objects.indices {
            let entity = objects[index].entity
            for attribute in entity.attributes where attribute.isPersistent && random.chance(70) {
                objects[index].attributes[attribute.slot] = value(of: attribute, &random)
            }
            for relationship in entity.relationships {
                let known = numbers[relationship.relationship.destinationName] ?? []
                if relationship.isListed {
                    objects[index].toManys[relationship.slot] = known.filter { _ in random.chance(40) }
                } else if !relationship.isToMany {
                    objects[index].toOnes[relationship.slot] =
                        random.chance(60) ? known.randomElement(using: &random) : nil
                }
            }
            // Unique values are different.
            if entity.name == "Box" { objects[index].attributes[0] = .string("box \(index)") }
        }
        let head = StoreHead(
            identifier: UUID(),
            metadata: StoreMetadata(values: ["note": .string(text(&random)), "tree": tree(&random, depth: 0)]),
            versionHashes: model.model.versionHashes(),
            lastReference: last + 5
        )
        return StoreContent(head: head, objects: objects)
    }

    private static func value(of attribute: AttributeDescription, _ random: inout SeededGenerator) -> Value {
        switch attribute.type {
        case .int16: .integer(Int64(Int16.random(in: .min ... .max, using: &random)))
        case .int64:
            .integer([.min, .max, 0, .random(in: .min ... .max, using: &random)].randomElement(using: &random)!)
        case .composite:
            .dictionary(["latitude": random.chance(50) ? .null : double(&random), "label": .string(text(&random))])
        case .transformable: tree(&random, depth: 0)
        case .string: .string(text(&random))
        case .bool: .bool(random.chance(50))
        default: leaf(attribute.type, &random)
        }
    }

    private static func leaf(_ type: AttributeType, _ random: inout SeededGenerator) -> Value {
        switch type {
        case .decimal:
            let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in
                "123456789".randomElement(using: &random)!
            }
            let exponent = Int.random(in: -60...60, using: &random)
            return .decimal(Decimal(string: (random.chance(50) ? "-" : "") + String(digits) + "e\(exponent)")!)
        case .date:
            let seconds = Double(Int.random(in: -70_000_000_000...80_000_000_000, using: &random))
            return .date(Date(timeIntervalSinceReferenceDate: random.chance(50) ? seconds : seconds / 7))
        case .binary: return .data(Data((0..<Int.random(in: 0...20, using: &random)).map { _ in random.byte() }))
        case .uuid: return .uuid(UUID())
        case .uri: return .uri("https://example.org/?q=\(text(&random))")
        default: return double(&random)
        }
    }

    private static func double(_ random: inout SeededGenerator) -> Value {
        let number = Double(bitPattern: random.next())
        return .double(number.isNaN ? -.infinity : number)
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let pieces = [
            "", " ", "\n", "\r\n", "\t", "<a>", "&amp;", "\"", "é", "𝄞", "\u{0}", "\u{FFFE}", "\u{1B}", "]]>", "word",
        ]
        return (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
    }

    private static func tree(_ random: inout SeededGenerator, depth: Int) -> Value {
        switch Int.random(in: 0..<(depth < 4 ? 10 : 7), using: &random) {
        case 0: return .bool(random.chance(50))
        case 1: return .integer(.random(in: .min ... .max, using: &random))
        case 2: return .string(text(&random))
        case 3: return leaf(.decimal, &random)
        case 4: return leaf(.date, &random)
        case 5: return leaf(.uuid, &random)
        case 6: return leaf(.binary, &random)
        case 7: return .reference(ObjectReference(uri: "x-coredata://\(text(&random))"))
        case 8: return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in tree(&random, depth: depth + 1) })
        default:
            let keys = (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random) }
            return .dictionary(Dictionary(keys.map { ($0, tree(&random, depth: depth + 1)) }) { first, _ in first })
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}

/// The formats, as arguments of tests.
enum FileFormat: String, CaseIterable, Sendable {
    case xml
    case binary

    var format: any AtomicFileFormat {
        switch self {
        case .xml: .xml
        case .binary: .binary
        }
    }

    func open(
        _ path: String,
        _ model: ManagedObjectModel,
        isReadOnly: Bool = false,
        mustExist: Bool = false
    ) throws
        -> AtomicStore
    {
        switch self {
        case .xml: try AtomicStore(path: path, format: .xml, model: model, isReadOnly: isReadOnly, mustExist: mustExist)
        case .binary:
            try AtomicStore(path: path, format: .binary, model: model, isReadOnly: isReadOnly, mustExist: mustExist)
        }
    }
}
