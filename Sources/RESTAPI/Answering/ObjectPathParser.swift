// SPDX-License-Identifier: Apache-2.0

// Parses the paths of objects without making strings, since these are the most frequent requests.

import Basics
import ObjectGraph

/// Finds the object of a target such as `/api/posts/42`.
struct ObjectPathParser: Sendable {
    private struct Entry: Sendable {
        let name: [UInt8]
        let entity: EntityDescription
    }

    /// A hash table by name, with at least twice as many buckets as names.
    private let buckets: [[Entry]]

    private static let opening = Array("/api/".utf8)

    /// Names that need escapes in paths aren't found.
    init(_ catalogue: Catalogue) {
        let entries = catalogue.resources.flatMap { resource in
            Set([resource.path, resource.name]).map { Entry(name: Array($0.utf8), entity: resource.entity) }
        }
        var size = 1
        while size < entries.count * 2 { size *= 2 }
        var buckets = [[Entry]](repeating: [], count: size)
        for entry in entries { buckets[Self.hash(entry.name.span) & (size - 1)].append(entry) }
        self.buckets = buckets
    }

    /// The entity and number of an object, or nil for all other targets and ambiguous ones.
    func object(_ target: String) -> (entity: EntityDescription, number: Int64)? {
        let bytes = target.utf8.span
        let start = Self.opening.count
        guard bytes.count > start + 2 else { return nil }
        for index in 0..<start where bytes[index] != Self.opening[index] { return nil }
        var slash = bytes.count - 1
        var number: Int64 = 0
        var factor: Int64 = 1
        // More digits might overflow.
        while slash > start, factor < 1_000_000_000_000_000_000, case let digit = bytes[slash] &- UInt8(ascii: "0"),
            digit < 10
        {
            number += Int64(digit) * factor
            factor *= 10
            slash -= 1
        }
        let hasLeadingZero = bytes[slash + 1 == bytes.count ? slash : slash + 1] == UInt8(ascii: "0")
        guard bytes[slash] == UInt8(ascii: "/"), slash + 1 < bytes.count, !hasLeadingZero else { return nil }
        let name = bytes.extracting(start..<slash)
        for entry in buckets[Self.hash(name) & (buckets.count - 1)] where Self.isSame(entry.name.span, name) {
            return (entry.entity, number)
        }
        return nil
    }

    private static func isSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }

    private static func hash(_ name: Span<UInt8>) -> Int {
        var hash = FNV1a()
        for index in name.indices { hash.add(name[index]) }
        return Int(truncatingIfNeeded: hash.value ^ hash.value >> 32)
    }
}
