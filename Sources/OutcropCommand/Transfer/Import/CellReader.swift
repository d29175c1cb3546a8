// SPDX-License-Identifier: Apache-2.0

// Rows of CSV as JSON objects, by the types of the model.

import CSV
import JSON
import ObjectGraph
import ObjectModel
import SourceText

/// Converts rows to objects. A cell that isn't a value of its attribute is kept as text, which the API then refuses.
struct CellReader {
    private let model: ManagedObjectModel
    private let entity: EntityDescription?
    private let paths: [[String]]
    /// The columns without a name.
    private let unnamed: [Int]
    private let usesDecimalComma: Bool
    private let entityColumn: Int?

    init(
        header cells: [CSVCell],
        separator: CSVSeparator,
        _ mapping: [ColumnMapping],
        _ entity: EntityDescription?,
        _ model: ManagedObjectModel,
        file: String
    ) throws {
        self.model = model
        self.entity = entity
        usesDecimalComma = separator == .semicolon
        let header = cells.map { mapping.name(of: $0.text) }
        paths = header.map(mapping.path)
        entityColumn = paths.firstIndex(of: ["_entity"])
        unnamed = header.indices.filter { [paths] column in
            paths[column].isEmpty && !mapping.contains { $0.column == header[column] }
        }
        if let missing = mapping.first(where: { mapping in !header.contains(mapping.column) }) {
            throw Failure(
                "\(file) has no column “\(missing.column)”.",
                hint: "Its columns are \(header.joined(separator: ", ")).",
                status: .usage
            )
        }
        var seen: Set<[String]> = []
        for (column, path) in zip(header, paths) where !path.isEmpty {
            guard seen.insert(path).inserted else {
                throw Failure("\(file) has two columns for “\(path.joined(separator: "."))”.")
            }
            guard let entity, entityColumn == nil, !ReservedKeys.own.contains(path[0]) else { continue }
            if let unknown = Self.unknown(path[...], of: [entity], model) {
                let guess = Spelling.hint(for: unknown.name, among: unknown.candidates).map { $0 + " " } ?? ""
                throw Failure(
                    "\(unknown.owner) has no property “\(unknown.name)”, which is a column of \(file).",
                    hint: "\(guess)Map it: --map '\(column)=KEYPATH', or ignore it: --map '\(column)='."
                )
            }
        }
    }

    /// A name in a key path that doesn't exist, with its owner and the owner's properties.
    private struct Unknown {
        let owner: String
        let name: String
        let candidates: [String]
    }

    /// The first name in a key path that none of the entities has, reported for the first entity.
    private static func unknown(
        _ path: ArraySlice<String>,
        of entities: ArraySlice<EntityDescription>,
        _ model: ManagedObjectModel
    ) -> Unknown? {
        guard let first = path.first, !ReservedKeys.own.contains(first), let owner = entities.first else { return nil }
        switch entities.lazy.compactMap({ $0.property(forAPIName: first) }).first {
        case nil:
            return Unknown(owner: owner.name, name: first, candidates: entities.flatMap(\.apiNames) + ReservedKeys.own)
        case .relationship(let relationship):
            return unknown(path.dropFirst(), of: model.kinds(of: model.destination(of: relationship)), model)
        case .attribute(var attribute):
            for name in path.dropFirst() {
                let elements = attribute.elements
                guard let element = elements.first(where: { PropertyDescription.attribute($0).apiName == name }) else {
                    let names = elements.map { PropertyDescription.attribute($0).apiName }
                    return Unknown(owner: "\(owner.name).\(attribute.name)", name: name, candidates: names)
                }
                attribute = element
            }
            return nil
        case .fetched: return nil
        }
    }

    /// The number of columns.
    var width: Int { paths.count }

    /// Whether a column has names of objects.
    var hasNames: Bool { paths.contains(["_id"]) }

    /// The number of the first unnamed column in which a row has a value, from 1.
    func unnamedColumn(of row: [CSVCell]) -> Int? {
        unnamed.first { $0 < row.count && !row[$0].isMissing }.map { $0 + 1 }
    }

    /// The object of a row. A missing cell counts as empty, and an empty one as null or, if required, the default.
    func object(_ row: [CSVCell]) throws(CellError) -> JSONObject {
        var entity = entity
        if let entityColumn, entityColumn < row.count { entity = model.entity(named: row[entityColumn].text) ?? entity }
        var object = JSONObject()
        for (column, path) in paths.enumerated() where !path.isEmpty {
            let cell = column < row.count ? row[column] : CSVCell("")
            if ReservedKeys.own.contains(path[0]) {
                if !cell.isMissing { object[path[0]] = .string(cell.text) }
                continue
            }
            if let value = try value(cell, path, entity) { object.set(value, at: path[...]) }
        }
        return object.withoutEmptyReferences(of: entity)
    }

    private func value(_ cell: CSVCell, _ path: [String], _ entity: EntityDescription?) throws(CellError) -> JSONValue?
    {
        guard let property = entity?.property(forAPIName: path[0]) else {
            // In a table of several entities, cells of properties that an entity doesn't have are empty.
            return cell.isMissing ? nil : .string(cell.text)
        }
        switch property {
        case .attribute(var attribute):
            for name in path.dropFirst() {
                guard
                    let element = attribute.elements.first(where: { PropertyDescription.attribute($0).apiName == name })
                else { return .string(cell.text) }
                attribute = element
            }
            guard !attribute.isDerived else { return nil }
            if cell.isMissing { return path.count == 1 && attribute.attribute.isOptional ? .null : nil }
            if usesDecimalComma, attribute.type.isNumber, Self.hasThousands(cell.text) {
                let message =
                    "In a file with semicolons, “\(cell.text)” may be thousands or a fraction; write it with a comma, or no separator."
                throw CellError(property: path.joined(separator: "."), message: message)
            }
            return json(cell.text, attribute)
        case .relationship(let relationship):
            if path.count > 1 {
                let destination = model.destination(of: relationship)
                guard !cell.isMissing else { return nil }
                if relationship.isToMany {
                    throw CellError(
                        property: path.joined(separator: "."),
                        message:
                            "“\(path[0])” may have several objects: map the column to it alone, and write a JSON list, "
                            + #"such as [{"name": "x"}] or ["\#(destination.name)/1"]."#
                    )
                }
                return try value(cell, Array(path.dropFirst()), destination)
            }
            if cell.isMissing { return relationship.isToMany ? nil : .null }
            guard relationship.isToMany else { return .string(cell.text) }
            return (try? JSONValue(parsing: cell.text)) ?? .string(cell.text)
        case .fetched: return nil
        }
    }

    private func json(_ text: String, _ attribute: AttributeDescription) -> JSONValue {
        switch attribute.type {
        case .int16, .int32, .int64, .double, .float:
            let number = try? JSONValue(parsing: decimal(text))
            return number?.number == nil ? .string(text) : number ?? .string(text)
        case .decimal: return .string(decimal(text))
        case .bool:
            switch text.lowercased() {
            case "true", "yes", "1": return true
            case "false", "no", "0": return false
            default: return .string(text)
            }
        case .date: return .string(Self.date(text))
        case .transformable: return (try? JSONValue(parsing: text)) ?? .string(text)
        default: return .string(text)
        }
    }

    /// Files separated by semicolons use decimal commas.
    private func decimal(_ text: String) -> String {
        usesDecimalComma && !text.contains(".") ? text.replacing(",", with: ".", maxReplacements: 1) : text
    }

    /// Whether a number has a point followed by exactly three digits, and otherwise only digits.
    private static func hasThousands(_ text: String) -> Bool {
        let parts = text.drop { $0 == "-" || $0 == "+" }.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && (1...3).contains(parts[0].count) && parts[1].count == 3
            && parts.joined().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// A date without a time is midnight in UTC, and a time without an offset is in UTC.
    private static func date(_ text: String) -> String {
        var bytes = Array(text.utf8)
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return text }
        if bytes.count == 10 { return text + "T00:00:00Z" }
        if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        let time = bytes[11...]
        let hasOffset = time.contains { "Zz+-".utf8.contains($0) }
        var full = String(decoding: bytes, as: UTF8.self)
        if !hasOffset { full += time.count == 5 ? ":00Z" : "Z" }
        return full
    }
}

/// Why a cell is ambiguous.
struct CellError: Error {
    let property: String
    let message: String
}

extension AttributeType {
    fileprivate var isNumber: Bool {
        switch self {
        case .int16, .int32, .int64, .decimal, .double, .float: true
        default: false
        }
    }
}

extension JSONObject {
    /// Removes references by values in which all values are missing.
    fileprivate func withoutEmptyReferences(of entity: EntityDescription?) -> JSONObject {
        var result = self
        for member in members where member.value.object?.isEmpty == true {
            if case .attribute(let attribute)? = entity?.property(forAPIName: member.name), attribute.elements.isEmpty {
                continue
            }
            result[member.name] = nil
        }
        return result
    }
}
