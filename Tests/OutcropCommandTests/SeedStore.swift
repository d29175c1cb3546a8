// SPDX-License-Identifier: Apache-2.0

// Stores as an app of old has left them, for commands to work on.

import SQLiteDriver

enum SeedStore {
    /// Makes a store that carries no model.
    ///
    /// - Parameters:
    ///   - entities: The rows of `Z_PRIMARYKEY`.
    ///   - metadata: The content of the dictionary.
    ///   - statements: What makes the tables of the entities, and fills them.
    static func make(_ path: String, entities: SQL, metadata: String = "", _ statements: [SQL]) throws {
        let connection = try Connection(path: path, access: .create)
        let list = SQLValue.text("<plist version=\"1.0\"><dict>\(metadata)</dict></plist>")
        let own: [SQL] = [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "INSERT INTO Z_PRIMARYKEY VALUES \(entities)",
            "INSERT INTO Z_METADATA VALUES (1, '6F9619FF-8B86-4D01-B42D-00CF4FC964FF', \(value: list))",
        ]
        for statement in own + statements { try connection.execute(statement) }
    }
}
