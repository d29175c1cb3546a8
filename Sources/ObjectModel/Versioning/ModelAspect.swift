// SPDX-License-Identifier: Apache-2.0

// What of an entity, a property or a model can differ between two versions.

/// One aspect in which two versions of something differ. The raw value is its name for people.
public enum ModelAspect: String, CaseIterable, Hashable, Sendable {
    // Of an entity.
    case parent
    case abstract
    case constraints = "uniqueness constraints"
    case indexes
    case className = "class"
    // Of a property of any kind, and partly of an entity too.
    case kind
    case optional
    case transient
    case userInfo = "user info"
    case renamingIdentifier = "renaming identifier"
    case versionHashModifier = "version hash modifier"
    case extras = "other settings"
    // Of an attribute.
    case type
    case transformer
    case composite = "structure of its composite"
    case derived
    case derivation
    case defaultValue = "default"
    case validation
    case externalStorage = "external storage"
    case preservation = "preserved after deletion"
    case searchIndex = "search index"
    case index = "indexed"
    // Of a relationship.
    case destination
    case inverse
    case toMany = "to-many"
    case ordered
    case counts
    case deleteRule = "delete rule"
    // Of a fetched property.
    case fetchRequest = "fetch request"
    // Of the model.
    case composites
    case configurations
    case fetchRequestTemplates = "fetch request templates"
    case versionIdentifiers = "version identifiers"

    /// Whether a store of the one version doesn't fit the other for it: it changes a version hash.
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

/// An aspect that differs, and its value before and after where that can be said in a word.
public struct AspectChange: Hashable, Sendable, CustomStringConvertible {
    public var aspect: ModelAspect
    public var old: String?
    public var new: String?

    public init(_ aspect: ModelAspect, old: String? = nil, new: String? = nil) {
        self.aspect = aspect
        self.old = old
        self.new = new
    }

    public var description: String {
        guard old != nil || new != nil else { return "\(aspect.rawValue) changed" }
        return "\(aspect.rawValue) \(old ?? "none") → \(new ?? "none")"
    }
}
