// SPDX-License-Identifier: Apache-2.0

// The result of a write before rendering.

import JSON
import ObjectGraph

struct WrittenDTO: Sendable {
    enum Content: Sendable {
        case none
        case object(ObjectDTO)
        /// Objects in order; null for a deleted one.
        case list([ObjectDTO?])
        /// Objects of a transaction in order, together with its temporary names.
        case operations([ObjectDTO?])
        /// Only the references of a transaction's temporary names, without objects.
        case names
        case closure(DeletionDTO)
    }

    /// An object that the save touched, but isn't in the answer.
    struct Change: Sendable {
        enum Kind: String, Sendable {
            case inserted
            case updated
            case deleted
        }

        let objectID: ManagedObjectID
        let version: Int64
        let kind: Kind
    }

    var content = Content.none
    /// The IDs of objects with temporary names.
    var ids: [(name: String, objectID: ManagedObjectID)] = []
    /// The temporary names of a transaction's objects that existed before.
    var updatedNames: [String] = []
    /// Nil if the request doesn't ask for them.
    var changes: [Change]?
}

/// The objects that a deletion affects.
struct DeletionDTO: Sendable {
    var deleted: [ManagedObjectID] = []
    var nullified: [(objectID: ManagedObjectID, property: String)] = []
}

extension JSONBuffer {
    mutating func write(_ written: WrittenDTO, in catalogue: Catalogue) {
        switch written.content {
        case .none: open(besides: nil, for: written, in: catalogue)
        case .object(let object):
            var inner = JSONBuffer()
            inner.write(object, in: catalogue)
            open(besides: Array(inner.bytes.dropFirst().dropLast()), for: written, in: catalogue)
        case .list(let objects):
            var inner = JSONBuffer(capacity: 16 << 10)
            inner.write(raw: "\"items\":")
            inner.write(optional: objects, in: catalogue)
            open(besides: inner.bytes, for: written, in: catalogue)
        case .operations(let objects):
            writeNames(written, in: catalogue)
            write(raw: ",\"items\":")
            write(optional: objects, in: catalogue)
            if let changes = written.changes { write(changes, in: catalogue) }
            write(byte: "}")
        case .names:
            writeNames(written, in: catalogue)
            write(byte: "}")
        case .closure(let closure): write(closure, in: catalogue)
        }
    }

    /// Writes an object with the given members, and additional members about the save.
    private mutating func open(besides members: [UInt8]?, for written: WrittenDTO, in catalogue: Catalogue) {
        var rest = JSONBuffer()
        if !written.ids.isEmpty {
            rest.write(raw: ",\"_ids\":")
            rest.write(written.ids, in: catalogue)
        }
        if let changes = written.changes { rest.write(changes, in: catalogue) }
        write(byte: "{")
        if let members { write(raw: members) }
        write(raw: members == nil ? Array(rest.bytes.dropFirst()) : rest.bytes)
        write(byte: "}")
    }

    /// Begins the answer to a transaction.
    private mutating func writeNames(_ written: WrittenDTO, in catalogue: Catalogue) {
        write(raw: "{\"ids\":")
        write(written.ids, in: catalogue)
        guard !written.updatedNames.isEmpty else { return }
        write(raw: ",\"updated\":")
        write(list: written.updatedNames) { buffer, name in buffer.write(string: name) }
    }

    private mutating func write(_ ids: [(name: String, objectID: ManagedObjectID)], in catalogue: Catalogue) {
        write(list: ids, between: ("{", "}")) { buffer, id in
            buffer.write(string: id.name)
            buffer.write(byte: ":")
            buffer.write(id.objectID, in: catalogue)
        }
    }

    private mutating func write(_ changes: [WrittenDTO.Change], in catalogue: Catalogue) {
        write(raw: ",\"_changed\":")
        write(list: changes.filter { catalogue.shows($0.objectID) }) { buffer, change in
            buffer.write(raw: "{\"_id\":")
            buffer.write(change.objectID, in: catalogue)
            buffer.write(raw: ",\"_entity\":")
            buffer.write(string: catalogue[change.objectID.entity].name)
            buffer.write(raw: ",\"_version\":")
            buffer.write(change.version)
            buffer.write(raw: ",\"change\":\"\(change.kind.rawValue)\"}")
        }
    }

    private mutating func write(optional objects: [ObjectDTO?], in catalogue: Catalogue) {
        write(list: objects) { buffer, object in
            if let object { buffer.write(object, in: catalogue) } else { buffer.writeNull() }
        }
    }

    private mutating func write(_ closure: DeletionDTO, in catalogue: Catalogue) {
        write(raw: "{\"deleted\":")
        write(references: closure.deleted.filter(catalogue.shows), in: catalogue)
        let nullified = closure.nullified.compactMap { objectID, property in
            catalogue[objectID.entity].name(ofProperty: property).map { (objectID, $0) }
        }
        write(raw: ",\"nullified\":")
        write(list: nullified) { buffer, nullified in
            buffer.write(raw: "{\"_id\":")
            buffer.write(nullified.0, in: catalogue)
            buffer.write(raw: ",\"property\":")
            buffer.write(string: nullified.1)
            buffer.write(byte: "}")
        }
        write(byte: "}")
    }

    private mutating func write<Element>(
        list: [Element],
        between brackets: (Unicode.Scalar, Unicode.Scalar) = ("[", "]"),
        each: (inout JSONBuffer, Element) -> Void
    ) {
        write(byte: brackets.0)
        for (offset, element) in list.enumerated() {
            if offset > 0 { write(byte: ",") }
            each(&self, element)
        }
        write(byte: brackets.1)
    }
}
