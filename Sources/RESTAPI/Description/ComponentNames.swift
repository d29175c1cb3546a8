// SPDX-License-Identifier: Apache-2.0

// What schemas are called, in documents whose readers make names of classes from that.

import ObjectGraph
import ObjectModel

/// The names of all schemas of a model, no two of which are the same but for case or underscores.
struct ComponentNames {
    /// What there is of an entity, by what stands behind its name.
    enum Part: String, CaseIterable {
        /// Objects as they are shown, of the entity or of one below it.
        case object = ""
        /// What an entity has in common with those below it.
        case fields = "Fields"
        /// Objects of the entity itself, where there are others below it.
        case itself = "Itself"
        case reference = "Reference"
        case page = "Page"
        case create = "Create"
        /// The same where it might be an object of the entity above, so that it must say which.
        case createKind = "CreateKind"
        case replace = "Replace"
        case patch = "Patch"
        /// A change of an object in the place where it is named.
        case update = "Update"
        /// What stands for an object in a relationship.
        case member = "Member"
        case changes = "Changes"
        case orderedChanges = "OrderedChanges"
        case fetch = "Fetch"
        case row = "Row"
        case values = "Values"
        case insertOperation = "InsertOperation"
        case updateOperation = "UpdateOperation"
        // In a condensed description: what bodies have of the properties, those of the entity above by reference.
        case createFields = "CreateFields"
        case patchFields = "PatchFields"
        case rowFields = "RowFields"
        case setFields = "SetFields"
        /// A new object of the entity or of one below it, which says which.
        case createAny = "CreateAny"
        /// A change of such an object.
        case updateAny = "UpdateAny"
    }

    /// A part as it is where an object stands in a relationship: without what leads back.
    private struct Variant: Hashable {
        let entity: Int
        let part: Part
        let inverse: String
    }

    private var entities: [String] = []
    private var composites: [String: String] = [:]
    private var variants: [Variant: String] = [:]

    /// - Parameter hasVariants: Whether there are schemas of their own for what stands in relationships.
    init(_ catalogue: Catalogue, hasVariants: Bool = true) {
        var taken = Set(SharedSchema.allCases.map { Self.folded($0.rawValue) })
        entities = catalogue.resources.map { Self.unused(for: $0.entity.name, &taken) }
        for composite in catalogue.model.model.composites {
            composites[composite.name] = Self.unused(for: composite.name, &taken)
        }
        guard hasVariants else { return }
        for relationship in catalogue.declaredRelationships { addVariants(of: relationship, catalogue, &taken) }
    }

    private mutating func addVariants(
        of relationship: RelationshipDescription,
        _ catalogue: Catalogue,
        _ taken: inout Set<String>
    ) {
        guard let inverse = catalogue.toldInverse(of: relationship) else { return }
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

    /// The name of a part where an object stands in a relationship, told without the relationship that leads back.
    subscript(_ resource: Resource, _ part: Part, without inverse: RelationshipDescription?) -> String {
        inverse.flatMap { variants[Variant(entity: resource.entity.index, part: part, inverse: $0.name)] }
            ?? self[resource, part]
    }

    subscript(composite name: String, _ part: Part = .object) -> String? {
        composites[name].map { $0 + part.rawValue }
    }

    private static func unused(for name: String, _ taken: inout Set<String>) -> String {
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

    /// A name of nothing but ASCII letters, digits and underscores.
    static func identifier(_ name: String) -> String {
        let text = name.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? String(scalar) : scalar.isASCII ? "_" : "U" + String(scalar.value, radix: 16, uppercase: true)
        }.joined()
        return text.first?.isLetter == true ? text : "E\(text)"
    }

    static func folded(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
}

/// The names of operations, each once.
struct OperationNames {
    private var taken: Set<String> = []

    /// A name, with a number behind it where it is taken.
    mutating func unused(_ name: String) -> String {
        var candidate = name
        var number = 1
        while !taken.insert(ComponentNames.folded(candidate)).inserted {
            number += 1
            candidate = "\(name)\(number)"
        }
        return candidate
    }

    /// A name of the model as it stands in `addPostTags`.
    static func part(_ name: String) -> String {
        let part = ComponentNames.identifier(name)
        return part.prefix(1).uppercased() + part.dropFirst()
    }
}

extension Catalogue {
    /// The relationships of all entities in the order of the model, those that an entity inherits not once more.
    var declaredRelationships: [RelationshipDescription] {
        resources.flatMap { $0.ownProperties.compactMap(\.relationship) }
    }

    /// What leads back from the objects in a relationship, where their place in it says all of that: it isn't asked of those that are
    /// made there, and a relationship to one can't say anything else.
    func toldInverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        let inverse = relationship.inverse.flatMap { destination(of: relationship).entity.relationship(named: $0.name) }
        guard let inverse, !inverse.isToMany || !inverse.relationship.isOptional else { return nil }
        return inverse
    }
}
