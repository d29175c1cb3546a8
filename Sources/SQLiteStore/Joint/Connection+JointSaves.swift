// SPDX-License-Identifier: Apache-2.0

// Records and decisions of saves into several stores, in tables with names that Core Data never uses.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// A prepared save that isn't known to be decided.
struct PreparedSave {
    let save: JointSave
    /// When it was prepared; derived values use it as the current date.
    let date: Date
    let content: ArchivedSave
}

/// The tables are created on first use.
extension Connection {
    private static let prepared = "OUTCROPPREPARED"
    private static let decided = "OUTCROPDECIDED"

    func write(_ prepared: PreparedSave) throws {
        if try !tableExists(Self.prepared) {
            try execute(
                """
                CREATE TABLE OUTCROPPREPARED (ID TEXT PRIMARY KEY, MADE REAL NOT NULL, DECIDER TEXT NOT NULL, PATH TEXT, \
                CONTENT BLOB NOT NULL)
                """
            )
        }
        let save = prepared.save
        let path = prepared.save.decider.path
        try execute(
            """
            INSERT INTO OUTCROPPREPARED (ID, MADE, DECIDER, PATH, CONTENT) VALUES (\(value: .text(save.identifier.uuidString)), \
            \(value: .real(prepared.date.timeIntervalSinceReferenceDate)), \
            \(value: .text(save.decider.store.uuidString)), \(value: path.map(SQLValue.text) ?? .null), \
            \(value: .blob(prepared.content.bytes)))
            """
        )
    }

    /// Removes a record, and returns whether there was one.
    func removePreparedSave(_ identifier: UUID) throws -> Bool {
        guard try tableExists(Self.prepared) else { return false }
        try execute("DELETE FROM OUTCROPPREPARED WHERE ID = \(value: .text(identifier.uuidString))")
        return changes > 0
    }

    /// The prepared saves, in the order of their preparation.
    func preparedSaves() throws -> [PreparedSave] {
        guard try tableExists(Self.prepared) else { return [] }
        return try rows("SELECT ID, MADE, DECIDER, PATH, CONTENT FROM OUTCROPPREPARED ORDER BY rowid") { row in
            guard let identifier = UUID(uuidString: row.string(0)), let store = UUID(uuidString: row.string(2)) else {
                throw StoreError.damagedRecord
            }
            let path = row.string(3)
            let decider = JointSave.Place(store: store, path: path.isEmpty ? nil : path)
            return PreparedSave(
                save: JointSave(identifier: identifier, decider: decider),
                date: Date(timeIntervalSinceReferenceDate: row.double(1)),
                content: ArchivedSave(bytes: row.bytes(4))
            )
        }
    }

    var hasPreparedSaves: Bool {
        get throws {
            guard try tableExists(Self.prepared) else { return false }
            return try first("SELECT 1 FROM OUTCROPPREPARED LIMIT 1") { $0.int64(0) } != nil
        }
    }

    /// Records that a save is decided, and removes forgotten decisions.
    func decide(_ save: JointSave, forgetting forgotten: [UUID]) throws {
        if try !tableExists(Self.decided) {
            try execute("CREATE TABLE OUTCROPDECIDED (ID TEXT PRIMARY KEY, FOLLOWERS TEXT NOT NULL)")
        }
        let followers = save.followers.map(\.uuidString).joined(separator: " ")
        try execute(
            """
            INSERT INTO OUTCROPDECIDED (ID, FOLLOWERS) \
            VALUES (\(value: .text(save.identifier.uuidString)), \(value: .text(followers)))
            """
        )
        for identifier in forgotten {
            try execute("DELETE FROM OUTCROPDECIDED WHERE ID = \(value: .text(identifier.uuidString))")
        }
    }

    func hasDecided(_ identifier: UUID) throws -> Bool {
        guard try tableExists(Self.decided) else { return false }
        let query: SQL = "SELECT 1 FROM OUTCROPDECIDED WHERE ID = \(value: .text(identifier.uuidString))"
        return try first(query) { $0.int64(0) } != nil
    }

    func decidedSaves(of decider: JointSave.Place) throws -> [JointSave] {
        guard try tableExists(Self.decided) else { return [] }
        let rows = try rows("SELECT ID, FOLLOWERS FROM OUTCROPDECIDED") { ($0.string(0), $0.string(1)) }
        return rows.compactMap { identifier, followers in
            UUID(uuidString: identifier).map { identifier in
                let followers = followers.split(separator: " ").compactMap { UUID(uuidString: String($0)) }
                return JointSave(identifier: identifier, decider: decider, followers: followers)
            }
        }
    }
}

extension StoreError {
    static let damagedRecord = StoreError(
        .damaged,
        "A record of a save to several stores, in OUTCROPPREPARED, can't be read.",
        hint: "Open a backup of the store."
    )
}
