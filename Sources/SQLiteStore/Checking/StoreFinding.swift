// SPDX-License-Identifier: Apache-2.0

// What a check finds wrong in a store.

public import ObjectModel

/// A finding about a store: what is wrong, of which property, for how many objects, and whether that can be repaired.
public struct StoreFinding: Error, Hashable, Sendable {
    /// The kind of a finding. The raw value is its stable name in JSON.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// SQLite finds the file damaged.
        case damaged = "store.damaged"
        /// Rows are of an entity that the model doesn't know, that is abstract, or that has another table.
        case entity = "store.entity"
        /// The row of an entity in `Z_PRIMARYKEY` is missing.
        case primaryKey = "store.primaryKey"
        /// Keys are greater than those that were given, so that they would be given again.
        case keyLimit = "store.keyLimit"
        /// What is noted of the greatest key that was given is no key, or leaves none for new objects.
        case keysExhausted = "store.keysExhausted"
        /// Rows have no version.
        case version = "store.version"
        /// A relationship leads to objects that aren't there; mild where the model allows it.
        case dangling = "store.dangling"
        /// A reference names another entity than the object has.
        case reference = "store.reference"
        /// Two relationships to one object that are inverses don't lead to each other.
        case inverse = "store.inverse"
        /// A pair of a relationship has no object at one of its ends.
        case pair = "store.pair"
        /// A pair of a relationship that is its own inverse is there one way round only.
        case reflexive = "store.reflexive"
        /// A value is missing that has to be there.
        case required = "store.required"
        /// A stored value can't be one of the attribute's type.
        case value = "store.value"
        /// A relationship has fewer or more objects than it may.
        case count = "store.count"
        /// Objects have the same values where they must differ.
        case unique = "store.unique"
        /// A derived value isn't what it is derived from.
        case derived = "store.derived"
        /// The search index has other words than the rows.
        case searchIndex = "store.searchIndex"
        /// A value's file is missing.
        case fileMissing = "store.fileMissing"
        /// A file is the value of no object.
        case fileOrphaned = "store.fileOrphaned"
    }

    public let severity: ModelIssue.Severity
    public let code: Code
    public let entity: String?
    public let property: String?
    public let message: String
    /// How many objects it is about, or pairs.
    public let count: Int
    /// The keys of the first of these objects.
    public let keys: [Int64]
    /// What a repair does about it; nil where none is safe.
    public let repair: String?
}

/// What came of a repair.
public struct StoreRepair: Hashable, Sendable {
    /// What was wrong and is right now.
    public let repaired: [StoreFinding]
    /// What is still wrong.
    public let remaining: [StoreFinding]
}

/// A finding with the means to repair it.
struct StoreFlaw {
    let finding: StoreFinding
    let repair: (() throws -> Void)?

    /// How many objects are named by their keys.
    static let keyLimit = 5
}
