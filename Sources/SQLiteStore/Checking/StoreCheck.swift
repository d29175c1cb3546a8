// SPDX-License-Identifier: Apache-2.0

// The check of a store against its model: one statement for each kind of mistake and property, not for each object.

import ObjectGraph
import ObjectModel
import SQLiteDriver

/// Checks a store through one connection, in the state that the connection sees.
struct StoreCheck {
    let connection: Connection
    let tables: StoreTables
    let folder: ExternalFolder

    var schema: StoreSchema { tables.schema }

    /// All flaws, in the order of the tables.
    func flaws() throws -> [StoreFlaw] {
        var flaws: [StoreFlaw] = []
        for table in schema.tables {
            flaws += try rowFlaws(table)
            for layout in table.layouts {
                flaws += try valueFlaws(layout, table)
                flaws += try toOneFlaws(layout, table)
                flaws += try countFlaws(layout, table)
            }
            flaws += try uniqueFlaws(table)
        }
        flaws += try pairFlaws()
        flaws += try searchFlaws()
        flaws += try fileFlaws()
        return flaws + (try derivedFlaws())
    }

    /// The flaw of the rows that a query finds by key, or nil if it finds none.
    ///
    /// - Parameters:
    ///   - repair: The repair, in words and in SQL.
    ///   - message: Makes the message for a number of objects.
    func flaw(
        _ code: StoreFinding.Code,
        _ severity: ModelIssue.Severity = .error,
        of entity: EntityDescription?,
        _ property: String? = nil,
        keys query: SQL,
        repair: (words: String, statements: [SQL])? = nil,
        message: (Int) -> String
    ) throws -> StoreFlaw? {
        var keys: [Int64] = []
        var count = 0
        try connection.run(query) { row in
            count += 1
            if keys.count < StoreFlaw.keyLimit { keys.append(row.int64(0)) }
        }
        guard count > 0 else { return nil }
        let finding = StoreFinding(
            severity: severity,
            code: code,
            entity: entity?.name,
            property: property,
            message: message(count),
            count: count,
            keys: keys,
            repair: repair?.words
        )
        guard let statements = repair?.statements else { return StoreFlaw(finding: finding, repair: nil) }
        return StoreFlaw(finding: finding) { for statement in statements { try connection.execute(statement) } }
    }

    /// The numbers of an entity and its subentities, as an SQL list.
    func numbers(of entity: EntityDescription) -> SQL {
        let numbers = schema.model.kinds(of: entity).map { schema.numbers[$0] }
        return "(\(numbers.map { "\(literal: .integer($0))" as SQL }.joined(separator: ", ")))"
    }
}

extension Int {
    /// `1 object has`, `2 objects have`.
    func objects(_ one: String, _ many: String) -> String { self == 1 ? "1 object \(one)" : "\(self) objects \(many)" }
}
