// SPDX-License-Identifier: Apache-2.0

/// Records which modifiers a relationship was built with, so that their order doesn't matter. All values are equal,
/// since this is not part of the relationship itself.
struct RelationshipWording: Hashable, Sendable {
    /// Whether `optional()` was called, as opposed to a count that begins at zero.
    var isMarkedOptional = false

    static func == (one: RelationshipWording, other: RelationshipWording) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
