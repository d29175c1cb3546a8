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
        write(object.row, as: object.shape, in: catalogue) { place, buffer in
            buffer.write(object.related[place], in: catalogue)
        }
        if let highlights = object.highlights { write(highlights: highlights, of: object.shape.resource) }
        write(byte: "}")
    }

    /// Writes the rows of a page, as far as the buffer isn't full.
    mutating func write(
        _ rows: RowsDTO,
        in catalogue: Catalogue,
        check: () throws(GraphError) -> Void
    ) throws(GraphError) {
        write(byte: "[")
        for (offset, index) in rows.rows.indices.enumerated() {
            if offset.isMultiple(of: 16) { try check() }
            if offset > 0 { write(byte: ",") }
            write(rows, at: index, in: catalogue)
        }
        write(byte: "]")
    }

    /// Writes a row of a page, or nothing if the buffer is full.
    mutating func write(_ rows: RowsDTO, at index: Int, in catalogue: Catalogue) {
        if isFull { return }
        let row = rows.rows.base[index]
        let shape = rows.shape(of: row)
        write(row, as: shape, in: catalogue) { place, buffer in
            buffer.write(rows.embedded[place], of: index, in: catalogue)
        }
        if !rows.highlights.isEmpty { write(highlights: rows.highlights[index], of: shape.resource) }
        write(byte: "}")
    }

    /// Writes what is embedded in a row.
    private mutating func write(_ embedded: EmbeddedRows, of owner: Int, in catalogue: Catalogue) {
        switch embedded {
        case .toOne(let related, let rows):
            guard let index = related[owner].first else { return writeNull() }
            write(rows, at: index, in: catalogue)
        case .toMany(let related, let rows):
            writeList(related[owner]) { index, buffer in buffer.write(rows, at: index, in: catalogue) }
        case .references(let related):
            writeList(related[owner]) { index, buffer in
                buffer.writeReference(to: related.rows[index], in: catalogue)
            }
        case .objects(let related): write(related[owner], in: catalogue)
        }
    }

    private mutating func writeList<Items: Sequence>(
        _ items: Items,
        _ write: (Items.Element, inout JSONBuffer) -> Void
    ) {
        self.write(byte: "[")
        var isFirst = true
        for item in items {
            if !isFirst { self.write(byte: ",") }
            isFirst = false
            write(item, &self)
        }
        self.write(byte: "]")
    }

    /// Writes an object up to the end of its members.
    private mutating func write(
        _ row: some ShownRow,
        as shape: ObjectShape,
        in catalogue: Catalogue,
        embedding: (Int, inout JSONBuffer) -> Void
    ) {
        write(raw: shape.opening)
        row.writeKey(to: &self)
        write(raw: shape.entity)
        write(row.version)
        let attributes = shape.resource.entity.attributes
        for member in shape.members {
            write(raw: shape.keys, member.key)
            switch member.kind {
            case .attribute(let slot): row.write(attribute: slot, to: &self)
            case .filled(let slot, let filling):
                let value = row.value(slot) == .null ? shape.fillings[filling] : row.value(slot)
                write(value, of: attributes[slot], isPortable: shape.isPortable)
            case .portable(let slot): write(portable: row.value(slot), of: attributes[slot])
            case .bytes(let slot):
                write(bytes: row.value(slot), at: catalogue.href(of: attributes[slot], of: row.objectID))
            case .parts(let slot, let parts): write(row.value(slot), showing: shape.parts[parts])
            case .toOne(let slot): row.write(toOne: slot, to: &self, in: catalogue)
            case .embedded(let place): embedding(place, &self)
            }
        }
    }

    private mutating func write(_ value: Value, of attribute: AttributeDescription, isPortable: Bool) {
        if isPortable { write(portable: value, of: attribute) } else { write(value, of: attribute) }
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
        writeList(objects) { object, buffer in buffer.write(object, in: catalogue) }
    }

    mutating func write(references: [ManagedObjectID], in catalogue: Catalogue) {
        writeList(references) { reference, buffer in buffer.write(reference, in: catalogue) }
    }

    mutating func write(_ related: RelatedDTO, in catalogue: Catalogue) {
        switch related {
        case .one(let object?): write(object, in: catalogue)
        case .one(nil): writeNull()
        case .many(let objects): write(objects, in: catalogue)
        case .references(let references): write(references: references, in: catalogue)
        }
    }

    private mutating func writeReference(to row: PageRow, in catalogue: Catalogue) {
        writeReference(to: row.key, of: catalogue[row.entity])
    }

    fileprivate mutating func writeReference(to key: Int64, of resource: Resource) {
        write(byte: "\"")
        write(raw: resource.referencePrefix)
        write(key)
        write(byte: "\"")
    }

    fileprivate mutating func writeKey(of objectID: ManagedObjectID) {
        switch objectID.reference {
        case .integer(let number): write(number)
        default: write(raw: ObjectShape.escaped(Catalogue.key(of: objectID)))
        }
    }
}

/// A row from which an object is written. Attributes are named by slot.
protocol ShownRow {
    var objectID: ManagedObjectID { get }
    var version: Int64 { get }
    func value(_ slot: Int) -> Value
    /// Writes the end of the object's reference.
    func writeKey(to buffer: inout JSONBuffer)
    func write(attribute slot: Int, to buffer: inout JSONBuffer)
    /// Writes the reference of a to-one relationship, or null.
    func write(toOne slot: Int, to buffer: inout JSONBuffer, in catalogue: Catalogue)
}

extension Snapshot: ShownRow {
    func value(_ slot: Int) -> Value { row.attributes[slot] }

    func writeKey(to buffer: inout JSONBuffer) { buffer.writeKey(of: objectID) }

    func write(attribute slot: Int, to buffer: inout JSONBuffer) {
        buffer.write(row.attributes[slot], of: objectID.entity.attributes[slot])
    }

    func write(toOne slot: Int, to buffer: inout JSONBuffer, in catalogue: Catalogue) {
        buffer.write(row.toOnes[slot], in: catalogue)
    }
}

extension PageRow: ShownRow {
    func writeKey(to buffer: inout JSONBuffer) { buffer.write(key) }

    /// Text goes from the page to the buffer, without a string between them.
    func write(attribute slot: Int, to buffer: inout JSONBuffer) {
        switch field(slot) {
        case .null, .object: buffer.writeNull()
        case .bool(let flag): buffer.write(flag)
        case .integer(let number): buffer.write(number)
        case .date(let date): buffer.write(date)
        case .uuid(let uuid): buffer.write(uuid)
        case .text(let start, let count):
            let text = page.text
            buffer.write(string: text.span.extracting(start..<start + count))
        case .double, .value: buffer.write(value(slot), of: entity.attributes[slot])
        }
    }

    func write(toOne slot: Int, to buffer: inout JSONBuffer, in catalogue: Catalogue) {
        guard let (key, entity) = destination(slot: slot) else { return buffer.writeNull() }
        buffer.writeReference(to: key, of: catalogue.resources[entity])
    }
}

extension Catalogue {
    /// The URL path of a binary attribute's bytes.
    func href(of attribute: AttributeDescription, of objectID: ManagedObjectID) -> String {
        let name = self[objectID.entity].name(ofProperty: attribute.name) ?? attribute.name
        return "\(path)\(reference(to: objectID))/\(RequestTarget.encode(segment: name))"
    }
}
