// SPDX-License-Identifier: Apache-2.0

// Writes the content of a store as bytes.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

struct BinaryStoreWriter {
    private(set) var output = ByteWriter()

    mutating func write(_ content: StoreContent, model: ManagedObjectModel) throws(StoreFileError) {
        try write(content.head)
        let tables = Dictionary(grouping: content.objects, by: \.entity)
        let entities = model.entities.filter { tables[$0] != nil }
        output.count(entities.count)
        for entity in entities {
            let layout = TableLayout(entity)
            output.string(entity.name)
            for names in [layout.attributes.map(\.name), layout.toOnes.map(\.name), layout.lists.map(\.name)] {
                output.count(names.count)
                for name in names { output.string(name) }
            }
            let objects = tables[entity] ?? []
            output.count(objects.count)
            for object in objects { try write(object, layout) }
        }
    }

    private mutating func write(_ head: StoreHead) throws(StoreFileError) {
        output.bytes += head.identifier.bytes
        output.signed(head.lastReference)
        output.count(head.versionHashes.count)
        for (name, hash) in head.versionHashes.sorted(by: { $0.key < $1.key }) {
            output.string(name)
            output.bytes += hash.bytes
        }
        try write(.dictionary(head.metadata.values), depth: 0)
    }

    private mutating func write(_ object: FileObject, _ layout: TableLayout) throws(StoreFileError) {
        output.signed(object.reference)
        output.signed(object.version)
        for attribute in layout.attributes { try write(object.attributes[attribute.slot], depth: 0) }
        // No object has the number 0.
        for relationship in layout.toOnes { output.signed(object.toOnes[relationship.slot] ?? 0) }
        for relationship in layout.lists {
            output.count(object.toManys[relationship.slot].count)
            for member in object.toManys[relationship.slot] { output.signed(member) }
        }
    }

    private mutating func write(_ value: Value, depth: Int) throws(StoreFileError) {
        guard depth < BinaryStoreFormat.depthLimit else { throw .tooDeep(limit: BinaryStoreFormat.depthLimit) }
        switch value {
        case .null: tag(.null)
        case .bool(let flag): tag(flag ? .yes : .no)
        case .integer(let number):
            tag(.integer)
            output.signed(number)
        case .double(let number):
            tag(.double)
            output.fixed(number.bitPattern)
        case .decimal(let number):
            tag(.decimal)
            output.string(number.description)
        case .string(let text):
            tag(.string)
            output.string(text)
        case .date(let date):
            tag(.date)
            output.fixed(date.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let data):
            tag(.data)
            output.data(data)
        case .uuid(let uuid):
            tag(.uuid)
            output.bytes += uuid.bytes
        case .uri(let text):
            tag(.uri)
            output.string(text)
        case .reference(let reference):
            tag(.reference)
            output.string(reference.uri)
        case .array(let members):
            tag(.array)
            output.count(members.count)
            for member in members { try write(member, depth: depth + 1) }
        case .dictionary(let members):
            tag(.dictionary)
            output.count(members.count)
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                output.string(key)
                try write(member, depth: depth + 1)
            }
        }
    }

    private mutating func tag(_ tag: ValueTag) { output.bytes.append(tag.rawValue) }
}

/// The properties that a file stores for each object of an entity, in order.
struct TableLayout {
    let attributes: [AttributeDescription]
    let toOnes: [RelationshipDescription]
    let lists: [RelationshipDescription]

    init(_ entity: EntityDescription) {
        attributes = entity.attributes.filter(\.isPersistent)
        toOnes = entity.toOnes.filter { !$0.isTransient }
        lists = entity.toManys.filter(\.isListed)
    }

    /// The layout with the names in a file, which may be in another order than the model's.
    init?(_ entity: EntityDescription, attributes: [String], toOnes: [String], lists: [String]) {
        let known = TableLayout(entity)
        self.attributes = attributes.compactMap { name in known.attributes.first { $0.name == name } }
        self.toOnes = toOnes.compactMap { name in known.toOnes.first { $0.name == name } }
        self.lists = lists.compactMap { name in known.lists.first { $0.name == name } }
        guard Set(self.attributes) == Set(known.attributes), self.attributes.count == attributes.count,
            Set(self.toOnes) == Set(known.toOnes), self.toOnes.count == toOnes.count,
            Set(self.lists) == Set(known.lists), self.lists.count == lists.count
        else { return nil }
    }
}

extension UUID {
    var bytes: [UInt8] {
        let text = uuidString.utf8.filter { $0 != UInt8(ascii: "-") }
        return stride(from: 0, to: text.count, by: 2).map { index in
            UInt8(String(decoding: text[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    /// Creates a UUID from 16 bytes.
    init?(bytes: ArraySlice<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let digits = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
        self.init(uuidString: groups.joined(separator: "-"))
    }
}
