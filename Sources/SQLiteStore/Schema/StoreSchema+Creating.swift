// SPDX-License-Identifier: Apache-2.0

// The statements that create a new store's tables.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreSchema {
    /// All statements, in order, except the rows of `Z_METADATA` and `Z_MODELCACHE`.
    var creation: [SQL] {
        tables.map { $0.creation() } + pairTables.map { $0.creation() }
            + [
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
                "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
            ]
            + numbers.entities.map { primaryKey(of: $0) } + indexes.map(\.creation)
    }

    /// The indexes of all tables.
    var indexes: [StoredIndex] { tables.flatMap(indexes) + pairTables.flatMap(\.indexes) }

    /// The statement that records an entity.
    ///
    /// - Parameter greatest: The greatest key that was given to an object, for a root entity.
    func primaryKey(of entity: EntityDescription, greatest: SQL = "0") -> SQL {
        let parent = entity.entity.parentName.flatMap(model.entity(named:)).map { numbers[$0] } ?? 0
        return """
            INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) \
            VALUES (\(value: .integer(numbers[entity])), \(value: .text(entity.name)), \(value: .integer(parent)), \(greatest))
            """
    }

    private func indexes(of table: EntityTable) -> [StoredIndex] {
        var names: Set<String> = []
        return
            (table.systemIndexes
            + numbers.entities.filter { table.root.kinds.contains($0.index) }.flatMap { entity in
                entity.entity.attributes.filter(\.isIndexed).compactMap { table.index(of: $0, entity) }
                    + entity.entity.fetchIndexes.compactMap { table.index($0, entity) }
                    + entity.entity.uniquenessConstraints.compactMap { table.index($0, entity) }
            }).filter { names.insert($0.name).inserted }
    }
}

/// An index of a store.
struct StoredIndex: Hashable, Sendable {
    let name: String
    let table: String
    var isUnique = false
    /// The columns, with their sort directions.
    let elements: [SQL]

    var creation: SQL {
        """
        CREATE \(isUnique ? "UNIQUE " : "")INDEX \(identifier: name) ON \(identifier: table) \
        (\(elements.joined(separator: ", ")))
        """
    }
}

extension EntityTable {
    /// - Parameter other: Another name than the table's.
    func creation(named other: String? = nil) -> SQL {
        let declared = columns.map { column -> SQL in
            ", \(identifier: column.name) \(SQL(text: column.declaration.rawValue))"
        }
        return """
            CREATE TABLE \(identifier: other ?? name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\
            \(declared.joined(separator: "")) )
            """
    }

    /// Indexes of relationships, and of entity numbers if there are several. An order value is part of the index, so
    /// that the greatest one is found without reading all members.
    fileprivate var systemIndexes: [StoredIndex] {
        let toOnes = Set(layouts.flatMap(\.toOnes).compactMap(\.self)).sorted { $0.key < $1.key }
        let indexes = toOnes.map { columns in
            let key = name(ofColumn: columns.key)
            let place: [SQL] = columns.order.map { ["\(identifier: name(ofColumn: $0))"] } ?? []
            return StoredIndex(name: "\(name)_\(key)_INDEX", table: name, elements: ["\(identifier: key)"] + place)
        }
        return (hasSubentities ? [StoredIndex(name: "\(name)_Z_ENT_INDEX", table: name, elements: ["Z_ENT"])] : [])
            + indexes
    }

    fileprivate func index(of attribute: Attribute, _ entity: EntityDescription) -> StoredIndex? {
        element(attribute.name, of: entity).map { element in
            StoredIndex(name: "Z_\(entity.name)_\(attribute.name)", table: name, elements: [element])
        }
    }

    /// Nil for an index over expressions: with functions of this store in it, other programs
    /// couldn't write to the table.
    fileprivate func index(_ index: FetchIndex, _ entity: EntityDescription) -> StoredIndex? {
        var elements: [SQL] = []
        for element in index.elements {
            guard case .property(let property) = element.subject,
                let column = self.element(property, of: entity, isAscending: element.isAscending)
            else { return nil }
            elements.append(column)
        }
        guard !elements.isEmpty else { return nil }
        return StoredIndex(name: "Z_\(entity.name)_\(index.name)", table: name, elements: elements)
    }

    fileprivate func index(_ constraint: [String], _ entity: EntityDescription) -> StoredIndex? {
        let elements = constraint.compactMap { element($0, of: entity) }
        guard elements.count == constraint.count else { return nil }
        return StoredIndex(
            name: "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))",
            table: name,
            isUnique: true,
            elements: elements
        )
    }

    private func element(_ property: String, of entity: EntityDescription, isAscending: Bool = true) -> SQL? {
        guard let place = place(of: property, entity) else { return nil }
        return "\(identifier: columns[place].name) COLLATE BINARY \(isAscending ? "ASC" : "DESC")"
    }

    /// The column of a property that has exactly one.
    private func place(of property: String, _ entity: EntityDescription) -> Int? {
        switch entity.property(named: property) {
        case .attribute(let attribute):
            if case .value(let place, _) = self[entity].attributes[attribute.slot] { place } else { nil }
        case .relationship(let relationship) where !relationship.isToMany:
            self[entity].toOnes[relationship.slot]?.key
        default: nil
        }
    }
}

extension PairTable {
    /// - Parameter other: Another name than the table's.
    func creation(named other: String? = nil) -> SQL {
        let keys = [owner.key, member.key].map { "\(identifier: $0)" as SQL }
        let orders = [member.order, owner.order].compactMap(\.self).map { "\(identifier: $0)" as SQL }
        let declared = (isReflexive ? keys.reversed() : keys) + orders
        return """
            CREATE TABLE \(identifier: other ?? name) ( \
            \(declared.map { "\($0) INTEGER" }.joined(separator: ", ")), \
            PRIMARY KEY (\((isReflexive ? keys.reversed() : keys).joined(separator: ", "))) )
            """
    }

    /// The index for lookups by member.
    fileprivate var indexes: [StoredIndex] {
        let index = StoredIndex(
            name: "\(name)_\(member.key)_INDEX",
            table: name,
            elements: ["\(identifier: member.key)", "\(identifier: owner.key)"]
        )
        return isReflexive ? [] : [index]
    }
}
