// SPDX-License-Identifier: Apache-2.0

// What the number of a save determines.

import FoundationEssentials

extension Ledger {
    /// The number of items in its batch.
    static func size(_ number: Int) -> Int { 1 + number % 4 }

    /// Whether it reverses the items of the previous batch.
    static func turnsLast(_ number: Int) -> Bool { number % 3 == 0 }

    /// Whether the shared counter counts it.
    static func counts(_ number: Int) -> Bool { number % 4 == 0 }

    static func tags(_ number: Int, _ place: Int) -> [Int] {
        Set([(number + place) % tagCount, (number * place) % tagCount]).sorted()
    }

    /// Some are larger than a page.
    static func payload(_ number: Int, _ place: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number &+ place), count: number * 997 % 6007)
    }

    /// The batches of a writer after a number of saves.
    static func lines(of writer: Int, after count: Int) -> [String] {
        (max(1, count - slotCount + 1)..<max(1, count + 1)).map { number in
            let isTurned = number < count && turnsLast(number + 1)
            let places = Array(0..<size(number))
            let items = (isTurned ? places.reversed() : places).map { place in
                item("\(writer)-\(number)-\(place)", tags(number, place).map(String.init), payload(number, place))
            }
            return batch(writer, number, revision: isTurned ? number + 1 : 0, size: size(number), items)
        }
    }

    static func batch(_ writer: Int, _ number: Int, revision: Int, size: Int, _ items: [String]) -> String {
        "batch \(writer)-\(number) revision \(revision) size \(size): \(items.joined(separator: ", "))"
    }

    static func item(_ name: String, _ tags: [String], _ payload: Data) -> String {
        "\(name) [\(tags.joined(separator: " "))] \(payload.count) × \(Set(payload).sorted())"
    }
}
