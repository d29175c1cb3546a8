// SPDX-License-Identifier: Apache-2.0

// Tables for responses.

import ObjectGraph
import Predicates

/// A page of dictionaries.
struct TableDTO: Sendable {
    let columns: [TablePlan.Column]
    /// A value for each column; objects are references.
    let rows: [[Value]]
    var next: String?
    var total: Int?
}
