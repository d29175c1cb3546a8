// SPDX-License-Identifier: Apache-2.0

// The Swift names of a model's parts.
//
// 1. A name that is taken gets underscores until it is unique. Classes are named first, then composites and the rest,
//    in the order of their names, so that a model always yields the same names.
// 2. Type names are unique without regard to case, since they become file names.
// 3. A property has the same name in all classes that inherit it.

import ObjectModel

struct SwiftNames {
    private(set) var renamings: [Renaming] = []
    /// The enum that lists all classes.
    private(set) var model = ""
    private var classes: [String: String] = [:]
    private var transfers: [String: String] = [:]
    private var composites: [String: String] = [:]
    /// The names of properties, by entity or composite and by name.
    private var entityProperties: [String: [String: String]] = [:]
    private var compositeProperties: [String: [String: String]] = [:]
    private let parents: Set<String>
    private var takenTypes = Set(Self.typesInUse.map { $0.lowercased() })

    init(_ model: Model, name: String) {
        parents = Set(model.entities.compactMap(\.parentName))
        let entities = model.entities.sorted { $0.name < $1.name }
        let counts = Dictionary(entities.map { ($0.wantedClassName, 1) }, uniquingKeysWith: +)
        for entity in entities {
            // A class shared by several entities couldn't have typed properties for all of them.
            let wanted = entity.wantedClassName
            let taken = takeType(counts[wanted] == 1 ? wanted : entity.name)
            classes[entity.name] = taken
            if taken != wanted { renamings.append(Renaming(owner: entity.name, property: nil, name: taken)) }
        }
        for composite in model.composites.sorted(by: { $0.name < $1.name }) {
            let type = takeType(composite.name)
            composites[composite.name] = type
            if type != composite.name {
                renamings.append(Renaming(owner: composite.name, property: nil, name: type))
            }
        }
        for composite in model.composites {
            let attributes = composite.attributes.map(\.name).sorted()
            compositeProperties[composite.name] = properties(
                attributes,
                of: composite.name,
                avoiding: Self.compositeMembers
            )
        }
        self.model = takeType(name.asIdentifier + "Model")
        for entity in entities { transfers[entity.name] = takeType(className(of: entity.name) + "DTO") }
        for entity in model.parentsFirst {
            let inherited = entity.parentName.flatMap { entityProperties[$0] } ?? [:]
            let taken = Self.objectMembers.union(inherited.values)
            let own = properties(entity.properties.map(\.name).sorted(), of: entity.name, avoiding: taken)
            entityProperties[entity.name] = inherited.merging(own) { _, own in own }
        }
        renamings.sort { ($0.owner, $0.property ?? "") < ($1.owner, $1.property ?? "") }
    }

    func hasSubentities(_ entity: Entity) -> Bool { parents.contains(entity.name) }

    func className(of entity: String) -> String { classes[entity] ?? entity }

    func transferName(of entity: String) -> String { transfers[entity] ?? entity }

    func compositeName(_ composite: String) -> String { composites[composite] ?? composite }

    func property(_ name: String, of entity: Entity) -> String { entityProperties[entity.name]?[name] ?? name }

    func property(_ name: String, of composite: Composite) -> String {
        compositeProperties[composite.name]?[name] ?? name
    }

    private mutating func takeType(_ wanted: String) -> String {
        var name = wanted.asIdentifier
        while !takenTypes.insert(name.lowercased()).inserted { name += "_" }
        return name
    }

    private mutating func properties(
        _ names: [String],
        of owner: String,
        avoiding taken: Set<String>
    ) -> [String: String] {
        // A property can't have the name of a type.
        var taken = taken.union(classes.values).union(composites.values).union(Self.typesInUse)
        var properties: [String: String] = [:]
        for name in names {
            var swiftName = name.asIdentifier
            while !taken.insert(swiftName).inserted { swiftName += "_" }
            properties[name] = swiftName
            if swiftName != name { renamings.append(Renaming(owner: owner, property: name, name: swiftName)) }
        }
        return properties
    }
}

extension SwiftNames {
    /// Type names that generated code, or code around it, uses.
    private static let typesInUse = [
        "Any", "AnyObject", "Array", "AttributeKey", "Birth", "Bool", "Codable", "CodingKey", "Composite",
        "CompositeKeys",
        "CompositeMembers", "CompositeValue", "Data", "Date", "Decimal", "Decodable", "Decoder", "Dictionary", "Double",
        "Encodable", "Encoder",
        "Equatable", "Error", "FetchRequest", "Float", "GraphError", "Hashable", "Hasher", "Int", "Int16", "Int32",
        "Int64",
        "Keys", "ManagedObject", "ManagedObjectContext", "ManagedObjectID", "ManagedObjectModel", "Never",
        "Object", "ObjectReference", "Optional", "OrderedObjects", "Outcrop", "Protocol", "Self", "Sendable",
        "Sequence", "Set",
        "String", "Swift", "ToManyKey", "ToManyObjects", "Type", "URL", "Unwrapped", "UUID", "Value", "Void", "main",
    ]

    /// The members of every object.
    static let objectMembers: Set<String> = [
        "CodingKeys", "Protocol", "Type", "awakeFromFetch", "awakeFromInsert", "changedValues", "committedSnapshot",
        "context",
        "didSave", "didTurnIntoFault", "entity", "entityName", "hasChanges", "hasPersistentChangedValues", "hashValue",
        "init", "isDeleted", "isFault", "isInserted", "isUpdated", "objectID", "prepareForDeletion", "reference",
        "rowVersion", "self",
        "validateForDelete", "validateForInsert", "validateForUpdate", "willSave", "willTurnIntoFault",
    ]

    /// The members of every composite.
    private static let compositeMembers: Set<String> = [
        "CodingKeys", "Protocol", "Type", "absent", "hashValue", "init", "members", "self", "value",
    ]

    private static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import",
        "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while",
    ]

    /// A name in a declaration, with backticks around keywords.
    static func declared(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }
}

extension Entity {
    /// The class name in the model, without its module.
    fileprivate var wantedClassName: String {
        guard let name = className?.split(separator: ".").last.map(String.init), name != "NSManagedObject" else {
            return self.name
        }
        return name
    }

    var properties: [Property] {
        attributes.map(Property.attribute) + relationships.map(Property.relationship)
            + fetchedProperties.map(Property.fetched)
    }
}

extension Model {
    /// The entities, parents first.
    fileprivate var parentsFirst: [Entity] {
        let children = Dictionary(grouping: entities) { $0.parentName }
        var order = children[nil] ?? []
        var next = 0
        while next < order.count {
            order += children[order[next].name] ?? []
            next += 1
        }
        return order
    }
}

extension String {
    /// The name with invalid characters replaced by underscores.
    fileprivate var asIdentifier: String {
        var name = ""
        for scalar in unicodeScalars {
            let isStart = scalar == "_" || scalar.properties.isXIDStart
            if name.isEmpty, !isStart, scalar.properties.isXIDContinue { name = "_" }
            name.unicodeScalars.append(isStart || scalar.properties.isXIDContinue ? scalar : "_")
        }
        return name.isEmpty || name == "_" ? "__" : name
    }
}
