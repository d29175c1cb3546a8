// SPDX-License-Identifier: Apache-2.0

// Checks a ledger's file in plain SQL.

import SQLiteDriver

/// The file of a ledger.
public enum LedgerFile {
    /// The problems of the file, or an empty list.
    public static func problems(_ path: String) throws -> [String] {
        let connection = try Connection(path: path)
        var problems = try connection.integrityCheck()
        let entities = try connection.rows("SELECT Z_NAME, Z_ENT, Z_MAX FROM Z_PRIMARYKEY") {
            (name: $0.string(0), number: $0.int64(1), max: $0.int64(2))
        }
        for entity in entities {
            let isOfHistory = entity.number >= 16_000
            let table = (isOfHistory ? "A" : "Z") + entity.name.uppercased()
            let highest = try connection.number("SELECT max(Z_PK) FROM \(identifier: table)")
            if entity.max < highest { problems.append("Z_MAX of \(entity.name) is \(entity.max), below \(highest)") }
            if isOfHistory { continue }
            if let problem = try connection.historyProblem(of: entity.number, in: table) { problems.append(problem) }
            let column = table
            for other in try connection.tables(having: column) {
                let count = try connection.number(
                    """
                    SELECT count(*) FROM \(identifier: other) WHERE \(identifier: column) IS NOT NULL \
                    AND \(identifier: column) NOT IN (SELECT Z_PK FROM \(identifier: table))
                    """
                )
                if count > 0 { problems.append("\(count) rows of \(other) name no row of \(table)") }
            }
            for (other, column) in try connection.pairColumns(of: entity.number) {
                let count = try connection.number(
                    """
                    SELECT count(*) FROM \(identifier: other) \
                    WHERE \(identifier: column) NOT IN (SELECT Z_PK FROM \(identifier: table))
                    """
                )
                if count > 0 { problems.append("\(count) rows of \(other) name no row of \(table)") }
            }
        }
        return problems
    }
}

extension Connection {
    /// The problem if the history, which is never trimmed, has not recorded exactly the rows that there are.
    fileprivate func historyProblem(of entity: Int64, in table: String) throws -> String? {
        let recorded: SQL = """
            SELECT ifnull(sum(ZCHANGETYPE = 0), 0) - ifnull(sum(ZCHANGETYPE = 2), 0) FROM ACHANGE \
            WHERE ZENTITY = \(value: .integer(entity))
            """
        guard try tableExists("ACHANGE") else { return nil }
        let count = try number("SELECT count(*) FROM \(identifier: table) WHERE Z_ENT = \(value: .integer(entity))")
        let known = try number(recorded)
        return count == known ? nil : "\(table) has \(count) rows of \(entity), but the history has \(known)"
    }
}

extension Connection {
    fileprivate func number(_ sql: SQL) throws -> Int64 { try first(sql) { $0.int64(0) } ?? 0 }

    fileprivate func tables(having column: String) throws -> [String] {
        try rows(
            """
            SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c \
            WHERE m.type = 'table' AND c.name = \(value: .text(column))
            """
        ) { $0.string(0) }
    }

    /// The columns of join tables that hold the keys of an entity.
    fileprivate func pairColumns(of number: Int64) throws -> [(String, String)] {
        try rows(
            """
            SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c \
            WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' AND c.name GLOB \(value: .text("Z_\(number)[A-Z]*"))
            """
        ) { ($0.string(0), $0.string(1)) }
    }
}
