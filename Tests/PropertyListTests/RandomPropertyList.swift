// SPDX-License-Identifier: Apache-2.0

// Random property lists, the same for the same seed.

import PropertyList
import TestSupport

struct RandomPropertyList {
    private var random: SeededGenerator
    /// Whether all values can be represented in XML without loss.
    private let isForXML: Bool

    init(seed: UInt64, isForXML: Bool = false) {
        random = SeededGenerator(seed: seed)
        self.isForXML = isForXML
    }

    mutating func value(depth: Int = 4) -> PropertyListValue {
        switch Int.random(in: 0..<(depth > 0 ? 11 : 8), using: &random) {
        case 0: return .string(text())
        case 1:
            let count = random.chance(20) ? 300 : Int.random(in: 0...20, using: &random)
            return .data((0..<count).map { _ in .random(in: 0...255, using: &random) })
        case 2:
            return .date(isForXML ? Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)) : double())
        case 3, 4: return .integer(integer())
        case 5: return .real(double())
        case 6: return .boolean(.random(using: &random))
        case 7: return .uid(bits())
        case 8: return .array((0..<count()).map { _ in value(depth: depth - 1) })
        default:
            return .dictionary(
                PropertyListDictionary((0..<count()).map { ("\(text())\($0)", value(depth: depth - 1)) })
            )
        }
    }

    private mutating func count() -> Int { random.chance(10) ? 40 : .random(in: 0...5, using: &random) }

    private mutating func integer() -> Int128 {
        let bits = bits()
        return random.chance(30) ? Int128(Int64(bitPattern: bits)) : Int128(bits)
    }

    /// Numbers of all widths.
    private mutating func bits() -> UInt64 {
        .random(in: 0...(UInt64.max >> UInt64.random(in: 0...63, using: &random)), using: &random)
    }

    private mutating func double() -> Double {
        Double(Int64.random(in: .min ... .max, using: &random)) / Double(Int.random(in: 1...1_000_000, using: &random))
    }

    private mutating func text() -> String {
        ["", "key", "Zeichenkette", "häßlich", "水", "👩‍👩‍👧", "a < b & c", String(repeating: "long ", count: 60)]
            .randomElement(using: &random) ?? ""
    }
}
