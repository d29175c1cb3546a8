// SPDX-License-Identifier: Apache-2.0

// All keys of the JSON format. A test compares them with `docs/model.schema.json`.

struct ModelKeys: Sendable {
    /// The object's name in the schema's `$defs`.
    let object: String
    /// The object's name in messages: `fetched property`.
    var words: String {
        object.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : String($1) }
    }
    let keys: [String]

    private init(_ object: String, _ keys: [String]) {
        self.object = object
        self.keys = keys
    }

    static let file = ModelKeys(
        "file",
        ["$schema", "current", "versions"]
    )

    static let model = ModelKeys(
        "model",
        [
            "$schema", "versionIdentifiers", "entities", "composites", "configurations", "fetchRequestTemplates",
            "xcode", "xcodeElements",
        ]
    )

    static let entity = ModelKeys(
        "entity",
        [
            "class", "abstract", "parent", "attributes", "relationships", "fetchedProperties", "unique", "indexes",
            "compoundIndexes", "userInfo", "renamedFrom", "versionHashModifier", "xcode", "xcodeElements",
        ]
    )

    static let attribute = ModelKeys(
        "attribute",
        [
            "type", "composite", "transformer", "optional", "default", "min", "max", "minLength", "maxLength",
            "pattern", "derived", "transient", "externalStorage", "preservedAfterDeletion", "searchIndexed",
            "indexed", "userInfo", "renamedFrom", "versionHashModifier", "xcode", "xcodeElements",
        ]
    )

    static let relationship = ModelKeys(
        "relationship",
        [
            "to", "toMany", "inverse", "optional", "ordered", "min", "max", "deleteRule", "transient", "userInfo",
            "renamedFrom", "versionHashModifier", "xcode", "xcodeElements",
        ]
    )

    static let fetchedProperty = ModelKeys(
        "fetchedProperty",
        ["fetch", "optional", "userInfo", "xcode", "xcodeElements"]
    )

    static let fetchRequest = ModelKeys(
        "fetchRequest",
        [
            "name", "entity", "predicate", "result", "limit", "batchSize", "includesSubentities",
            "includesPropertyValues", "includesPendingChanges", "returnsObjectsAsFaults", "returnsDistinctResults",
            "xcode", "xcodeElements",
        ]
    )

    static let index = ModelKeys(
        "index",
        ["elements", "where", "xcode", "xcodeElements"]
    )

    static let indexElement = ModelKeys(
        "indexElement",
        ["property", "expression", "type", "kind", "descending", "xcode", "xcodeElements"]
    )

    static let composite = ModelKeys(
        "composite",
        ["attributes", "xcode", "xcodeElements"]
    )

    static let configuration = ModelKeys(
        "configuration",
        ["entities", "xcode", "xcodeElements"]
    )

    static let all = [
        file, model, entity, attribute, relationship, fetchedProperty, fetchRequest, index, indexElement, composite,
        configuration,
    ]
}

extension DeleteRule {
    static let jsonNames: KeyValuePairs<String, DeleteRule> = [
        "nullify": .nullify, "cascade": .cascade, "deny": .deny, "noAction": .noAction,
    ]
}

extension FetchRequestTemplate.ResultType {
    static let jsonNames: KeyValuePairs<String, Self> = [
        "objects": .objects, "objectIDs": .objectIDs, "dictionaries": .dictionaries,
    ]
}

extension FetchIndex.Element.Kind {
    static let jsonNames: KeyValuePairs<String, Self> = ["binary": .binary, "rTree": .rTree]
}

extension KeyValuePairs where Key == String, Value: Equatable {
    func name(of value: Value) -> String? { first { $0.value == value }?.key }
}
