// SPDX-License-Identifier: Apache-2.0

// Adapts a model's tables to a file that an app has written and migrated over years.

import ObjectGraph

extension StoreSchema {
    /// The columns of each table in a file.
    typealias FileTables = [String: [String]]

    /// The schema with the names that a file has. Throws if the file lacks a table or column that the model needs.
    ///
    /// Names of pair tables depend on the owning side and on name collisions, by rules that have changed over time. All
    /// known variants are tried.
    func fitted(to file: FileTables) throws(StoreError) -> StoreSchema {
        var schema = self
        for place in tables.indices { try schema.fit(&schema.tables[place], to: file) }
        var fitted: [String: (table: PairTable, isSwapped: Bool)] = [:]
        for relationship in pairRelationships {
            guard let view = pairs[relationship], view.isOwner else { continue }
            fitted[view.table.name] = try fit(view.table, of: relationship, to: file)
        }
        schema.pairTables = pairTables.map { fitted[$0.name]?.table ?? $0 }
        schema.pairs = pairs.mapValues { view in
            guard let (table, isSwapped) = fitted[view.table.name] else { return view }
            return PairsView(table: table, isOwner: view.isOwner != isSwapped)
        }
        return schema
    }

    /// The columns and pair tables in a file that don't belong to a fitted schema, as SQL names. Columns of order
    /// values and of entity numbers are ignored, since changed relationships leave them behind.
    func unexplained(in file: FileTables) -> [String] {
        var columns: [String: Set<String>] = [:]
        for table in tables { columns[table.name] = Set(SystemColumn.all + table.columns.map(\.name)) }
        for table in pairTables where table.isColumn { columns[table.name]?.insert(table.owner.key) }
        let pairNames = Set(pairTables.map(\.name))
        return file.keys.sorted().flatMap { name -> [String] in
            guard let known = columns[name] else {
                return name.hasNumber(after: "Z_") && !pairNames.contains(name) ? [name] : []
            }
            return (file[name] ?? []).filter { column in
                !known.contains(column) && !column.hasPrefix("Z_FOK_") && !column.hasNumber(after: "Z")
            }.map { "\(name).\($0)" }
        }
    }

    private func fit(_ table: inout EntityTable, to file: FileTables) throws(StoreError) {
        guard let columns = file[table.name] else { throw .lacksTable(table.name, of: table.root) }
        let known = Set(columns)
        for place in table.columns.indices where !known.contains(table.columns[place].name) {
            throw .lacksColumn(table.columns[place].name, table.name)
        }
    }

    private func fit(
        _ table: PairTable,
        of relationship: RelationshipDescription,
        to file: FileTables
    ) throws(StoreError) -> (table: PairTable, isSwapped: Bool) {
        if let columns = file[table.name] { return (try fit(table, to: columns), false) }
        // In the file, the other side may be the owner.
        var swapped = table
        swapped.owner = table.member
        swapped.member = table.owner
        swapped.name = "Z_" + table.owner.key.dropFirst(2)
        if let columns = file[swapped.name] { return (try fit(swapped, to: columns), true) }
        if relationship.inverse == nil, let column = fit(column: table, of: relationship, to: file) {
            return (column, false)
        }
        throw .lacksPairs(table.name, swapped.name, relationship)
    }

    /// Core Data's column in the members' table for a relationship without an inverse.
    private func fit(
        column table: PairTable,
        of relationship: RelationshipDescription,
        to file: FileTables
    ) -> PairTable? {
        guard let members = self.table(of: model.destination(of: relationship)), let columns = file[members.name] else {
            return nil
        }
        let key = table.name.dropFirst(2)
        guard columns.contains("Z\(key)") else { return nil }
        let order = "Z_FOK_\(key)"
        return PairTable(
            name: members.name,
            owner: .init(key: "Z\(key)", order: nil),
            member: .init(key: SystemColumn.key, order: columns.contains(order) ? order : nil),
            isReflexive: false,
            isColumn: true
        )
    }

    /// Colliding names have a number appended: of the two keys, the one without a known name belongs to the other end.
    private func fit(_ table: PairTable, to columns: [String]) throws(StoreError) -> PairTable {
        var table = table
        let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
        guard keys.count == 2 else { throw .foreignPairs(table.name) }
        for end in [\PairTable.owner, \PairTable.member] where !keys.contains(table[keyPath: end].key) {
            let other = table[keyPath: end == \PairTable.owner ? \PairTable.member : \PairTable.owner].key
            let name = table[keyPath: end].key
            let numbered = keys.first {
                $0 != other && $0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber)
            }
            guard let found = numbered ?? keys.first(where: { $0 != other }) else { throw .foreignPairs(table.name) }
            table[keyPath: end].key = found
            if table[keyPath: end].order != nil { table[keyPath: end].order = "Z_FOK_" + found.dropFirst(2) }
        }
        for end in [\PairTable.owner, \PairTable.member] {
            guard let order = table[keyPath: end].order, !columns.contains(order) else { continue }
            throw .lacksColumn(order, table.name)
        }
        return table
    }
}

extension String {
    fileprivate func hasNumber(after prefix: String) -> Bool {
        hasPrefix(prefix) && (dropFirst(prefix.count).first?.isNumber ?? false)
    }
}
