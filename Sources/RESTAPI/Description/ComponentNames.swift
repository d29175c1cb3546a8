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
    }

    private var entities: [String] = []
    private var composites: [String: String] = [:]

    init(_ catalogue: Catalogue) {
        var taken = Set(SharedSchema.allCases.map { Self.folded($0.rawValue) })
        entities = catalogue.resources.map { Self.unused(for: $0.entity.name, &taken) }
        for composite in catalogue.model.model.composites {
            composites[composite.name] = Self.unused(for: composite.name, &taken)
        }
    }

    subscript(_ resource: Resource, _ part: Part = .object) -> String {
        entities[resource.entity.index] + part.rawValue
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

    /// A verb and what it is done to: `addPostTags`.
    mutating func name(_ verb: String, _ parts: String...) -> String {
        let base = parts.reduce(verb) { name, part in
            let part = ComponentNames.identifier(part)
            return name + part.prefix(1).uppercased() + part.dropFirst()
        }
        for number in 1... {
            let candidate = number == 1 ? base : "\(base)\(number)"
            if taken.insert(ComponentNames.folded(candidate)).inserted { return candidate }
        }
        return base
    }
}
