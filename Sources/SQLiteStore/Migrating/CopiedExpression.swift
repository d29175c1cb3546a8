// SPDX-License-Identifier: Apache-2.0

// What a column of the new version contains, over a row of the old one.

import SQLiteDriver

/// The content of a column after a migration. Whether it is the content of an old column decides whether rows must be
/// written at all.
enum CopiedExpression: Hashable {
    /// That of a column of the same row.
    case column(String)
    /// The same in all rows.
    case constant(SQLValue)
    /// An expression over the old row, which is called `t`.
    case computed(SQL)

    var sql: SQL {
        switch self {
        case .column(let name): "t.\(identifier: name)"
        case .constant(let value): "\(literal: value)"
        case .computed(let sql): sql
        }
    }
}
