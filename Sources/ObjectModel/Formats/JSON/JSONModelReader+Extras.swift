// SPDX-License-Identifier: Apache-2.0

// User info, and the XML content that only Xcode uses.

import JSON
import SourceText
import XML

extension JSONModelReader {
    mutating func userInfo(of object: JSONObject) -> UserInfo {
        UserInfo(
            named("userInfo", of: object) { reader, key, value in
                if value.string == nil { reader.reportType(of: value, "“\(key)” in userInfo", "a string") }
                return UserInfo.Entry(key: key, value: value.string ?? "")
            }
        )
    }

    /// The preserved XML content, in the order of the XML.
    mutating func extras(of object: JSONObject, _ names: ElementNames) -> Extras {
        var extras = Extras(
            attributes: named("xcode", of: object) { reader, name, value in
                if value.string == nil { reader.reportType(of: value, "“\(name)” in xcode", "a string") }
                return XMLAttribute(name: name, value: value.string ?? "")
            },
            elements: elements("xcodeElements", of: object).compactMap { element($0) }
        )
        extras.attributes.sortStably { names.rank(ofAttribute: $0.name) }
        extras.elements.sortStably { names.rank(ofElement: $0.name) }
        return extras
    }

    private mutating func element(_ value: JSONValue) -> XMLElement? {
        guard let text = value.string else {
            reportType(of: value, "an element of xcodeElements", "a string of XML")
            return nil
        }
        do {
            return try XMLElement(parsing: text).withoutLayout()
        } catch {
            report(.modelValue, at: value.position, "The XML can't be read: \(error)".asSentenceEnd)
            return nil
        }
    }
}

extension Extras {
    /// Adds the extras to the JSON object of their owner.
    func write(to object: inout JSONObject) throws(ModelError) {
        if !attributes.isEmpty {
            object["xcode"] = .object(
                try JSONObject(distinct: attributes.map { ($0.name, .string($0.value)) }, "XML attributes")
            )
        }
        guard !elements.isEmpty else { return }
        var texts: [JSONValue] = []
        for element in elements {
            do {
                texts.append(.string(try element.serialized(.compact)))
            } catch {
                throw ModelError(
                    .unwritable,
                    at: ModelIssue.Place(),
                    "<\(element.name)> isn't valid XML: \(error.message)"
                )
            }
        }
        object["xcodeElements"] = .array(texts)
    }
}

extension UserInfo {
    func json() throws(ModelError) -> JSONValue? {
        isEmpty ? nil : .object(try JSONObject(distinct: entries.map { ($0.key, .string($0.value)) }, "user info keys"))
    }
}
