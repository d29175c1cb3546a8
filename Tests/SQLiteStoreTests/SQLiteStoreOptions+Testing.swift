// SPDX-License-Identifier: Apache-2.0

// Options of the stores of tests.

import SQLiteStore

extension SQLiteStoreOptions {
    /// Without checks for changes by other programs, whose statements would be among those that tests count and record.
    static var unwatched: SQLiteStoreOptions {
        var options = SQLiteStoreOptions()
        options.watchInterval = nil
        return options
    }

    /// Also without a history, for tests of the statements that a save or batch needs besides it.
    static var unrecorded: SQLiteStoreOptions {
        var options = unwatched
        options.history = .off
        return options
    }
}
