// SPDX-License-Identifier: Apache-2.0

import XML

extension FetchIndex: ContentsPart {
    static let elementNames = ElementNames.fetchIndex

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        self.init(
            name: reader.required("name", of: element),
            elements: [],
            partialPredicate: element["partialIndexPredicate"]
        )
    }

    mutating func readParts(of element: XMLElement, _ reader: inout ContentsReader) {
        elements = reader.read("fetchIndexElement", of: element)
    }

    var plainAttributes: KeyValuePairs<String, String?> {
        ["name": name, "partialIndexPredicate": partialPredicate]
    }

    var parts: [XMLElement] { elements.map(\.contentsElement) }
}

extension FetchIndex.Element: ContentsPart {
    static let elementNames = ElementNames.fetchIndexElement

    private enum Order: String, CaseIterable {
        case ascending
        case descending
    }

    init(_ element: XMLElement, _ reader: inout ContentsReader) {
        let subject: Subject
        if let expression = element["expression"], element["property"] == nil {
            subject = .expression(expression, type: reader.type("expressionType", of: element))
        } else {
            subject = .property(reader.required("property", of: element))
        }
        let order: Order = reader.choice("order", of: element) ?? .ascending
        self.init(
            subject,
            kind: reader.choice("type", of: element) ?? .binary,
            isAscending: order == .ascending
        )
    }

    var plainAttributes: KeyValuePairs<String, String?> {
        let property: String?
        let expression: String?
        let expressionType: String?
        switch subject {
        case .property(let name):
            property = name
            expression = nil
            expressionType = nil
        case .expression(let text, let type):
            property = nil
            expression = text
            expressionType = type?.contentsName
        }
        return [
            "property": property,
            "expression": expression,
            "expressionType": expressionType,
            "type": kind.rawValue,
            "order": (isAscending ? Order.ascending : Order.descending).rawValue,
        ]
    }
}
