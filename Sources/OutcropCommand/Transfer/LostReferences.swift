// SPDX-License-Identifier: Apache-2.0

// References to objects that are gone, as No Action leaves them behind. Nothing can be made of them in another store.

import CSV
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The references of some objects that lead to none.
struct LostReferences {
    /// The properties that have them, by the references of the objects.
    private var properties: [String: Set<String>] = [:]

    var isEmpty: Bool { properties.isEmpty }

    /// Asks for the references of some entities' objects.
    ///
    /// - Parameter names: The properties that matter; nil for all.
    init(of entities: [EntityDescription], among names: Set<String>?, at endpoint: any Endpoint) throws {
        for entity in entities {
            for relationship in entity.toOnes where relationship.mayBeLost(in: endpoint.model) {
                let name = PropertyDescription.relationship(relationship).apiName
                guard names?.contains(name) ?? true else { continue }
                try add(name, of: entity, endpoint)
            }
        }
    }

    /// What is embedded is null where no object is there.
    private mutating func add(_ name: String, of entity: EntityDescription, _ endpoint: any Endpoint) throws {
        let path = RequestTarget.encode(segment: entity.name)
        let condition = RequestTarget.encode(queryValue: "\(ObjectExpression.keyPath(name)) != nil")
        let selection = RequestTarget.encode(queryValue: name + "._id")
        let target = "/api/\(path)?where=\(condition)&select=\(selection)&includeSubentities=false"
        let request = HTTPRequest(.get, target, fields: [.accept: TransferFormat.ndjson.mediaType])
        var (lines, found): (RecordSplitter, [String]) = (RecordSplitter(hasQuotes: false), [])
        let answer = try endpoint.send(request) { piece in
            for line in lines.records(adding: piece) {
                let object = try JSONValue(parsing: line)
                if object[name]?.isNull == true, let id = object["_id"]?.string { found.append(id) }
            }
        }
        guard answer.isFine else { throw answer.failure("The objects can't be had") }
        for id in found { properties[id, default: []].insert(name) }
    }

    /// The properties of an object whose references lead nowhere.
    fileprivate subscript(object: String) -> Set<String> { properties[object] ?? [] }
}

/// Writes null in the place of lost references, record by record.
struct LostReferenceWriter {
    /// How many there were.
    private(set) var count = 0
    /// The first of them.
    private(set) var first: (object: String, property: String)?

    private let format: TransferFormat
    private var lost: LostReferences
    private var records: RecordSplitter
    private var columns: [String]?

    init(_ lost: LostReferences, _ format: TransferFormat) {
        (self.lost, self.format) = (lost, format)
        records = RecordSplitter(hasQuotes: format == .csv)
    }

    /// The records that are whole with some more bytes.
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
            note(id, name)
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
            note(id, columns[column])
        }
        var writer = CSVWriter()
        writer.write(cells.map { $0.isMissing ? nil : $0.text })
        return writer.bytes
    }

    private mutating func note(_ object: String, _ property: String) {
        count += 1
        first = first ?? (object, property)
    }

    /// Goes on with what others have, in a stream of its own.
    mutating func begin(_ lost: LostReferences) {
        (self.lost, columns) = (lost, nil)
        records = RecordSplitter(hasQuotes: format == .csv)
    }

    /// What is said of it; nil where there was none.
    var remark: String? {
        guard let first else { return nil }
        let objects = Wording.count(count, "reference")
        let verb = count == 1 ? "leads to an object that is" : "lead to objects that are"
        return "\(objects) \(verb) gone, and \(count == 1 ? "was" : "were") written as null; the first is "
            + "\(first.property) of \(first.object)."
    }
}

/// Records, each as a line that doesn't end within quotes.
struct RecordSplitter {
    private let hasQuotes: Bool
    private var isQuoted = false
    private var rest: [UInt8] = []

    init(hasQuotes: Bool) { self.hasQuotes = hasQuotes }

    /// The records that end in some bytes.
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
    /// Whether the model allows objects to be deleted and references to them to stay.
    fileprivate func mayBeLost(in model: ManagedObjectModel) -> Bool {
        guard !isTransient else { return false }
        let back = inverse.flatMap { model.destination(of: self).relationship(named: $0.name) }
        return back.map { $0.deleteRule == .noAction } ?? true
    }
}
