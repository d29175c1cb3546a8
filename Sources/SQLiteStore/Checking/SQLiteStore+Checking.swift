// SPDX-License-Identifier: Apache-2.0

// Checking a store, and repairing what can be repaired safely.

import ObjectModel
import SQLiteDriver

extension SQLiteStore {
    /// Checks the store as it is at one moment, and returns all findings.
    public func check() throws -> [StoreFinding] {
        try naming {
            try database.read { connection in
                let faults = try Self.faults(connection)
                guard faults.isEmpty else { return faults }
                return try connection.transaction { try check(connection).flaws().map(\.finding) }
            }
        }
    }

    /// Checks a store's file, which needn't be one that can be opened, but not its objects.
    public static func checkFile(_ path: String) throws -> [StoreFinding] {
        do {
            return try faults(.ofStore(path))
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    private static func faults(_ connection: Connection) throws(SQLiteError) -> [StoreFinding] {
        do {
            return try connection.integrityCheck(limit: faultLimit).map(StoreFinding.damaged)
        } catch {
            guard error.code.primary == .corrupt else { throw error }
            return [.damaged(error.message)]
        }
    }

    /// Repairs what can be repaired without guessing, in one transaction. A damaged file isn't changed.
    public func repair() throws -> StoreRepair {
        let faults = try naming { try database.read { try Self.faults($0) } }
        guard faults.isEmpty else { return StoreRepair(repaired: [], remaining: faults) }
        defer { watch.notify() }
        return try writing { [self] connection in
            var repaired: [StoreFinding] = []
            // A repair may change values that others are derived from.
            for _ in 0..<Self.repairLimit {
                let flaws = try check(connection).flaws()
                let repairable = flaws.filter { $0.repair != nil }
                if repairable.isEmpty { return StoreRepair(repaired: repaired, remaining: flaws.map(\.finding)) }
                for flaw in repairable { try flaw.repair?() }
                repaired += repairable.map(\.finding)
            }
            return StoreRepair(repaired: repaired, remaining: try check(connection).flaws().map(\.finding))
        }
    }

    private static let repairLimit = 5

    /// How many defects of a file are reported.
    private static let faultLimit = 20

    private func check(_ connection: Connection) -> StoreCheck {
        StoreCheck(connection: connection, tables: tables, folder: ExternalFolder(store: path))
    }
}

extension StoreFinding {
    /// A store that can't be opened because of what its file contains.
    package static func unreadable(_ error: StoreError) -> StoreFinding { .damaged(error.message) }

    fileprivate static func damaged(_ fault: String) -> StoreFinding {
        StoreFinding(
            severity: .error,
            code: .damaged,
            entity: nil,
            property: nil,
            message: "The file is damaged: \(fault)",
            count: 1,
            keys: [],
            repair: nil
        )
    }
}
