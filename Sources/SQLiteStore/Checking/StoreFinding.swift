// SPDX-License-Identifier: Apache-2.0

// The findings of a store's check.

public import ObjectModel

/// A finding about a store: what is wrong, with which property of how many objects, and whether it can be repaired.
public struct StoreFinding: Error, Hashable, Sendable {
    /// The kind of a finding. The raw value is its stable name in JSON.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// SQLite reports the file as damaged.
        case damaged = "store.damaged"
        /// Rows have an entity that the model doesn't have, that is abstract, or that has another table.
        case entity = "store.entity"
        /// The row of an entity in `Z_PRIMARYKEY` is missing.
        case primaryKey = "store.primaryKey"
        /// Rows have keys above the recorded greatest key, so those keys would be allocated again.
        case keyLimit = "store.keyLimit"
        /// The recorded greatest key is invalid, or leaves no keys for new objects.
        case keysExhausted = "store.keysExhausted"
        /// Rows have no version.
        case version = "store.version"
        /// A relationship refers to objects that don't exist; a warning where the model allows it.
        case dangling = "store.dangling"
        /// A reference has another entity number than its object.
        case reference = "store.reference"
        /// Two inverse to-one relationships don't refer to each other.
        case inverse = "store.inverse"
        /// A pair of a relationship lacks an object at one end.
        case pair = "store.pair"
        /// A pair of a relationship that is its own inverse exists in one direction only.
        case reflexive = "store.reflexive"
        /// A required value is missing.
        case required = "store.required"
        /// A stored value doesn't have the attribute's type.
        case value = "store.value"
        /// A relationship has fewer or more objects than allowed.
        case count = "store.count"
        /// Objects have equal values that must be unique.
        case unique = "store.unique"
        /// A derived value differs from the result of its expression.
        case derived = "store.derived"
        /// The search index differs from the rows.
        case searchIndex = "store.searchIndex"
        /// The file of a value is missing.
        case fileMissing = "store.fileMissing"
        /// No row names a file.
        case fileOrphaned = "store.fileOrphaned"
    }

    public let severity: ModelIssue.Severity
    public let code: Code
    public let entity: String?
    public let property: String?
    public let message: String
    /// How many objects, or pairs, are affected.
    public let count: Int
    /// The keys of the first affected objects.
    public let keys: [Int64]
    /// What a repair does, or nil if none is safe.
    public let repair: String?
}

/// The result of a repair.
public struct StoreRepair: Hashable, Sendable {
    /// The findings that were repaired.
    public let repaired: [StoreFinding]
    /// The findings that are left.
    public let remaining: [StoreFinding]
}

/// A finding, with its repair if it has one.
struct StoreFlaw {
    let finding: StoreFinding
    let repair: (() throws -> Void)?

    /// How many keys a finding lists.
    static let keyLimit = 5
}
