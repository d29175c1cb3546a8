// SPDX-License-Identifier: Apache-2.0

// Dangling references, which the delete rule No Action leaves behind. Another store can't represent them.

import CSV
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The dangling references of some objects.
struct LostReferences {
    /// The properties with dangling references, by the reference of their object.
    private var properties: [String: Set<String>] = [:]

    var isEmpty: Bool { properties.isEmpty }

    /// Finds the dangling references of the objects of some entities.
    ///
    /// - Parameter names: The relevant properties; nil for all.
    init(of entities: [EntityDescription], among names: Set<String>?, at endpoint: any Endpoint) throws {
        for entity in entities {
            for relationship in entity.toOnes where relationship.mayBeLost(in: endpoint.model) {
                let name = PropertyDescription.relationship(relationship).apiName
                guard names?.contains(name) ?? true else { continue }
                try add(name, of: entity, at: endpoint)
            }
        }
    }

    /// A missing object is embedded as null.
    private mutating func add(_ name: String, of entity: EntityDescription, at endpoint: any Endpoint) throws {
        let path = RequestTarget.encode(segment: entity.name)
        let condition = RequestTarget.encode(queryValue: "\(ObjectExpression.keyPath(name)) != nil")
        let selection = RequestTarget.encode(queryValue: name + "._id")
        let target = "/api/\(path)?where=\(condition)&select=\(selection)&includeSubentities=false"
        let request = HTTPRequest(.get, target, fields: [.accept: TransferFormat.ndjson.mediaType])
        var lines = RecordSplitter(hasQuotes: false)
        var found: [String] = []
        let answer = try endpoint.send(request) { piece in
            for line in lines.records(adding: piece) {
                let object = try JSONValue(parsing: line)
                if object[name]?.isNull == true, let id = object["_id"]?.string { found.append(id) }
            }
        }
        guard answer.isSuccess else { throw answer.failure("The objects can't be read") }
        for id in found { properties[id, default: []].insert(name) }
    }

    /// The properties of an object with dangling references.
    fileprivate subscript(object: String) -> Set<String> { properties[object] ?? [] }
}

/// Replaces dangling references by null, record by record.
struct LostReferenceWriter {
    /// The number of dangling references.
    private(set) var count = 0
    /// The first dangling reference.
    private(set) var first: (object: String, property: String)?

    private let format: TransferFormat
    private var lost: LostReferences
    private var records: RecordSplitter
    private var columns: [String]?

    init(_ lost: LostReferences, format: TransferFormat) {
        self.lost = lost
        self.format = format
        records = RecordSplitter(hasQuotes: format == .csv)
    }

    /// Adds bytes, and returns the records that are now complete.
    mutating func bytes(adding piece: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records.records(adding: piece) {
            bytes += try format == .csv ? row(record) : line(record)
        }
        return bytes
    }

    private mutating func line(_ record: [UInt8]) throws -> [UInt8] {
        guard var object = try JSONValue(parsing: record).object, let id = object["_id"]?.string else { return record }
        let names = lost[id].filter { object[$0]?.isNull == false }
        guard !names.isEmpty else { return record }
        for name in names.sorted() {
            object[name] = .null
            addLoss(of: name, inObject: id)
        }
        return JSONValue.object(object).serializedBytes() + [UInt8(ascii: "\n")]
    }

    private mutating func row(_ record: [UInt8]) throws -> [UInt8] {
        var pieces = [record].makeIterator()
        var reader = CSVReader(separator: .comma) { pieces.next() }
        guard var cells = try reader.next() else { return record }
        guard let columns, let place = columns.firstIndex(of: "_id") else {
            columns = cells.map(\.text)
            return record
        }
        let id = cells[place].text
        let changed = columns.indices.filter { lost[id].contains(columns[$0]) && !cells[$0].isMissing }
        guard !changed.isEmpty else { return record }
        for column in changed {
            cells[column] = CSVCell("")
            addLoss(of: columns[column], inObject: id)
        }
        var writer = CSVWriter()
        writer.write(cells.map { $0.isMissing ? nil : $0.text })
        return writer.bytes
    }

    private mutating func addLoss(of property: String, inObject object: String) {
        count += 1
        first = first ?? (object, property)
    }

    /// Starts a new stream with other references.
    mutating func begin(_ lost: LostReferences) {
        self.lost = lost
        columns = nil
        records = RecordSplitter(hasQuotes: format == .csv)
    }

    /// A remark about the dangling references, or nil.
    var remark: String? {
        guard let first else { return nil }
        let objects = Wording.count(count, "reference")
        let verb = count == 1 ? "refers to an object that" : "refer to objects that"
        return
            "\(objects) \(verb) no longer \(count == 1 ? "exists, and was" : "exist, and were") written as null; the first is "
            + "\(first.property) of \(first.object)."
    }
}

/// Splits bytes into records: lines that don't end within quotes.
struct RecordSplitter {
    private let hasQuotes: Bool
    private var isQuoted = false
    private var rest: [UInt8] = []

    init(hasQuotes: Bool) { self.hasQuotes = hasQuotes }

    /// Adds bytes, and returns the records that are now complete.
    mutating func records(adding piece: [UInt8]) -> [[UInt8]] {
        var records: [[UInt8]] = []
        for byte in piece {
            rest.append(byte)
            if hasQuotes, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard byte == UInt8(ascii: "\n"), !isQuoted else { continue }
            records.append(rest)
            rest = []
        }
        return records
    }
}

extension RelationshipDescription {
    /// Whether the model allows objects to be deleted while references to them remain.
    fileprivate func mayBeLost(in model: ManagedObjectModel) -> Bool {
        guard !isTransient else { return false }
        let back = inverse.flatMap { model.destination(of: self).relationship(named: $0.name) }
        return back.map { $0.deleteRule == .noAction } ?? true
    }
}
