// SPDX-License-Identifier: Apache-2.0

// A model as the root element of its XML, with its composites and configurations.

import XML

extension Model: ContentsPart {
    static let elementNames = ElementNames.model

    /// A non-empty `userDefinedModelVersionIdentifier` is a single identifier, whatever it contains.
    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        let identifier = element["userDefinedModelVersionIdentifier"] ?? ""
        self.init(versionIdentifiers: identifier.isEmpty ? [] : [identifier])
    }

    mutating func readParts(of element: XMLElement, _ reader: inout ContentsReader) {
        entities = reader.read("entity", of: element)
        fetchRequestTemplates = reader.read("fetchRequest", of: element)
        configurations = reader.read("configuration", of: element)
        composites = reader.read("composite", of: element)
    }

    /// The values are those of Xcode's templates, for models not written by Xcode.
    var plainAttributes: KeyValuePairs<String, String?> {
        [
            "type": "com.apple.IDECoreDataModeler.DataModel",
            "documentVersion": "1.0",
            "lastSavedToolsVersion": "1",
            "systemVersion": "11A491",
            "minimumToolsVersion": "Automatic",
            "userDefinedModelVersionIdentifier": versionIdentifiers.joined(separator: ","),
        ]
    }

    var parts: [XMLElement] {
        entities.map(\.contentsElement) + fetchRequestTemplates.map(\.contentsElement)
            + configurations.map(\.contentsElement)
            + composites.map(\.contentsElement)
    }

    /// The version identifier comes first, or last in files of Xcode versions that write `sourceLanguage`.
    static func rank(of attribute: String, in element: XMLElement) -> Int {
        if attribute == "userDefinedModelVersionIdentifier", element["sourceLanguage"] != nil {
            return elementNames.attributes.count
        }
        return elementNames.rank(ofAttribute: attribute)
    }
}

extension Composite: ContentsPart {
    static let elementNames = ElementNames.composite

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(name: reader.required("name", of: element), attributes: [])
    }

    mutating func readParts(of element: XMLElement, _ reader: inout ContentsReader) {
        attributes = reader.read("attribute", of: element)
    }

    var plainAttributes: KeyValuePairs<String, String?> { ["name": name] }

    var parts: [XMLElement] { attributes.map(\.contentsElement) }
}

extension Configuration: ContentsPart {
    static let elementNames = ElementNames.configuration

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(
            name: reader.required("name", of: element),
            entityNames: element.elements(named: "memberEntity").map { $0["name"] ?? "" }
        )
    }

    var plainAttributes: KeyValuePairs<String, String?> { ["name": name] }

    var groups: [XMLElement] { entityNames.map { XMLElement("memberEntity", ["name": $0]) } }
}
