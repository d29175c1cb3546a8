// SPDX-License-Identifier: Apache-2.0

// Stores as older apps have left them, as input of commands.

import SQLiteDriver

enum SeedStore {
    /// Makes a store without a model.
    ///
    /// - Parameters:
    ///   - entities: The rows of `Z_PRIMARYKEY`.
    ///   - metadata: The content of the dictionary.
    ///   - statements: What creates and fills the tables of the entities.
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
