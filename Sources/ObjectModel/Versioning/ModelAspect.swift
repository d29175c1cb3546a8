// SPDX-License-Identifier: Apache-2.0

public import Predicates

/// An aspect in which two versions of something differ. The raw value is its stable name for scripts.
public enum ModelAspect: String, CaseIterable, Hashable, Sendable {
    // Entities.
    case parent
    case abstract
    case constraints
    case indexes
    case className
    // Properties of any kind; some also apply to entities.
    case kind
    case optional
    case transient
    case userInfo
    case renamingIdentifier
    case versionHashModifier
    // Attributes.
    case type
    case transformer
    case composite
    case derived
    case derivation
    case defaultValue
    case validation
    case externalStorage
    case preservation
    case searchIndex
    case index
    // Relationships.
    case destination
    case inverse
    case toMany
    case ordered
    case counts
    case deleteRule
    // Fetched properties.
    case fetchRequest
    // The model.
    case composites
    case configurations
    case fetchRequestTemplates
    case versionIdentifiers

    /// The aspect's name in messages.
    public var words: String {
        switch self {
        case .constraints: "uniqueness constraints"
        case .className: "class"
        case .userInfo: "user info"
        case .renamingIdentifier: "renaming identifier"
        case .versionHashModifier: "version hash modifier"
        case .composite: "structure of its composite"
        case .defaultValue: "default"
        case .externalStorage: "external storage"
        case .preservation: "preserved after deletion"
        case .searchIndex: "search index"
        case .index: "indexed"
        case .toMany: "to-many"
        case .deleteRule: "delete rule"
        case .fetchRequest: "fetch request"
        case .fetchRequestTemplates: "fetch request templates"
        case .versionIdentifiers: "version identifiers"
        default: rawValue
        }
    }

    /// Whether the aspect affects a version hash, so that stores need a migration.
    public var changesStorage: Bool {
        switch self {
        case .parent, .abstract, .constraints, .kind, .optional, .transient, .versionHashModifier, .type, .transformer,
            .composite, .derived, .destination, .inverse, .toMany, .ordered, .counts:
            true
        default:
            false
        }
    }
}

/// An aspect that differs, with its values before and after; `.null` means none.
public struct AspectChange: Hashable, Sendable, CustomStringConvertible {
    public var aspect: ModelAspect
    public var old: Value?
    public var new: Value?

    public init(_ aspect: ModelAspect, old: Value? = nil, new: Value? = nil) {
        self.aspect = aspect
        self.old = old
        self.new = new
    }

    public var description: String {
        // A default can have any length.
        guard aspect != .defaultValue, let old = old?.word, let new = new?.word else {
            return "\(aspect.words) changed"
        }
        return "\(aspect.words) \(old) → \(new)"
    }
}

extension Value {
    /// The value of an aspect, if it can be shown in a word.
    fileprivate var word: String? {
        switch self {
        case .null: "none"
        case .bool(let flag): flag ? "yes" : "no"
        case .string(let text): text
        default: nil
        }
    }
}
