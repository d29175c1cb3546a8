// SPDX-License-Identifier: Apache-2.0

// The functions that a store's statements and triggers call.

import SQLiteDriver

extension Connection {
    func defineStoreFunctions(_ triggered: TriggeredRows) throws {
        try defineTextFunctions()
        try defineValueFunctions()
        try defineSearchFunctions()
        try defineCheckFunctions()
        try triggered.define(on: self)
    }
}
