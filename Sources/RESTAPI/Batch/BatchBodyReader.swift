// SPDX-License-Identifier: Apache-2.0

// Reads the rows of a batch insertion from a body of any length.

import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

/// Reads row by row, as values by property names of the model.
final class BatchBodyReader {
    private let resource: Resource
    private let catalogue: Catalogue
    private var reader: JSONStreamReader
    private var references: ReferenceReader
    private let keepsIDs: Bool
    private let isOfLines: Bool
    private var count = 0
    private(set) var lines = LineIndex()

    /// The maximum size of one row's text in bytes.
    private static let rowLimit = 16 << 20

    init(_ rows: BatchRows, of resource: Resource, in api: API) throws {
        self.resource = resource
        catalogue = api.catalogue
        keepsIDs = rows.keepsIDs
        isOfLines = rows.layout == .lines
        references = ReferenceReader(api)
        let next = try Self.readingAhead(rows.body.pieces())
        let limits = JSONLimits(bytes: Self.rowLimit, values: api.options.bodyValueLimit)
        reader = JSONStreamReader(rows.layout, limits: limits, nextBytes: next)
    }

    /// Reads the beginning of a body in advance: most bodies are complete then, so a store that reads all rows in one
    /// transaction doesn't block other writers while the client sends.
    private static func readingAhead(_ next: @escaping () throws -> [UInt8]?) throws -> () throws -> [UInt8]? {
        var pieces: [[UInt8]] = []
        var size = 0
        while size < 4 << 20, let piece = try next() {
            pieces.append(piece)
            size += piece.count
        }
        var ahead = pieces.makeIterator()
        return { try ahead.next() ?? next() }
    }

    /// The next row, or nil at the end.
    func next() throws -> BatchInsertRequest.Row? {
        let json: JSONValue?
        do {
            json = try reader.next()
        } catch let error as JSONError {
            var problem = Problem.malformed(error)
            if isOfLines, count == 0, error.code == .syntax, error.position.line == 1 {
                problem.hint =
                    "Each row has a line of its own. With curl, --data-binary keeps the lines, and -d joins them."
            }
            throw problem
        }
        guard let json else { return nil }
        count += 1
        lines.add(reader.start.line, row: count)
        guard let object = json.object else {
            var findings = Findings()
            let place = BodyPosition(object: "row \(count)", position: json.position)
            findings.add(.type, "A row must be an object, not \(json.summary).", at: place)
            throw findings.problem
        }
        var findings = Findings()
        var values: [String: Value] = [:]
        values.reserveCapacity(object.count)
        // A row copied from a response includes derived values, which the store computes again.
        let wasShown = object["_id"] != nil
        for member in object.members where member.name != "_id" && member.name != "_version" {
            guard let property = resource.property(named: member.name) else {
                refuse(member, into: &findings)
                continue
            }
            if wasShown, property.attribute?.isDerived == true { continue }
            values[property.property.name] = value(of: property, from: member.value, into: &findings)
        }
        try findings.check()
        return BatchInsertRequest.Row(values, keeping: keepsIDs ? catalogue.identity(of: object, resource) : nil)
    }

    private func value(of property: ResourceProperty, from json: JSONValue, into findings: inout Findings) -> Value? {
        switch property.property {
        case .attribute(let attribute) where attribute.isDerived:
            findings.add(
                .readOnly,
                "\(property.name) is derived, and can't be set.",
                at: place(property.name, of: json)
            )
        case .attribute(let attribute):
            return attribute.value(from: json, at: place(property.name, of: json), into: &findings)
                .map(property.stored)
        case .relationship(let relationship):
            if json.isNull { return relationship.isToMany ? .array([]) : .null }
            let destination = catalogue.destination(of: relationship)
            guard relationship.isToMany else { return reference(json, to: destination, of: property, into: &findings) }
            guard let members = json.array else {
                let message = "\(property.name) takes an array of references, not \(json.summary)."
                findings.add(.type, message, at: place(property.name, of: json))
                return nil
            }
            return .array(members.compactMap { reference($0, to: destination, of: property, into: &findings) })
        case .fetched:
            findings.add(
                .readOnly,
                "\(property.name) is a fetched property, and can't be set.",
                at: place(property.name, of: json)
            )
        }
        return nil
    }

    private func reference(
        _ json: JSONValue,
        to destination: Resource,
        of property: ResourceProperty,
        into findings: inout Findings
    ) -> Value? {
        switch references.read(json, to: destination) {
        case .success(let objectID): return objectID.value
        case .failure(let mismatch):
            findings.add(.reference, mismatch.message, hint: mismatch.hint, at: place(property.name, of: json))
            return nil
        }
    }

    private func refuse(_ member: JSONMember, into findings: inout Findings) {
        let place = place(member.name, of: member.value)
        switch member.name {
        case "_entity" where member.value.string == resource.name: return
        case "_entity":
            findings.add(.identity, "The _entity of a row must be \(resource.name).", at: place)
        default:
            findings.add(
                .unknown,
                "\(resource.name) has no property “\(member.name.shortened)”.",
                hint: resource.hint(for: member.name),
                at: place
            )
        }
    }

    private func place(_ name: String, of json: JSONValue) -> BodyPosition {
        BodyPosition(object: "row \(count)", property: name, position: json.position)
    }
}
