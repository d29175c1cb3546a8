// SPDX-License-Identifier: Apache-2.0

// What the modifiers of a relationship have to know of each other, so that their order doesn't count.

/// How a relationship was written in Swift. It is no part of what the relationship is, so that all are equal.
struct RelationshipWording: Hashable, Sendable {
    /// Whether `optional()` was said, and not only the number of objects.
    var isCalledOptional = false

    static func == (one: RelationshipWording, other: RelationshipWording) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
