// SPDX-License-Identifier: Apache-2.0

import XML

extension FetchRequestTemplate: ContentsPart {
    static let elementNames = ElementNames.fetchRequest

    /// Xcode's name for the fetch request of every fetched property.
    static let nameInFetchedProperty = "fetchedPropertyFetchRequest"

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(
            name: reader.required("name", of: element),
            entityName: reader.required("entity", of: element),
            predicate: element["predicateString"],
            resultType: reader.choice("resultType", of: element),
            fetchLimit: reader.count("fetchLimit", of: element),
            fetchBatchSize: reader.count("fetchBatchSize", of: element),
            includesSubentities: reader.flag("includeSubentities", of: element),
            includesPropertyValues: reader.flag("includePropertyValues", of: element),
            includesPendingChanges: reader.flag("includesPendingChanges", of: element),
            returnsObjectsAsFaults: reader.flag("returnObjectsAsFaults", of: element),
            returnsDistinctResults: reader.flag("returnDistinctResults", of: element)
        )
    }

    var plainAttributes: KeyValuePairs<String, String?> {
        [
            "name": name,
            "entity": entityName,
            "predicateString": predicate,
            "resultType": resultType.map { String($0.rawValue) },
            "fetchLimit": fetchLimit.map(String.init),
            "fetchBatchSize": fetchBatchSize.map(String.init),
            "includeSubentities": includesSubentities?.contentsText,
            "includePropertyValues": includesPropertyValues?.contentsText,
            "includesPendingChanges": includesPendingChanges?.contentsText,
            "returnObjectsAsFaults": returnsObjectsAsFaults?.contentsText,
            "returnDistinctResults": returnsDistinctResults?.contentsText,
        ]
    }
}

extension FetchedProperty: ContentsPart {
    static let elementNames = ElementNames.fetchedProperty

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(
            name: reader.required("name", of: element),
            fetchRequest: FetchRequestTemplate(name: FetchRequestTemplate.nameInFetchedProperty, entityName: ""),
            isOptional: reader.flag("optional", of: element) ?? false,
            userInfo: reader.userInfo(of: element)
        )
    }

    mutating func readParts(of element: XMLElement, _ reader: inout ContentsReader) {
        if let request = element.first(named: "fetchRequest") {
            fetchRequest = reader.read(request)
        } else {
            reader.report(.modelMissing, at: element, "<fetchedProperty> needs a <fetchRequest>.")
        }
    }

    var plainAttributes: KeyValuePairs<String, String?> {
        ["name": name, "optional": isOptional.contentsYes]
    }

    var groups: [XMLElement] { userInfo.contentsElements }

    var parts: [XMLElement] { [fetchRequest.contentsElement] }
}

extension Bool {
    fileprivate var contentsText: String { self ? "YES" : "NO" }
}
