// SPDX-License-Identifier: Apache-2.0

// Writes a model as the objects of an archive: the shared state, and the model itself.

import PropertyList

/// Entities and properties refer to each other, so all places are reserved before anything is written.
struct CompiledWriter {
    let model: Model
    var builder = KeyedArchiveBuilder()
    let modelPlace: PropertyListValue
    private var entityPlaces: [String: PropertyListValue] = [:]
    private var propertyPlaces: [String: [String: PropertyListValue]] = [:]

    init(_ model: Model) {
        self.model = model
        modelPlace = builder.reserve()
    }

    mutating func archive() throws(ModelError) -> PropertyListValue {
        let entities = model.entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for entity in entities { try reservePlaces(for: entity) }
        for entity in entities {
            do {
                try write(entity)
            } catch {
                throw error.placed(inEntity: entity.name)
            }
        }
        let identifiers = model.versionIdentifiers.isEmpty ? [""] : model.versionIdentifiers
        var contents = [
            ("NSEntities", addKnownKeys(entities.map(\.name))),
            ("NSFetchRequestTemplates", try addTemplates()),
            ("NSVersionIdentifiers", builder.add(set: identifiers.map { builder.add($0) })),
        ]
        if !model.configurations.isEmpty { contents.append(("NSConfigurations", addConfigurations())) }
        builder.fill(modelPlace, class: ["NSManagedObjectModel", "NSObject"], contents)
        return builder.archive(root: modelPlace)
    }

    /// The place of an entity, or that of null if the name is unknown.
    func place(ofEntity name: String) -> PropertyListValue { entityPlaces[name] ?? KeyedArchiveBuilder.null }

    /// The place of a property as inherited by an entity.
    func place(ofProperty name: String, of entity: String) -> PropertyListValue {
        propertyPlaces[entity]?[name] ?? KeyedArchiveBuilder.null
    }

    private mutating func reservePlaces(for entity: Entity) throws(ModelError) {
        guard entityPlaces[entity.name] == nil else {
            throw .unwritable("Two entities have the name “\(entity.name)”, which a compiled model can't represent.")
        }
        entityPlaces[entity.name] = builder.reserve()
        let lineage = model.lineage(of: entity)
        guard lineage.first?.parentName == nil else {
            throw .unwritable("The entity has no root, which a compiled model can't represent.").placed(
                inEntity: entity.name
            )
        }
        var places: [String: PropertyListValue] = [:]
        for name in lineage.flatMap(\.propertyNames) {
            guard places[name] == nil else {
                throw .unwritable(
                    "Two properties have the name “\(name)”, which a compiled model can't represent.",
                    property: name
                ).placed(inEntity: entity.name)
            }
            places[name] = builder.reserve()
        }
        propertyPlaces[entity.name] = places
    }

    /// Adds a known-keys dictionary, which keeps its keys in a separate list.
    private mutating func addKnownKeys(_ names: [String]) -> PropertyListValue {
        let keys = builder.add(array: names.map { builder.add($0) })
        let mapping = builder.add(
            class: ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
            [("length", .integer(Int128(names.count))), ("keys", keys), ("version", 1)]
        )
        let values = builder.add(array: names.map(place(ofEntity:)))
        let token = builder.add("__empty_slot_token_4c24_98dc_ac1e_b773__")
        return builder.add(
            class: [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject",
            ],
            [("values", values), ("searchMapping", mapping), ("emptyToken", token), ("version", 1)]
        )
    }

    private mutating func addTemplates() throws(ModelError) -> PropertyListValue {
        guard !model.fetchRequestTemplates.isEmpty else { return KeyedArchiveBuilder.null }
        var entries: [(key: PropertyListValue, value: PropertyListValue)] = []
        for template in model.fetchRequestTemplates {
            entries.append((builder.add(template.name), try add(template)))
        }
        return builder.add(dictionary: entries, mutable: true)
    }

    private mutating func addConfigurations() -> PropertyListValue {
        var entries: [(key: PropertyListValue, value: PropertyListValue)] = []
        for configuration in model.configurations {
            let places = configuration.entityNames.compactMap { entityPlaces[$0] }
            entries.append((builder.add(configuration.name), builder.add(set: places)))
        }
        return builder.add(dictionary: entries, mutable: true)
    }
}

extension CompiledWriter {
    mutating func add(_ info: UserInfo) -> PropertyListValue {
        var keys: Set<String> = []
        // If a key is repeated, the first entry counts.
        let entries = info.entries.filter { keys.insert($0.key).inserted }
        return builder.add(dictionary: entries.map { (builder.add($0.key), builder.add($0.value)) })
    }

    /// The contents that all kinds of properties have.
    ///
    /// The flags repeat other keys: the low bits whether the property is optional and so on, the high ones the absence
    /// of rare contents.
    mutating func contents(
        ofProperty name: String,
        entity: PropertyListValue,
        flags: PropertyFlags,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        userInfo: UserInfo = UserInfo()
    ) -> [(String, PropertyListValue)] {
        var contents: [(String, PropertyListValue)] = [
            ("NSPropertyName", builder.add(name)), ("NSEntity", entity),
            ("NSRenamingIdentifier", builder.add(renamingIdentifier ?? name)),
        ]
        var flags = flags
        if versionHashModifier == nil { flags.insert(.noVersionHashModifier) }
        if userInfo.isEmpty { flags.insert(.noUserInfo) }
        contents.append(("_P", .integer(Int128(flags.rawValue))))
        for (flag, key) in PropertyFlags.keys where flags.contains(flag) { contents.append((key, true)) }
        if let versionHashModifier { contents.append(("NSVersionHashModifier", builder.add(versionHashModifier))) }
        if !userInfo.isEmpty { contents.append(("NSUserInfo", add(userInfo))) }
        return contents
    }
}

/// The single-bit options of a property in an archive.
struct PropertyFlags: OptionSet {
    let rawValue: Int

    static let always = PropertyFlags(rawValue: 1)
    static let optional = PropertyFlags(rawValue: 2)
    static let readOnly = PropertyFlags(rawValue: 4)
    static let transient = PropertyFlags(rawValue: 8)
    static let noValidation = PropertyFlags(rawValue: 16 + 32)
    static let noUserInfo = PropertyFlags(rawValue: 64)
    static let noVersionHashModifier = PropertyFlags(rawValue: 128)
    static let ordered = PropertyFlags(rawValue: 1024)

    /// The flags that also have a key.
    static let keys: [(PropertyFlags, String)] = [
        (.optional, "NSIsOptional"), (.readOnly, "NSIsReadOnly"), (.transient, "NSIsTransient"),
        (.ordered, "NSIsOrdered"),
    ]

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    init(
        optional: Bool = false,
        readOnly: Bool = false,
        transient: Bool = false,
        ordered: Bool = false,
        validated: Bool = false
    ) {
        self = .always
        if optional { insert(.optional) }
        if readOnly { insert(.readOnly) }
        if transient { insert(.transient) }
        if ordered { insert(.ordered) }
        if !validated { insert(.noValidation) }
    }
}

extension Entity {
    fileprivate var propertyNames: [String] {
        attributes.map(\.name) + relationships.map(\.name) + fetchedProperties.map(\.name)
    }
}
