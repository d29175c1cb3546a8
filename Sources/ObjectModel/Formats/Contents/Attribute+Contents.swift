// SPDX-License-Identifier: Apache-2.0

import Predicates
import XML

extension Attribute: ContentsPart {
    static let elementNames = ElementNames.attribute

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(name: reader.required("name", of: element), type: .undefined)
        readType(of: element, &reader)
        isOptional = reader.flag("optional", of: element) ?? false
        isTransient = reader.flag("transient", of: element) ?? false
        allowsExternalStorage = reader.flag("allowsExternalBinaryDataStorage", of: element) ?? false
        isPreservedAfterDeletion = reader.flag("preserveAfterDeletion", of: element) ?? false
        isSearchIndexed = reader.flag("spotlightIndexingEnabled", of: element) ?? false
        isIndexed = reader.flag("indexed", of: element) ?? false
        regularExpression = element["regularExpressionString"]
        userInfo = reader.userInfo(of: element)
        renamingIdentifier = element["elementID"]
        versionHashModifier = element["versionHashModifier"]
        readDerivation(of: element, &reader)
        readValues(of: element, &reader)
    }

    var plainAttributes: KeyValuePairs<String, String?> {
        let isDate = type == .date
        let isString = type == .string
        let minimum = isString ? minimumLength.map(String.init) : minimumValue?.contentsText
        let maximum = isString ? maximumLength.map(String.init) : maximumValue?.contentsText
        let defaultText = defaultValue?.contentsText
        return [
            "name": name,
            "optional": isOptional.contentsYes,
            "transient": isTransient.contentsYes,
            "attributeType": type == .undefined ? nil : type.contentsName,
            "composite": type.compositeName,
            "minDateTimeInterval": isDate ? minimum : nil,
            "maxDateTimeInterval": isDate ? maximum : nil,
            "defaultDateTimeInterval": isDate ? defaultText : nil,
            "derived": isDerived.contentsYes,
            "derivationExpression": derivation,
            "minValueString": isDate ? nil : minimum,
            "maxValueString": isDate ? nil : maximum,
            "defaultValueString": isDate ? nil : defaultText,
            "regularExpressionString": regularExpression,
            "allowsExternalBinaryDataStorage": allowsExternalStorage.contentsYes,
            "spotlightIndexingEnabled": isSearchIndexed.contentsYes,
            "indexed": isIndexed.contentsYes,
            "elementID": renamingIdentifier,
            "preserveAfterDeletion": isPreservedAfterDeletion.contentsYes,
            "valueTransformerName": type.transformerName,
            "versionHashModifier": versionHashModifier,
        ]
    }

    var groups: [XMLElement] { userInfo.contentsElements }

    private mutating func readType(of element: XMLElement, _ reader: inout ContentsReader) {
        type = reader.type("attributeType", of: element) ?? .undefined
        switch type {
        case .composite:
            type = .composite(reader.required("composite", of: element))
        case .transformable:
            guard let transformer = element["valueTransformerName"], !transformer.isEmpty else { break }
            type = .transformable(transformer: transformer)
        default: break
        }
    }

    private mutating func readDerivation(of element: XMLElement, _ reader: inout ContentsReader) {
        let isDerived = reader.flag("derived", of: element) ?? false
        guard let expression = element["derivationExpression"], !expression.isEmpty else {
            if isDerived {
                reader.report(
                    .modelMissing,
                    at: element,
                    "A derived attribute needs the attribute “derivationExpression”."
                )
            }
            return
        }
        if isDerived {
            derivation = expression
        } else {
            reader.report(
                .modelUnused,
                at: element,
                "derivationExpression has no meaning without derived, and is only preserved.",
                hint: "Add derived=\"YES\"."
            )
        }
    }

    private mutating func readValues(of element: XMLElement, _ reader: inout ContentsReader) {
        let (used, unused) =
            type == .date
            ? ("DateTimeInterval", "ValueString") : ("ValueString", "DateTimeInterval")
        for name in ["default", "min", "max"] where !(element[name + unused] ?? "").isEmpty {
            reader.report(
                .modelUnused,
                at: element,
                "\(name)\(unused) has no meaning for an attribute of type \(type.name), and is only preserved.",
                hint: type == .date ? "Write \(name)DateTimeInterval with the seconds since 2001-01-01." : nil
            )
        }
        defaultValue = reader.value("default" + used, as: type, of: element)
        if type == .string {
            minimumLength = reader.count("minValueString", of: element)
            maximumLength = reader.count("maxValueString", of: element)
        } else {
            minimumValue = reader.value("min" + used, as: type, of: element)
            maximumValue = reader.value("max" + used, as: type, of: element)
        }
    }
}

extension UserInfo {
    var contentsElements: [XMLElement] {
        isEmpty
            ? []
            : [XMLElement("userInfo", [:], entries.map { XMLElement("entry", ["key": $0.key, "value": $0.value]) })]
    }
}
