// SPDX-License-Identifier: Apache-2.0

// Writes the content of a store as XML.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SourceText
import XML

struct XMLStoreWriter {
    let model: ManagedObjectModel

    func root(of content: StoreContent) throws(StoreFileError) -> XMLElement {
        let head = content.head
        var root = XMLElement(
            "store",
            [
                "format": "\(XMLStoreFormat.version)", "identifier": head.identifier.uuidString,
                "lastReference": "\(head.lastReference)",
            ]
        )
        for (key, value) in head.metadata.values.sorted(by: { $0.key < $1.key }) {
            var element = Self.element("metadata", key: key)
            try element.append(self.element(value, depth: 0))
            root.append(element)
        }
        // Ordered by name: the order in the model may change without changing the model's version.
        for (name, hash) in head.versionHashes.sorted(by: { $0.key < $1.key }) {
            root.append(XMLElement("entity", ["name": name, "versionHash": hash.base64]))
        }
        for object in content.objects { try root.append(element(object)) }
        return root
    }

    private func element(_ object: FileObject) throws(StoreFileError) -> XMLElement {
        var element = XMLElement(
            "object",
            ["entity": object.entity.name, "id": "\(object.reference)", "version": "\(object.version)"]
        )
        for attribute in object.entity.attributes where attribute.isPersistent {
            let value = object.attributes[attribute.slot]
            if value != .null { try element.append(self.element(value, of: attribute, depth: 0)) }
        }
        for relationship in object.entity.relationships {
            if relationship.isToMany {
                let members = object.toManys[relationship.slot]
                guard !members.isEmpty else { continue }
                let list = members.map { String($0) }.joined(separator: " ")
                element.append(Self.element("to-many", named: relationship.name, list))
            } else if let destination = object.toOnes[relationship.slot], !relationship.isTransient {
                element.append(Self.element("to-one", named: relationship.name, "\(destination)"))
            }
        }
        return element
    }

    private static func element(_ name: String, named property: String, _ text: String) -> XMLElement {
        var element = element(name, text)
        element.attributes.insert(XMLAttribute(name: "name", value: property), at: 0)
        return element
    }

    private static func element(_ name: String, key: String) -> XMLElement {
        key.isXMLText ? XMLElement(name, ["key": key]) : XMLElement(name, ["key": key.base64, "encoding": "base64"])
    }

    /// The value of an attribute: as text if the attribute's type determines its kind, or else as an element.
    private func element(
        _ value: Value,
        of attribute: AttributeDescription,
        depth: Int
    ) throws(StoreFileError) -> XMLElement {
        guard depth < XMLStoreFormat.depthLimit else { throw .tooDeep(limit: XMLStoreFormat.depthLimit) }
        if let kind = ValueKind(attribute.type), kind == ValueKind(value), let text = kind.text(of: value) {
            return Self.element("attribute", named: attribute.name, text)
        }
        var element = XMLElement("attribute", ["name": attribute.name])
        if case .dictionary(let members) = value, !attribute.elements.isEmpty,
            Set(members.keys) == Set(attribute.elements.map(\.name))
        {
            for part in attribute.elements {
                guard let member = members[part.name], member != .null else { continue }
                try element.append(self.element(member, of: part, depth: depth + 1))
            }
        } else {
            try element.append(self.element(value, depth: depth))
        }
        return element
    }

    /// A value that states its own kind.
    private func element(_ value: Value, depth: Int) throws(StoreFileError) -> XMLElement {
        guard depth < XMLStoreFormat.depthLimit else { throw .tooDeep(limit: XMLStoreFormat.depthLimit) }
        switch value {
        case .null: return XMLElement("null")
        case .array(let members):
            var element = XMLElement("array")
            for member in members { try element.append(self.element(member, depth: depth + 1)) }
            return element
        case .dictionary(let members):
            var element = XMLElement("dictionary")
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                var entry = Self.element("entry", key: key)
                try entry.append(self.element(member, depth: depth + 1))
                element.append(entry)
            }
            return element
        default:
            guard let kind = ValueKind(value), let text = kind.text(of: value) else { return XMLElement("null") }
            return Self.element(kind.rawValue, text)
        }
    }

    /// An element with text, which is in base64 if XML can't represent it.
    private static func element(_ name: String, _ text: String) -> XMLElement {
        if text.isXMLText { return XMLElement(name, text: text) }
        var element = XMLElement(name, text: text.base64)
        element["encoding"] = "base64"
        return element
    }
}
