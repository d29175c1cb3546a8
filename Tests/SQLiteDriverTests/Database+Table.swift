// SPDX-License-Identifier: Apache-2.0

// Databases for tests, each in its own folder.

import TestSupport

@testable import SQLiteDriver

extension Database {
    /// Calls a closure with a new database that has one empty table.
    static func withTable(
        _ definition: SQL,
        _ configuration: DatabaseConfiguration,
        _ body: (Database) throws -> Void
    ) throws {
        try Checkout.withFolder { folder in
            let database = try Database(path: folder + "/test.sqlite", configuration: configuration)
            try database.write { try $0.execute("CREATE TABLE \(definition)") }
            try body(database)
        }
    }
}
