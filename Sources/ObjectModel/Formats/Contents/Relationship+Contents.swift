// SPDX-License-Identifier: Apache-2.0

import XML

extension Relationship: ContentsPart {
    static let elementNames = ElementNames.relationship

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(
            name: reader.required("name", of: element),
            destinationName: reader.required("destinationEntity", of: element),
            inverseName: element["inverseName"],
            isToMany: reader.flag("toMany", of: element) ?? false,
            isOrdered: reader.flag("ordered", of: element) ?? false,
            isOptional: reader.flag("optional", of: element) ?? false,
            isTransient: reader.flag("transient", of: element) ?? false,
            userInfo: reader.userInfo(of: element),
            renamingIdentifier: element["elementID"],
            versionHashModifier: element["versionHashModifier"]
        )
        readCounts(of: element, &reader)
        readDeleteRule(of: element, &reader)
    }

    var plainAttributes: KeyValuePairs<String, String?> {
        [
            "name": name,
            "optional": isOptional.contentsYes,
            "transient": isTransient.contentsYes,
            "toMany": isToMany.contentsYes,
            "minCount": minimumCount.map(String.init),
            "maxCount": isToMany ? maximumCount.map(String.init) : "1",
            "deletionRule": deleteRule.rawValue,
            "ordered": isOrdered.contentsYes,
            "destinationEntity": destinationName,
            "inverseName": inverseName,
            "inverseEntity": inverseName.map { _ in destinationName },
            "elementID": renamingIdentifier,
            "versionHashModifier": versionHashModifier,
        ]
    }

    var groups: [XMLElement] { userInfo.contentsElements }

    /// Zero means unbounded, as in Core Data.
    private mutating func readCounts(of element: XMLElement, _ reader: inout ContentsReader) {
        minimumCount = reader.count("minCount", of: element).flatMap { $0 == 0 ? nil : $0 }
        let maximum = reader.count("maxCount", of: element).flatMap { $0 == 0 ? nil : $0 }
        if isToMany {
            maximumCount = maximum
        } else if let maximum, maximum > 1 {
            reader.report(
                .modelUnused,
                at: element,
                "maxCount \(maximum) has no meaning for a to-one relationship, and is only preserved.",
                hint: "Add toMany=\"YES\" if there can be several objects."
            )
        }
    }

    private mutating func readDeleteRule(of element: XMLElement, _ reader: inout ContentsReader) {
        if element["deleteRule"] != nil {
            reader.report(
                .modelName,
                at: element,
                "deleteRule is read as deletionRule.",
                hint: "Write deletionRule."
            )
        }
        let name = element["deletionRule"] == nil ? "deleteRule" : "deletionRule"
        deleteRule = reader.choice(name, of: element) ?? .nullify
    }
}
