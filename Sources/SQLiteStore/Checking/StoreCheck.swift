// SPDX-License-Identifier: Apache-2.0

// The check of a store against its model: one statement for each thing that can be wrong with a property, not one for an object.

import ObjectGraph
import ObjectModel
import SQLiteDriver

/// Looks at a store through one connection, in the state that it sees.
struct StoreCheck {
    let connection: Connection
    let tables: StoreTables
    let folder: ExternalFolder

    var schema: StoreSchema { tables.schema }

    /// Everything that is wrong, in the order of the tables.
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

    /// The flaw of the rows that a query finds by their keys, if there are any.
    ///
    /// - Parameters:
    ///   - message: What is said of so many.
    ///   - repair: What is done about it, in words and in SQL.
    func flaw(
        _ code: StoreFinding.Code,
        _ severity: ModelIssue.Severity = .error,
        of entity: EntityDescription?,
        _ property: String? = nil,
        keys query: SQL,
        repair: (words: String, statements: [SQL])? = nil,
        message: (Int) -> String
    ) throws -> StoreFlaw? {
        var (keys, count): ([Int64], Int) = ([], 0)
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

    /// The numbers of an entity and of those below it.
    func numbers(of entity: EntityDescription) -> SQL {
        let numbers = schema.model.kinds(of: entity).map { schema.numbers[$0] }
        return "(\(numbers.map { "\(literal: .integer($0))" as SQL }.joined(separator: ", ")))"
    }
}

extension Int {
    /// `1 object has`, `2 objects have`.
    func objects(_ one: String, _ many: String) -> String { self == 1 ? "1 object \(one)" : "\(self) objects \(many)" }
}
