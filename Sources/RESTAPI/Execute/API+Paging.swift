// SPDX-License-Identifier: Apache-2.0

// Where a page ends and the next one begins.

import FoundationEssentials
import ObjectGraph
import Predicates

extension API {
    /// The cursor behind a row.
    func cursor(at row: Snapshot, _ plan: FetchPlan, _ reader: some GraphReading) throws -> Cursor {
        let object = ReadObject(snapshot: row, reader: reader)
        let evaluator = Evaluator(now: .now)
        let values = try plan.sortDescriptors.map { try evaluator.operand(of: $0.keyPath, for: object).constant }
        return Cursor(values: values, reference: row.objectID.reference ?? .integer(0))
    }

    func explain(_ plan: FetchPlan) throws -> Reply {
        throw Problem(.notImplemented, "“explain” isn't served yet.")
    }
}
