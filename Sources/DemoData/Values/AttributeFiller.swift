// SPDX-License-Identifier: Apache-2.0

// Creates values of an attribute, based on its type, name and constraints.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

struct AttributeFiller: Sendable {
    /// Creates a value; if it must be unique, a different one for each object number.
    typealias Make = @Sendable (PlannedObject, inout DemoRandom) -> Value

    /// The number of unique values.
    let capacity: Int
    private let make: Make
    /// The percentage of objects without a value.
    private let emptiness: Int

    /// Returns nil if the attribute has no possible value, or none is known.
    init?(_ attribute: AttributeDescription, of entity: EntityDescription, isUnique: Bool) {
        let hint = NameHint(attribute.name, of: entity.name)
        self.init(attribute, hint, isUnique: isUnique)
    }

    private init?(_ attribute: AttributeDescription, _ hint: NameHint, isUnique: Bool) {
        guard let values = Self.values(of: attribute, hint, isUnique: isUnique) else { return nil }
        capacity = isUnique ? values.capacity : .max
        make = values.make
        emptiness = attribute.attribute.isOptional && !isUnique ? hint.emptiness : 0
    }

    func value(for subject: PlannedObject, _ random: inout DemoRandom) -> Value {
        emptiness > 0 && random.chance(emptiness) ? .null : make(subject, &random)
    }

    /// A generator of values, and the number of distinct ones.
    struct Values {
        var capacity = Int.max
        let make: Make
    }

    private static func values(of attribute: AttributeDescription, _ hint: NameHint, isUnique: Bool) -> Values? {
        switch attribute.type {
        case .string: return texts(attribute.attribute, hint, isUnique: isUnique)
        case .int16: return integers(attribute.attribute, hint, Int64(Int16.min)...Int64(Int16.max), isUnique)
        case .int32: return integers(attribute.attribute, hint, Int64(Int32.min)...Int64(Int32.max), isUnique)
        case .int64: return integers(attribute.attribute, hint, Int64.min...Int64.max, isUnique)
        case .double: return doubles(attribute.attribute, hint, isFloat: false, isUnique)
        case .float: return doubles(attribute.attribute, hint, isFloat: true, isUnique)
        case .decimal: return decimals(attribute.attribute, hint, isUnique)
        case .date: return dates(attribute.attribute, hint, isUnique)
        case .bool:
            if isUnique { return Values(capacity: 2) { subject, _ in .bool(subject.ordinal == 1) } }
            let often = hint.likelihoodOfTrue
            return Values { _, random in .bool(random.chance(often)) }
        case .uuid:
            return Values { subject, random in .uuid(uuid(random.next(), UInt64(subject.ordinal), isUnique, &random)) }
        case .uri:
            if isUnique {
                return Values { subject, _ in .uri(TextShape.url.unique(subject.seed, subject.ordinal, .max)) }
            }
            return Values { subject, _ in .uri(TextShape.url.text(subject.seed)) }
        case .binary:
            if isUnique {
                return Values { subject, _ in
                    .data(Data((0..<8).map { UInt8(truncatingIfNeeded: subject.ordinal >> (8 * $0)) }))
                }
            }
            return Values { subject, _ in .data(Data(DemoPicture.bytes(of: subject.seed))) }
        case .transformable:
            guard !isUnique else { return nil }
            if attribute.isTransformedByApp {
                // Only the app's class knows which bytes are valid.
                return attribute.attribute.isOptional
                    ? nil : Values { subject, _ in .data(Data(DemoPicture.bytes(of: subject.seed))) }
            }
            return Values { subject, random in
                .dictionary([
                    "words": .array([.string(Words.noun(subject.seed)), .string(Words.adjective(subject.seed))]),
                    "weight": .integer(Int64(random.below(100))),
                ])
            }
        case .composite: return isUnique ? nil : composites(attribute, hint)
        case .undefined: return Values { subject, _ in .string(Words.noun(subject.seed)) }
        case .objectID: return nil
        }
    }

    private static func uuid(_ high: UInt64, _ ordinal: UInt64, _ isUnique: Bool, _ random: inout DemoRandom) -> UUID {
        let low = isUnique ? (ordinal &* 0x9E37_79B9_7F4A_7C15) & 0x3FFF_FFFF_FFFF_FFFF : random.next() >> 2
        func byte(_ number: UInt64, _ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> UInt64(8 * place)) }
        return UUID(
            uuid: (
                byte(high, 7), byte(high, 6), byte(high, 5), byte(high, 4), byte(high, 3), byte(high, 2),
                byte(high, 1) & 0x0F | 0x40, byte(high, 0), byte(low, 7) & 0x3F | 0x80, byte(low, 6), byte(low, 5),
                byte(low, 4), byte(low, 3), byte(low, 2), byte(low, 1), byte(low, 0)
            )
        )
    }

    private static func composites(_ attribute: AttributeDescription, _ hint: NameHint) -> Values? {
        var elements: [(name: String, filler: AttributeFiller)] = []
        for element in attribute.elements where !element.isDerived {
            if let filler = AttributeFiller(element, hint.inner(element.name), isUnique: false) {
                elements.append((element.name, filler))
            } else if !element.attribute.isOptional {
                return nil
            }
        }
        return Values { [elements] subject, random in
            var members: [String: Value] = [:]
            for (name, filler) in elements { members[name] = filler.value(for: subject, &random) }
            return .dictionary(members)
        }
    }
}
