// SPDX-License-Identifier: Apache-2.0

// The one table of all elements and attributes that a model's XML has: in which order Xcode writes them, and what is
// done with each. What isn't listed is unknown: carried along too, and noted.

struct ElementNames: Sendable {
    enum AttributeUse: Sendable {
        /// It becomes part of the value.
        case read
        /// It is kept in the extras: it means something to Xcode or to other stores only.
        case carried
    }

    enum ElementUse: Sendable {
        /// It becomes a value with extras of its own.
        case part
        /// The same, and there is one.
        case onePart
        /// It becomes part of the value as a whole.
        case group
        case carried
    }

    let element: String
    let attributes: [String: (rank: Int, use: AttributeUse)]
    let elements: [String: (rank: Int, use: ElementUse)]

    init(
        _ element: String,
        attributes: KeyValuePairs<String, AttributeUse> = [:],
        elements: KeyValuePairs<String, ElementUse> = [:]
    ) {
        self.element = element
        self.attributes = Self.ranked(attributes)
        self.elements = Self.ranked(elements)
    }

    /// Where an attribute stands among the others; unknown ones come last.
    func rank(ofAttribute name: String) -> Int {
        attributes[name]?.rank ?? attributes.count
    }

    /// Where a child element stands among the others; unknown ones come last.
    func rank(ofElement name: String) -> Int {
        elements[name]?.rank ?? elements.count
    }

    private static func ranked<Use>(_ names: KeyValuePairs<String, Use>) -> [String: (rank: Int, use: Use)] {
        Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1.key, (rank: $0, use: $1.value)) })
    }
}

extension ElementNames {
    static let model = ElementNames(
        "model",
        attributes: [
            "name": .carried, "userDefinedModelVersionIdentifier": .read, "type": .read, "documentVersion": .read,
            "lastSavedToolsVersion": .read, "systemVersion": .read, "minimumToolsVersion": .read,
            "sourceLanguage": .carried, "macOSVersion": .carried, "iOSVersion": .carried,
            "usedWithSwiftData": .carried, "usedWithCloudKit": .carried,
        ],
        elements: [
            "entity": .part, "fetchRequest": .part, "configuration": .part, "composite": .part, "elements": .carried,
        ]
    )

    static let entity = ElementNames(
        "entity",
        attributes: [
            "name": .read, "representedClassName": .read, "isAbstract": .read, "parentEntity": .read,
            "elementID": .read, "versionHashModifier": .read, "coreSpotlightDisplayNameExpression": .carried,
            "syncable": .read, "codeGenerationType": .carried,
        ],
        elements: [
            "attribute": .part, "relationship": .part, "fetchedProperty": .part, "fetchIndex": .part,
            "compoundIndexes": .group, "uniquenessConstraints": .group, "userInfo": .group,
        ]
    )

    static let attribute = ElementNames(
        "attribute",
        attributes: [
            "name": .read, "optional": .read, "transient": .read, "attributeType": .read, "composite": .read,
            "minDateTimeInterval": .read, "maxDateTimeInterval": .read, "defaultDateTimeInterval": .read,
            "derived": .read, "derivationExpression": .read,
            "minValueString": .read, "maxValueString": .read, "defaultValueString": .read,
            "regularExpressionString": .read, "allowsExternalBinaryDataStorage": .read,
            "spotlightIndexingEnabled": .read, "storedInTruthFile": .carried, "allowsCloudEncryption": .carried,
            "usesScalarValueType": .carried, "indexed": .read, "elementID": .read, "preserveAfterDeletion": .read,
            "valueTransformerName": .read, "customClassName": .carried, "versionHashModifier": .read,
            "syncable": .carried,
        ],
        elements: ["userInfo": .group]
    )

    static let relationship = ElementNames(
        "relationship",
        attributes: [
            "name": .read, "optional": .read, "transient": .read, "toMany": .read, "minCount": .read,
            "maxCount": .read, "deletionRule": .read, "deleteRule": .read, "ordered": .read,
            "destinationEntity": .read, "inverseName": .read, "inverseEntity": .read,
            "spotlightIndexingEnabled": .carried, "storedInTruthFile": .carried, "indexed": .carried,
            "elementID": .read, "preserveAfterDeletion": .carried, "versionHashModifier": .read, "syncable": .carried,
        ],
        elements: ["userInfo": .group]
    )

    static let fetchedProperty = ElementNames(
        "fetchedProperty",
        attributes: [
            "name": .read, "optional": .read, "transient": .carried, "elementID": .carried,
            "versionHashModifier": .carried, "syncable": .carried,
        ],
        elements: ["fetchRequest": .onePart, "userInfo": .group]
    )

    static let fetchRequest = ElementNames(
        "fetchRequest",
        attributes: [
            "name": .read, "entity": .read, "predicateString": .read, "resultType": .read, "fetchLimit": .read,
            "fetchBatchSize": .read, "includeSubentities": .read, "includePropertyValues": .read,
            "includesPendingChanges": .read, "returnObjectsAsFaults": .read, "returnDistinctResults": .read,
        ]
    )

    static let fetchIndex = ElementNames(
        "fetchIndex",
        attributes: ["name": .read, "partialIndexPredicate": .read],
        elements: ["fetchIndexElement": .part]
    )

    static let fetchIndexElement = ElementNames(
        "fetchIndexElement",
        attributes: ["property": .read, "expression": .read, "expressionType": .read, "type": .read, "order": .read]
    )

    static let composite = ElementNames("composite", attributes: ["name": .read], elements: ["attribute": .part])

    static let configuration = ElementNames(
        "configuration",
        attributes: ["name": .read, "usedWithCloudKit": .carried],
        elements: ["memberEntity": .group]
    )

    /// The elements that become part of a value as a whole, with what may be in them.
    static let groups = Dictionary(
        uniqueKeysWithValues: [
            ElementNames("userInfo", elements: ["entry": .group]),
            ElementNames("entry", attributes: ["key": .read, "value": .read]),
            ElementNames("compoundIndexes", elements: ["compoundIndex": .group]),
            ElementNames("compoundIndex", elements: ["index": .group]),
            ElementNames("index", attributes: ["value": .read]),
            ElementNames("uniquenessConstraints", elements: ["uniquenessConstraint": .group]),
            ElementNames("uniquenessConstraint", elements: ["constraint": .group]),
            ElementNames("constraint", attributes: ["value": .read]),
            ElementNames("memberEntity", attributes: ["name": .read]),
        ].map { ($0.element, $0) }
    )
}
