// SPDX-License-Identifier: Apache-2.0

// The names of schemas. Code generators turn them into names of classes.

import ObjectGraph
import ObjectModel

/// The names of all schemas of a model. They are unique even without case and underscores.
struct ComponentNames {
    /// The schemas of an entity, with the suffixes of their names.
    enum Part: String, CaseIterable {
        /// Objects in responses, of the entity or a subentity.
        case object = ""
        /// The properties that an entity shares with its subentities.
        case fields = "Fields"
        /// Objects of exactly this entity, if it has subentities.
        case itself = "Itself"
        case reference = "Reference"
        case page = "Page"
        case create = "Create"
        /// A new object that must name its entity, since a superentity is possible as well.
        case createKind = "CreateKind"
        case replace = "Replace"
        case patch = "Patch"
        /// A change of an object, nested in a relationship.
        case update = "Update"
        /// An object named by unique values.
        case uniqueReference = "UniqueReference"
        /// An object in a relationship: a reference or a nested object.
        case member = "Member"
        case changes = "Changes"
        case orderedChanges = "OrderedChanges"
        case row = "Row"
        case batchUpdate = "BatchUpdate"
        case batchDelete = "BatchDelete"
        case insertOperation = "InsertOperation"
        case updateOperation = "UpdateOperation"
        // The properties in bodies. Those that are inherited are a reference.
        case attributes = "Attributes"
        case relationships = "Relationships"
        case rowReferences = "RowReferences"
        case patchFields = "PatchFields"
        case setFields = "SetFields"
        /// A new object of the entity or a subentity, which names its entity.
        case createAny = "CreateAny"
        /// A change of such an object.
        case updateAny = "UpdateAny"
    }

    /// The part for objects in a relationship: without the inverse.
    private struct Variant: Hashable {
        let entity: Int
        let part: Part
        let inverse: String
    }

    private var entities: [String] = []
    private var composites: [String: String] = [:]
    private var variants: [Variant: String] = [:]

    /// - Parameter hasVariants: Whether objects in relationships have schemas of their own.
    init(_ catalogue: Catalogue, hasVariants: Bool = true) {
        var taken = Set(SharedSchema.allCases.map { Self.folded($0.rawValue) })
        entities = catalogue.resources.map { Self.unused(for: $0.entity.name, avoiding: &taken) }
        for composite in catalogue.model.model.composites {
            composites[composite.name] = Self.unused(for: composite.name, avoiding: &taken)
        }
        guard hasVariants else { return }
        for relationship in catalogue.declaredRelationships {
            addVariants(of: relationship, in: catalogue, avoiding: &taken)
        }
    }

    private mutating func addVariants(
        of relationship: RelationshipDescription,
        in catalogue: Catalogue,
        avoiding taken: inout Set<String>
    ) {
        guard let inverse = catalogue.impliedInverse(of: relationship) else { return }
        let destination = catalogue.destination(of: relationship).entity
        for kind in catalogue.model.kinds(of: destination) {
            for part in [Part.member, .changes, .orderedChanges, .create, .createKind] {
                let variant = Variant(entity: kind.index, part: part, inverse: inverse.name)
                guard variants[variant] == nil else { continue }
                let suffix = Self.identifier(inverse.name)
                let base = "\(entities[kind.index])\(part.rawValue)Without"
                let name = base + suffix.prefix(1).uppercased() + suffix.dropFirst()
                variants[variant] = (1...).lazy.map { $0 == 1 ? name : "\(name)\($0)" }
                    .first { taken.insert(Self.folded($0)).inserted }
            }
        }
    }

    subscript(_ resource: Resource, _ part: Part = .object) -> String {
        entities[resource.entity.index] + part.rawValue
    }

    /// The name of a part for objects in a relationship, without the inverse.
    subscript(_ resource: Resource, _ part: Part, without inverse: RelationshipDescription?) -> String {
        inverse.flatMap { variants[Variant(entity: resource.entity.index, part: part, inverse: $0.name)] }
            ?? self[resource, part]
    }

    subscript(composite name: String, _ part: Part = .object) -> String? {
        composites[name].map { $0 + part.rawValue }
    }

    private static func unused(for name: String, avoiding taken: inout Set<String>) -> String {
        let base = identifier(name)
        for number in 1... {
            let candidate = number == 1 ? base : "\(base)\(number)"
            let all = Set(Part.allCases.map { folded(candidate + $0.rawValue) })
            if taken.isDisjoint(with: all) {
                taken.formUnion(all)
                return candidate
            }
        }
        return base
    }

    /// The name without characters other than ASCII letters, digits and underscores.
    static func identifier(_ name: String) -> String {
        let text = name.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? String(scalar) : scalar.isASCII ? "_" : "U" + String(scalar.value, radix: 16, uppercase: true)
        }.joined()
        return text.first?.isLetter == true ? text : "E\(text)"
    }

    static func folded(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
}

/// Unique names of operations.
struct OperationNames {
    private var taken: Set<String> = []

    /// The name, followed by a number if it is used already.
    mutating func unused(_ name: String) -> String {
        var candidate = name
        var number = 1
        while !taken.insert(ComponentNames.folded(candidate)).inserted {
            number += 1
            candidate = "\(name)\(number)"
        }
        return candidate
    }

    /// A name of the model within an operation's name, as in `addPostTags`.
    static func part(_ name: String) -> String {
        let part = ComponentNames.identifier(name)
        return part.prefix(1).uppercased() + part.dropFirst()
    }
}

extension Catalogue {
    /// The relationships of all entities in the model's order, without inherited ones.
    var declaredRelationships: [RelationshipDescription] {
        resources.flatMap { $0.ownProperties.compactMap(\.relationship) }
    }

    /// The inverse, if the nesting of an object determines it: it isn't required in nested objects, and a to-one
    /// inverse can have no other value.
    func impliedInverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        let inverse = relationship.inverse.flatMap { destination(of: relationship).entity.relationship(named: $0.name) }
        guard let inverse, !inverse.isToMany || !inverse.relationship.isOptional else { return nil }
        return inverse
    }
}
