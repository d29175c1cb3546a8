// SPDX-License-Identifier: Apache-2.0

// Reads the content of a binary store, and locates errors.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

struct BinaryStoreReader {
    let model: ManagedObjectModel
    var bytes: ByteReader

    mutating func content() throws(StoreFileError) -> StoreContent {
        let head = try head()
        try head.requireModel(model)
        var objects: [FileObject] = []
        for _ in 0..<(try bytes.length()) {
            let name = try bytes.string()
            guard let entity = model.entity(named: name) else {
                throw bytes.damaged("The model has no entity “\(name)”.")
            }
            let attributes = try names()
            let toOnes = try names()
            let lists = try names()
            guard let layout = TableLayout(entity, attributes: attributes, toOnes: toOnes, lists: lists) else {
                throw bytes.damaged("The properties of \(name) aren't those of the model.")
            }
            for _ in 0..<(try bytes.length()) { try objects.append(object(of: entity, layout)) }
        }
        guard bytes.isAtEnd else { throw bytes.damaged("The file has additional bytes at its end.") }
        return StoreContent(head: head, objects: objects)
    }

    private mutating func names() throws(StoreFileError) -> [String] {
        var names: [String] = []
        for _ in 0..<(try bytes.length()) { try names.append(bytes.string()) }
        return names
    }

    private mutating func head() throws(StoreFileError) -> StoreHead {
        guard let identifier = UUID(bytes: try bytes.read(16)) else {
            throw bytes.damaged("The identifier can't be read.")
        }
        let last = try bytes.signed()
        guard last >= 0 else { throw bytes.damaged("The last reference can't be negative.") }
        var head = StoreHead(identifier: identifier, versionHashes: [:], lastReference: last)
        for _ in 0..<(try bytes.length()) {
            let name = try bytes.string()
            head.versionHashes[name] = VersionHash(try bytes.read(32))
        }
        guard case .dictionary(let metadata) = try value(depth: 0) else {
            throw bytes.damaged("The metadata can't be read.")
        }
        head.metadata.values = metadata
        return head
    }

    private mutating func object(
        of entity: EntityDescription,
        _ layout: TableLayout
    ) throws(StoreFileError) -> FileObject {
        var object = try FileObject(entity: entity, reference: bytes.signed(), version: bytes.signed())
        for attribute in layout.attributes { object.attributes[attribute.slot] = try value(depth: 0) }
        for relationship in layout.toOnes {
            let number = try bytes.signed()
            object.toOnes[relationship.slot] = number == 0 ? nil : number
        }
        for relationship in layout.lists {
            for _ in 0..<(try bytes.length()) { try object.toManys[relationship.slot].append(bytes.signed()) }
        }
        return object
    }

    private mutating func value(depth: Int) throws(StoreFileError) -> Value {
        let start = bytes.offset
        guard depth < BinaryStoreFormat.depthLimit else {
            throw .tooDeep(limit: BinaryStoreFormat.depthLimit, at: .offset(start))
        }
        switch ValueTag(rawValue: try bytes.byte()) {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer: return .integer(try bytes.signed())
        case .double: return .double(Double(bitPattern: try bytes.fixed(UInt64.self)))
        case .string: return .string(try bytes.string())
        case .data: return .data(Data(try bytes.data()))
        case .uri: return .uri(try bytes.string())
        case .reference: return .reference(ObjectReference(uri: try bytes.string()))
        case .date:
            let seconds = Double(bitPattern: try bytes.fixed(UInt64.self))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .decimal:
            guard let number = Decimal(lossless: try bytes.string()) else {
                throw .damaged("A decimal can't be read.", at: .offset(start))
            }
            return .decimal(number)
        case .uuid:
            guard let uuid = UUID(bytes: try bytes.read(16)) else {
                throw .damaged("A UUID can't be read.", at: .offset(start))
            }
            return .uuid(uuid)
        case .array:
            var members: [Value] = []
            for _ in 0..<(try bytes.length()) { try members.append(value(depth: depth + 1)) }
            return .array(members)
        case .dictionary:
            var members: [String: Value] = [:]
            for _ in 0..<(try bytes.length()) {
                let key = try bytes.string()
                members[key] = try value(depth: depth + 1)
            }
            return .dictionary(members)
        case nil:
            throw .damaged("The kind of a value is unknown.", at: .offset(start))
        }
    }
}
