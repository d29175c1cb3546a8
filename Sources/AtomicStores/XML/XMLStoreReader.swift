// SPDX-License-Identifier: Apache-2.0

// Reads the content of an XML store, and locates errors.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SourceText
import XML

struct XMLStoreReader {
    let model: ManagedObjectModel

    func content(of root: XMLElement) throws(StoreFileError) -> StoreContent {
        let head = try head(of: root)
        try head.requireModel(model)
        var objects: [FileObject] = []
        for element in root.elements(named: "object") { try objects.append(object(element)) }
        return StoreContent(head: head, objects: objects)
    }

    private func head(of root: XMLElement) throws(StoreFileError) -> StoreHead {
        guard root.name == "store", let format = root["format"] else {
            throw .otherType("XML", at: root.place)
        }
        guard format == "\(XMLStoreFormat.version)" else {
            throw .newerFormat(format, known: XMLStoreFormat.version, at: root.place)
        }
        let identifier = try UUID(uuidString: root.required("identifier"))
        guard let identifier, let last = try Int64(root.required("lastReference")), last >= 0 else {
            throw .damaged("The identifier or the last reference of the store can't be read.", at: root.place)
        }
        var head = StoreHead(identifier: identifier, versionHashes: [:], lastReference: last)
        for element in root.elements {
            switch element.name {
            case "metadata":
                try head.metadata.values[element.key()] = value(element.onlyElement(), depth: 0)
            case "entity":
                let bytes = try Data(base64Encoded: element.required("versionHash"))
                guard let hash = bytes.flatMap({ VersionHash($0) }) else {
                    throw .damaged("A version hash can't be read.", at: element.place)
                }
                try head.versionHashes[element.required("name")] = hash
            case "object": break
            default: throw element.unexpected()
            }
        }
        return head
    }

    private func object(_ element: XMLElement) throws(StoreFileError) -> FileObject {
        let name = try element.required("entity")
        guard let entity = model.entity(named: name) else {
            throw .damaged("The model has no entity “\(name)”.", at: element.place)
        }
        guard let reference = try Int64(element.required("id")), let version = try Int64(element.required("version"))
        else {
            throw .damaged("The id or the version of an object isn't a number.", at: element.place)
        }
        var object = FileObject(entity: entity, reference: reference, version: version)
        var seen: Set<String> = []
        for child in element.elements {
            let name = try child.required("name")
            guard seen.insert(name).inserted else {
                throw .damaged("“\(name)” of \(object) occurs twice.", at: child.place)
            }
            switch (child.name, entity.property(named: name)) {
            case ("attribute", .attribute(let attribute)) where attribute.isPersistent:
                object.attributes[attribute.slot] = try value(child, of: attribute, depth: 0)
            case ("to-one", .relationship(let relationship)) where !relationship.isToMany:
                guard let number = Int64(child.text) else {
                    throw .damaged("“\(name)” of \(object) isn't a reference.", at: child.place)
                }
                object.toOnes[relationship.slot] = number
            case ("to-many", .relationship(let relationship)) where relationship.isListed:
                for part in child.text.split(separator: " ") {
                    guard let number = Int64(part) else {
                        throw .damaged(
                            "“\(name)” of \(object) has “\(part)”, which isn't a reference.",
                            at: child.place
                        )
                    }
                    object.toManys[relationship.slot].append(number)
                }
            default:
                throw .damaged("\(entity.name) has no stored \(child.name) “\(name)”.", at: child.place)
            }
        }
        return object
    }

    private func value(
        _ element: XMLElement,
        of attribute: AttributeDescription,
        depth: Int
    ) throws(StoreFileError) -> Value {
        if !attribute.elements.isEmpty, element.elements.allSatisfy({ $0.name == "attribute" }) {
            var members = Dictionary(uniqueKeysWithValues: attribute.elements.map { ($0.name, Value.null) })
            for child in element.elements {
                let name = try child.required("name")
                guard let part = attribute.elements.first(where: { $0.name == name }), depth < XMLStoreFormat.depthLimit
                else {
                    throw .damaged("“\(attribute.name)” has no element “\(name)”.", at: child.place)
                }
                members[name] = try value(child, of: part, depth: depth + 1)
            }
            return .dictionary(members)
        }
        guard let kind = ValueKind(attribute.type), element.elements.isEmpty else {
            return try value(element.onlyElement(), depth: depth)
        }
        return try value(element, as: kind)
    }

    private func value(_ element: XMLElement, as kind: ValueKind) throws(StoreFileError) -> Value {
        guard let value = try kind.value(of: element.decoded(element.text)), element.elements.isEmpty else {
            throw .damaged("“\(element.text.prefix(40))” isn't a valid \(kind.rawValue).", at: element.place)
        }
        return value
    }

    /// A value that states its own kind.
    private func value(_ element: XMLElement, depth: Int) throws(StoreFileError) -> Value {
        guard depth < XMLStoreFormat.depthLimit else {
            throw .tooDeep(limit: XMLStoreFormat.depthLimit, at: element.place)
        }
        switch element.name {
        case "null": return .null
        case "array":
            var members: [Value] = []
            for child in element.elements { try members.append(value(child, depth: depth + 1)) }
            return .array(members)
        case "dictionary":
            var members: [String: Value] = [:]
            for child in element.elements {
                let key = try child.key()
                members[key] = try value(child.onlyElement(), depth: depth + 1)
            }
            return .dictionary(members)
        default:
            guard let kind = ValueKind(rawValue: element.name) else { throw element.unexpected() }
            return try value(element, as: kind)
        }
    }
}

extension XMLElement {
    fileprivate var place: StoreFileError.Place? { position.map(StoreFileError.Place.text) }

    fileprivate func required(_ attribute: String) throws(StoreFileError) -> String {
        guard let value = self[attribute] else { throw .damaged("<\(name)> needs “\(attribute)”.", at: place) }
        return value
    }

    /// Decodes the text of an element, which is in base64 if XML can't represent it.
    fileprivate func decoded(_ text: String) throws(StoreFileError) -> String {
        guard self["encoding"] != nil else { return text }
        guard self["encoding"] == "base64", let decoded = String(base64: text) else {
            throw .damaged("The text of <\(name)> has an unknown encoding.", at: place)
        }
        return decoded
    }

    fileprivate func key() throws(StoreFileError) -> String { try decoded(required("key")) }

    fileprivate func onlyElement() throws(StoreFileError) -> XMLElement {
        let elements = elements
        guard elements.count == 1 else { throw .damaged("<\(name)> must have one value.", at: place) }
        return elements[0]
    }

    fileprivate func unexpected() -> StoreFileError {
        .damaged("<\(name)> isn't allowed here.", at: place)
    }
}
