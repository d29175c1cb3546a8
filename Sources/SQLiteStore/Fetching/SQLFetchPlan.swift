// SPDX-License-Identifier: Apache-2.0

// The plan of a fetch: one statement, and what is evaluated in memory over its rows.

import ObjectGraph
import Predicates
import SQLiteDriver

/// The plan of a fetch, made without reading the store.
struct SQLFetchPlan: Hashable, Sendable {
    let statement: SQL
    let rows: Rows
    /// What is left to evaluate over the rows, which are then snapshots; nil if the statement answers everything.
    let remainder: StoreFetchRequest?
    /// The parts of the request that SQL can't express.
    let untranslated: [Part]

    enum Rows: Hashable, Sendable {
        case snapshots
        case objectIDs
        case count
        case table([TableColumn])
    }

    /// A part of a request, and the reason why it is evaluated in memory.
    struct Part: Hashable, Sendable, CustomStringConvertible {
        let text: String
        let reason: String

        var description: String { "\(text) (\(reason))" }
    }
}

/// How the values of a table's column are read.
enum TableColumn: Hashable, Sendable {
    case value(Term.Kind)
    /// A key, followed by the entity's number if several entities are possible.
    case object(EntityDescription, hasNumber: Bool)

    var width: Int32 {
        if case .object(_, hasNumber: true) = self { 2 } else { 1 }
    }
}
