// SPDX-License-Identifier: Apache-2.0

// The XML format: an element for each value, within `<plist>`.

import FoundationEssentials
import SourceText
import XML

enum XMLPropertyList {
    /// The key that represents a reference of a keyed archive in XML.
    private static let uidKey = "CF$UID"

    static func read(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) -> PropertyListValue {
        let root: XMLElement
        do {
            root = try XMLElement(parsing: bytes, limits: XMLLimits(depth: limits.depth + 2))
        } catch {
            throw PropertyListError(error)
        }
        guard root.name == "plist" else { throw .notAPropertyList }
        guard root.elements.count == 1 else {
            throw .damaged(
                "A property list must have one value, but this one has \(root.elements.count).",
                at: root.position
            )
        }
        return try value(of: root.elements[0])
    }

    static func written(_ value: PropertyListValue) throws(PropertyListError) -> [UInt8] {
        let depth = PropertyListLimits.default.depth
        let root = XMLElement("plist", ["version": "1.0"], [try element(of: value, depth: depth)])
        let doctype = XMLDoctype(
            "plist",
            publicID: "-//Apple//DTD PLIST 1.0//EN",
            systemID: "http://www.apple.com/DTDs/PropertyList-1.0.dtd"
        )
        do {
            return Array(try XMLDocument(doctype: doctype, root: root).serialized(.propertyList).utf8)
        } catch {
            throw PropertyListError(error)
        }
    }

    /// The XML reader has checked the depth.
    private static func value(of element: XMLElement) throws(PropertyListError) -> PropertyListValue {
        func checked<T>(_ value: T?) throws(PropertyListError) -> T {
            if let value { return value }
            throw .damaged("This isn't a valid value of <\(element.name)>.", at: element.position)
        }
        let text = element.text
        switch element.name {
        case "dict": return try dictionary(of: element)
        case "array":
            var members: [PropertyListValue] = []
            for member in element.elements { members.append(try value(of: member)) }
            return .array(members)
        case "string": return .string(text)
        case "data": return .data(Array(try checked(Data(base64Encoded: text.filter { !$0.isWhitespace }))))
        case "date": return .date(try checked(Date(iso8601: text.trimmed)).timeIntervalSinceReferenceDate)
        case "integer": return .integer(try checked(Int128(text.trimmed)))
        case "real": return .real(try checked(Double(text.trimmed)))
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: throw .damaged("<\(element.name)> isn't a type of property lists.", at: element.position)
        }
    }

    private static func dictionary(of element: XMLElement) throws(PropertyListError) -> PropertyListValue {
        var dictionary = PropertyListDictionary()
        var elements = element.elements[...]
        while let key = elements.popFirst() {
            guard key.name == "key", let child = elements.popFirst() else {
                throw .damaged("A <key> and its value are expected here.", at: key.position)
            }
            guard dictionary[key.text] == nil else {
                throw .damaged("The dictionary has the key “\(key.text.printable())” twice.", at: key.position)
            }
            dictionary[key.text] = try value(of: child)
        }
        if dictionary.count == 1, let uid = dictionary[uidKey]?.integer(UInt64.self) { return .uid(uid) }
        return .dictionary(dictionary)
    }

    private static func element(of value: PropertyListValue, depth: Int) throws(PropertyListError) -> XMLElement {
        guard depth >= 0 else { throw .tooDeep(PropertyListLimits.default.depth) }
        switch value {
        case .dictionary(let dictionary):
            var elements: [XMLElement] = []
            for entry in dictionary.entries {
                elements.append(XMLElement("key", text: entry.key))
                elements.append(try element(of: entry.value, depth: depth - 1))
            }
            return XMLElement("dict", [:], elements)
        case .array(let members):
            var elements: [XMLElement] = []
            for member in members { elements.append(try element(of: member, depth: depth - 1)) }
            return XMLElement("array", [:], elements)
        case .string(let text): return XMLElement("string", text: text)
        case .data(let bytes): return XMLElement("data", text: Data(bytes).base64EncodedString())
        case .date(let seconds):
            guard let text = Date(timeIntervalSinceReferenceDate: seconds.rounded(.down)).iso8601 else {
                throw .unwritable("A date is outside of the years 0 to 9999, the range of XML property lists.")
            }
            return XMLElement("date", text: text)
        case .integer(let value): return XMLElement("integer", text: "\(value)")
        case .real(let value): return XMLElement("real", text: "\(value)")
        case .boolean(let value): return XMLElement(value ? "true" : "false")
        case .uid(let uid):
            return XMLElement("dict", [:], [XMLElement("key", text: uidKey), XMLElement("integer", text: "\(uid)")])
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
    }
}
