// SPDX-License-Identifier: Apache-2.0

// The functions that a store's statements and the triggers of its tables call.

import SQLiteDriver

extension Connection {
    func defineStoreFunctions() throws {
        try defineTextFunctions()
        try defineValueFunctions()
        try defineTriggerFunctions()
    }

    /// What triggers of Core Data's own tell it with. Here nobody listens, yet without them no row could be written.
    private func defineTriggerFunctions() throws {
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            try define(function: name, arguments: nil, usableInSchema: true) { _ in .null }
        }
    }
}
