// SPDX-License-Identifier: Apache-2.0

// Fetch indexes: `"byDate": ["-createdAt", "title"]`, or an object with more details.

import JSON

extension JSONModelReader {
    mutating func index(_ name: String, _ value: JSONValue) -> FetchIndex {
        if let values = value.array { return FetchIndex(name: name, elements: values.map { indexElement($0) }) }
        guard let object = object(value, .index, or: "an array") else { return FetchIndex(name: name, elements: []) }
        if object["elements"] == nil {
            report(.modelMissing, at: value.position, "An index needs elements.")
        }
        return FetchIndex(
            name: name,
            elements: elements("elements", of: object).map { indexElement($0) },
            partialPredicate: text("where", of: object),
            extras: extras(of: object, .fetchIndex)
        )
    }

    private mutating func indexElement(_ value: JSONValue) -> FetchIndex.Element {
        if let text = value.string { return FetchIndex.Element(notation: text) }
        guard let object = object(value, .indexElement, or: "a string") else {
            return FetchIndex.Element(.property(""))
        }
        let property = text("property", of: object)
        let expression = text("expression", of: object)
        if (object["property"] == nil) == (object["expression"] == nil) {
            report(.modelMissing, at: value.position, "An index element needs either a property or an expression.")
        }
        var type: AttributeType?
        if let text = text("type", of: object) { type = self.type(text, at: object["type"]?.position).0 }
        return FetchIndex.Element(
            expression.map { .expression($0, type: type) } ?? .property(property ?? ""),
            kind: choice("kind", of: object, FetchIndex.Element.Kind.jsonNames) ?? .binary,
            isAscending: !(flag("descending", of: object) ?? false),
            extras: extras(of: object, .fetchIndexElement)
        )
    }
}

extension FetchIndex {
    func json() throws(ModelError) -> JSONValue {
        var values: [JSONValue] = []
        for element in elements { values.append(try element.json()) }
        guard partialPredicate != nil || !extras.isEmpty else { return .array(values) }
        var object = JSONObject()
        object["elements"] = .array(values)
        object["where"] = partialPredicate.map(JSONValue.string)
        try extras.write(to: &object)
        return .object(object)
    }
}

extension FetchIndex.Element {
    /// Parses a property's name, preceded by a minus sign for descending order.
    fileprivate init(notation: String) {
        let isDescending = notation.first == "-"
        self.init(.property(String(notation.dropFirst(isDescending ? 1 : 0))), isAscending: !isDescending)
    }

    fileprivate func json() throws(ModelError) -> JSONValue {
        var object = JSONObject()
        switch subject {
        case .property(let name):
            let notation = (isAscending ? "" : "-") + name
            if Self(notation: notation) == self { return .string(notation) }
            object["property"] = .string(name)
        case .expression(let text, let type):
            object["expression"] = .string(text)
            object["type"] = type.map { .string($0.name) }
        }
        if kind != .binary { object["kind"] = Kind.jsonNames.name(of: kind).map(JSONValue.string) }
        object["descending"] = (!isAscending).jsonTrue
        try extras.write(to: &object)
        return .object(object)
    }
}
