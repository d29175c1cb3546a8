// SPDX-License-Identifier: Apache-2.0

// Checks what every row has: its entity's number, a key that was allocated, a version.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreCheck {
    func rowFlaws(_ table: EntityTable) throws -> [StoreFlaw] {
        let name: SQL = "\(identifier: table.name)"
        let concrete = table.layouts.filter { !$0.entity.isAbstract }.map { "\(literal: .integer($0.number))" as SQL }
        let root = SQLValue.integer(table.layouts.first?.number ?? 0)
        let greatest: SQL = "(SELECT MAX(Z_PK) FROM \(name))"
        let stored: SQL = "FROM Z_PRIMARYKEY WHERE Z_ENT = \(value: root)"
        let limit: SQL = "\(value: .integer(Self.keyLimit))"
        let hasKeys = try connection.first("SELECT ifnull(\(greatest), 0) <= \(limit)") { $0.int64(0) == 1 } ?? true
        let unusable: SQL = "(typeof(Z_MAX) <> 'integer' OR Z_MAX < 0 OR Z_MAX > \(limit))"
        let restart: SQL = "UPDATE Z_PRIMARYKEY SET Z_MAX = ifnull(\(greatest), 0) WHERE Z_ENT = \(value: root)"
        return [
            try flaw(
                .entity,
                of: table.root,
                keys: "SELECT Z_PK FROM \(name) WHERE ifnull(Z_ENT, 0) NOT IN (\(concrete.joined(separator: ", ")))"
            ) { "\($0.objects("is", "are")) of an entity that can't have objects in the table \(table.name)." },
            try flaw(
                .version,
                .warning,
                of: table.root,
                keys: "SELECT Z_PK FROM \(name) WHERE Z_OPT IS NULL",
                repair: ("gives them version 1", ["UPDATE \(name) SET Z_OPT = 1 WHERE Z_OPT IS NULL"])
            ) { "\($0.objects("has", "have")) no version." },
            try flaw(
                .primaryKey,
                of: table.root,
                keys: """
                    SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = \(value: root))
                    """
            ) { _ in "Z_PRIMARYKEY has no row for the entity, so new objects can't get keys." },
            try flaw(
                .keysExhausted,
                of: table.root,
                keys: "SELECT 0 \(stored) AND \(unusable)",
                repair: hasKeys
                    ? (words: "continues from the greatest key of an object", statements: [restart]) : nil
            ) { _ in
                hasKeys
                    ? "The recorded greatest key isn't a key, or leaves no keys for new objects."
                    : "An object has a key that leaves no keys for new objects."
            },
            try flaw(
                .keyLimit,
                of: table.root,
                keys: "SELECT \(greatest) \(stored) AND NOT \(unusable) AND Z_MAX < \(greatest)",
                repair: (
                    "raises the greatest key",
                    ["UPDATE Z_PRIMARYKEY SET Z_MAX = \(greatest) WHERE Z_ENT = \(value: root)"]
                )
            ) { _ in "New objects would get the keys of existing ones." },
        ].compactMap(\.self)
    }

    /// The greatest key that a store can plausibly have reached; it leaves room for many more reservations.
    private static let keyLimit = Int64.max - 1 << 32
}
