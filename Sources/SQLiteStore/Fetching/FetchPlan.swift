// SPDX-License-Identifier: Apache-2.0

// How a fetch is done: one statement, and what memory does with its rows.

import ObjectGraph
import Predicates
import SQLiteDriver

/// A fetch as it will be run. It is made without looking into the store.
struct FetchPlan: Hashable, Sendable {
    let statement: SQL
    let rows: Rows
    /// What is left to be asked of the rows, which are snapshots then; nil where the statement answers everything.
    let remainder: StoreFetchRequest?
    /// What SQL could not say.
    let untranslated: [Part]

    enum Rows: Hashable, Sendable {
        case snapshots
        case objectIDs
        case count
        case table([TableColumn])
    }

    /// A part of a request, and why it is left to memory.
    struct Part: Hashable, Sendable, CustomStringConvertible {
        let text: String
        let reason: String

        var description: String { "\(text) (\(reason))" }
    }
}

/// How the values of a column of a table are read.
enum TableColumn: Hashable, Sendable {
    case value(Term.Kind)
    /// A key, and the number of the entity where that may be several.
    case object(EntityDescription, hasNumber: Bool)

    var width: Int32 {
        if case .object(_, hasNumber: true) = self { 2 } else { 1 }
    }
}
