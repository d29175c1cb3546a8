// SPDX-License-Identifier: Apache-2.0

// A store's file read by plain SQL and Core Data's rules for names of tables and columns, independently of the store's
// code.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Testing

struct PlainTables {
    private let connection: Connection
    private let numbers: [String: Int64]
    /// The tables, including those of pairs, with their columns.
    private let columns: [String: [String]]

    init(path: String) throws {
        connection = try Connection(path: path, access: .readWrite)
        let names = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.string(0) }
        var columns: [String: [String]] = [:]
        for name in names {
            columns[name] = try connection.rows("SELECT name FROM pragma_table_info(\(value: .text(name)))") {
                $0.string(0)
            }
        }
        self.columns = columns
        let rows = try connection.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") { ($0.string(0), $0.int64(1)) }
        numbers = Dictionary(uniqueKeysWithValues: rows)
    }

    var carriesModel: Bool {
        get throws {
            guard columns["Z_MODELCACHE"] != nil else { return false }
            return try connection.first("SELECT length(Z_CONTENT) FROM Z_MODELCACHE") { $0.int64(0) } ?? 0 > 0
        }
    }

    private func table(of entity: EntityDescription, _ model: Model?) -> String {
        let root = model?.lineage(of: entity.entity).first?.name ?? entity.name
        return "Z" + root.uppercased()
    }

    func count(of entity: EntityDescription, in model: ManagedObjectModel) throws -> Int {
        // A renamed entity has its former name in the file.
        let names = [entity.name, entity.entity.renamingIdentifier].compactMap(\.self)
        let number = try #require(names.compactMap { numbers[$0] }.first, "\(entity.name) has no number")
        return try connection.first(
            """
            SELECT count(*) FROM \(identifier: table(of: entity, model.model)) WHERE Z_ENT = \(value: .integer(number))
            """
        ) { Int($0.int64(0)) } ?? 0
    }

    /// Checks an object's values and relationships against its row and the rows that refer to it.
    func check(_ object: ManagedObject, in model: ManagedObjectModel) throws {
        let entity = object.entity
        let name = table(of: entity, model.model)
        guard case .integer(let key)? = object.objectID.reference else { return }
        let statement = try connection.prepare("SELECT * FROM \(identifier: name) WHERE Z_PK = \(value: .integer(key))")
        #expect(try statement.step(), "\(object.objectID) has no row")
        var row: [String: SQLValue] = [:]
        for column in 0..<statement.columnCount { row[statement.columnName(column)] = statement.value(column) }
        for attribute in entity.attributes where attribute.isPersistent {
            let value = try object.value(forKey: attribute.name)
            // Names that siblings share have a number.
            let stored = ["", "1", "2", "3", "4", "5"].compactMap { row["Z" + attribute.name.uppercased() + $0] }
            #expect(
                stored.contains { attribute.isSame(value, $0) },
                "\(object.objectID).\(attribute.name): \(value), \(stored)"
            )
        }
        for relationship in entity.relationships where !relationship.isTransient {
            let related = try object.objectIDs(of: relationship).compactMap(\.number)
            let stored =
                relationship.isToMany
                ? try members(of: relationship, key, entity, model) : destinations(relationship, row)
            guard let stored else { continue }
            let isSame = relationship.isOrdered ? related == stored : related.sorted() == stored.sorted()
            #expect(isSame, "\(object.objectID).\(relationship.name): \(related), \(stored)")
        }
    }

    private func destinations(_ relationship: RelationshipDescription, _ row: [String: SQLValue]) -> [Int64]? {
        let name = "Z" + relationship.name.uppercased()
        guard row[name + "1"] == nil, let key = row[name] else { return nil }
        if case .integer(let number) = key { return [number] }
        return []
    }

    /// Nil if names have numbers, which only the store's own rules determine.
    private func members(
        of relationship: RelationshipDescription,
        _ owner: Int64,
        _ entity: EntityDescription,
        _ model: ManagedObjectModel
    ) throws -> [Int64]? {
        let destination = model.destination(of: relationship)
        guard let inverse = relationship.inverse else { return nil }
        let key = "Z" + inverse.name.uppercased()
        if !inverse.isToMany {
            let table = table(of: destination, model.model)
            guard let known = columns[table], known.contains(key), !known.contains(key + "1") else { return nil }
            let order = "Z_FOK_" + inverse.name.uppercased()
            return try connection.rows(
                """
                SELECT Z_PK FROM \(identifier: table) WHERE \(identifier: key) = \(value: .integer(owner)) \
                ORDER BY \(identifier: relationship.isOrdered ? order : "Z_PK"), Z_PK
                """
            ) { $0.int64(0) }
        }
        guard let (table, own, other) = pairs(of: relationship, inverse.name) else { return nil }
        let order = "Z_FOK_" + other.dropFirst(2)
        return try connection.rows(
            """
            SELECT \(identifier: other) FROM \(identifier: table) WHERE \(identifier: own) = \(value: .integer(owner)) \
            ORDER BY \(identifier: relationship.isOrdered ? order : other), \(identifier: other)
            """
        ) { $0.int64(0) }
    }

    /// The table with a column for each of two names, whatever numbers they contain.
    private func pairs(of relationship: RelationshipDescription, _ inverse: String) -> (String, String, String)? {
        func column(_ name: String, _ columns: [String]) -> String? {
            columns.first { column in
                column.hasPrefix("Z_") && column.dropFirst(2).drop(while: \.isNumber) == name.uppercased()[...]
                    && column.dropFirst(2).first?.isNumber == true
            }
        }
        let found = columns.filter { $0.key.hasPrefix("Z_") && $0.key.dropFirst(2).first?.isNumber == true }
            .compactMap { table, columns -> (String, String, String)? in
                guard let own = column(inverse, columns), let other = column(relationship.name, columns), own != other
                else { return nil }
                return (table, own, other)
            }
        return found.count == 1 ? found[0] : nil
    }
}

extension ManagedObjectID {
    fileprivate var number: Int64? {
        if case .integer(let number)? = reference { number } else { nil }
    }
}

extension AttributeDescription {
    /// Whether a value is the same as a column's.
    fileprivate func isSame(_ value: Value, _ stored: SQLValue) -> Bool {
        switch (value, stored) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.bool(let one), .integer(let other)): one == (other != 0)
        case (.double(let one), .real(let other)): one == other
        case (.double(let one), .integer(let other)): one == Double(other)
        case (.date(let one), .real(let other)): one.timeIntervalSinceReferenceDate == other
        case (.date(let one), .integer(let other)): one.timeIntervalSinceReferenceDate == Double(other)
        case (.decimal(let one), .real(let other)): Double(one.description) == other
        case (.decimal(let one), .integer(let other)): one == Decimal(other)
        case (.string(let one), .text(let other)), (.uri(let one), .text(let other)): one == other
        case (.uuid(let one), .blob(let other)): one.uuidString.filter { $0 != "-" } == other.hexadecimal
        case (.data(let one), .blob(let other)):
            attribute.allowsExternalStorage && type == .binary
                ? other == [1] + [UInt8](one) : other == [UInt8](one)
        // A value in a file, which may be missing, or an archived value.
        case (.null, .blob(let other)): attribute.allowsExternalStorage && other.first == 2
        case (_, .blob(let other)): type.name == "Transformable" && !other.isEmpty
        default: false
        }
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }.joined()
    }
}
