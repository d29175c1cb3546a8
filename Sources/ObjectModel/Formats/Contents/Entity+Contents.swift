// SPDX-License-Identifier: Apache-2.0

import XML

extension Entity: ContentsPart {
    static let elementNames = ElementNames.entity

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(
            name: reader.required("name", of: element),
            className: element["representedClassName"].flatMap { $0.isEmpty ? nil : $0 },
            isAbstract: reader.flag("isAbstract", of: element) ?? false,
            parentName: element["parentEntity"].flatMap { $0.isEmpty ? nil : $0 },
            compoundIndexes: element.lists("compoundIndexes", of: "compoundIndex", of: "index"),
            uniquenessConstraints: element.lists("uniquenessConstraints", of: "uniquenessConstraint", of: "constraint"),
            userInfo: reader.userInfo(of: element),
            renamingIdentifier: element["elementID"],
            versionHashModifier: element["versionHashModifier"]
        )
    }

    mutating func readParts(of element: XMLElement, _ reader: inout ContentsReader) {
        attributes = reader.read("attribute", of: element)
        relationships = reader.read("relationship", of: element)
        fetchedProperties = reader.read("fetchedProperty", of: element)
        fetchIndexes = reader.read("fetchIndex", of: element)
    }

    /// Includes `syncable` for every entity, as Xcode does.
    var plainAttributes: KeyValuePairs<String, String?> {
        [
            "name": name,
            "representedClassName": className,
            "isAbstract": isAbstract.contentsYes,
            "parentEntity": parentName,
            "elementID": renamingIdentifier,
            "versionHashModifier": versionHashModifier,
            "syncable": "YES",
        ]
    }

    var parts: [XMLElement] {
        attributes.map(\.contentsElement) + relationships.map(\.contentsElement)
            + fetchedProperties.map(\.contentsElement)
            + fetchIndexes.map(\.contentsElement)
    }

    var groups: [XMLElement] {
        XMLElement.groups("compoundIndexes", of: "compoundIndex", of: "index", compoundIndexes)
            + XMLElement.groups(
                "uniquenessConstraints",
                of: "uniquenessConstraint",
                of: "constraint",
                uniquenessConstraints
            )
            + userInfo.contentsElements
    }
}

extension XMLElement {
    /// The values in two levels of elements below the child elements of a name.
    fileprivate func lists(_ group: String, of list: String, of item: String) -> [[String]] {
        elements(named: group).flatMap { $0.elements(named: list) }.map {
            $0.elements(named: item).map { $0["value"] ?? "" }
        }
    }

    fileprivate static func groups(
        _ group: String,
        of list: String,
        of item: String,
        _ values: [[String]]
    ) -> [XMLElement] {
        guard !values.isEmpty else { return [] }
        return [
            XMLElement(
                group,
                [:],
                values.map { XMLElement(list, [:], $0.map { XMLElement(item, ["value": $0]) }) }
            )
        ]
    }
}
