// SPDX-License-Identifier: Apache-2.0

// Writes objects as JSON directly from their rows.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates

extension JSONBuffer {
    /// Writes an object, or nothing if the buffer is full.
    mutating func write(_ object: ObjectDTO, in catalogue: Catalogue) {
        if isFull { return }
        let row = object.row
        let shape = object.shape
        let attributes = row.row.attributes
        write(raw: shape.opening)
        writeKey(of: row.objectID)
        write(raw: shape.entity)
        write(row.version)
        for member in shape.members {
            switch member {
            case .attribute(let key, let attribute):
                write(raw: key)
                write(attributes[attribute.slot], of: attribute)
            case .filled(let key, let attribute, let filling, let isPortable):
                write(raw: key)
                let value = attributes[attribute.slot] == .null ? filling : attributes[attribute.slot]
                if isPortable { write(portable: value, of: attribute) } else { write(value, of: attribute) }
            case .portable(let key, let attribute):
                write(raw: key)
                write(portable: attributes[attribute.slot], of: attribute)
            case .bytes(let key, let attribute):
                write(raw: key)
                write(bytes: attributes[attribute.slot], at: catalogue.href(of: attribute, of: row.objectID))
            case .parts(let key, let attribute, let parts):
                write(raw: key)
                write(attributes[attribute.slot], showing: parts)
            case .toOne(let key, let slot):
                write(raw: key)
                write(row.row.toOnes[slot], in: catalogue)
            case .embedded(let key, let place):
                write(raw: key)
                write(object.related[place], in: catalogue)
            }
        }
        if let highlights = object.highlights { write(highlights: highlights, of: shape.resource) }
        write(byte: "}")
    }

    /// Writes a reference in quotes, or null.
    mutating func write(_ objectID: ManagedObjectID?, in catalogue: Catalogue) {
        guard let objectID else { return writeNull() }
        write(byte: "\"")
        write(raw: catalogue[objectID.entity].referencePrefix)
        writeKey(of: objectID)
        write(byte: "\"")
    }

    mutating func write(_ objects: [ObjectDTO], in catalogue: Catalogue) {
        write(byte: "[")
        for (offset, object) in objects.enumerated() {
            if offset > 0 { write(byte: ",") }
            write(object, in: catalogue)
        }
        write(byte: "]")
    }

    mutating func write(references: [ManagedObjectID], in catalogue: Catalogue) {
        write(byte: "[")
        for (offset, reference) in references.enumerated() {
            if offset > 0 { write(byte: ",") }
            write(reference, in: catalogue)
        }
        write(byte: "]")
    }

    mutating func write(_ related: RelatedDTO, in catalogue: Catalogue) {
        switch related {
        case .one(let object?): write(object, in: catalogue)
        case .one(nil): writeNull()
        case .many(let objects): write(objects, in: catalogue)
        case .references(let references): write(references: references, in: catalogue)
        }
    }

    private mutating func writeKey(of objectID: ManagedObjectID) {
        switch objectID.reference {
        case .integer(let number): write(number)
        default: write(raw: ObjectShape.escaped(Catalogue.key(of: objectID)))
        }
    }
}

extension Catalogue {
    /// The URL path of a binary attribute's bytes.
    func href(of attribute: AttributeDescription, of objectID: ManagedObjectID) -> String {
        let name = self[objectID.entity].name(ofProperty: attribute.name) ?? attribute.name
        return "\(path)\(reference(to: objectID))/\(RequestTarget.encode(segment: name))"
    }
}
