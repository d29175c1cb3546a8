// SPDX-License-Identifier: Apache-2.0

// All elements and attributes of a model's XML, in Xcode's order, with their use. Others are reported as unknown, and
// preserved too.

struct ElementNames: Sendable {
    enum AttributeUse: Sendable {
        /// Becomes part of the value.
        case read
        /// Kept in the extras, since only Xcode or other stores use it.
        case carried
    }

    enum ElementUse: Sendable {
        /// Becomes a value with its own extras.
        case part
        /// A part that occurs at most once.
        case onePart
        /// Read as a whole into the enclosing value.
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

    /// The position of an attribute among the others; unknown ones come last.
    func rank(ofAttribute name: String) -> Int {
        attributes[name]?.rank ?? attributes.count
    }

    /// The position of a child element among the others; unknown ones come last.
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

    /// The elements that are read as a whole, with their contents.
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
