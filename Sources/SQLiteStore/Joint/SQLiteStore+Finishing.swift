// SPDX-License-Identifier: Apache-2.0

// Finishes saves after the end of a process or a failed commit: see the invariants of `JointSave`.

public import FoundationEssentials
public import ObjectGraph
import SQLiteDriver
import Synchronization

extension SQLiteStore {
    public func preparedSaves() throws -> [JointSave] {
        try naming { try database.read { connection in try connection.preparedSaves().map(\.save) } }
    }

    public func finish(_ save: JointSave, isDecided: () throws -> Bool) throws {
        _ = try finish { $0.identifier == save.identifier ? try isDecided() : nil }
    }

    public func decidedSaves() throws -> [JointSave] {
        guard let place = jointPlace else { return [] }
        return try naming { try database.read { connection in try connection.decidedSaves(of: place) } }
    }

    public func forgetDecision(_ identifier: UUID) { unfinishedSaves.forget(identifier) }

    /// Finishes leftover saves, so that the next write comes after them. Throws if that isn't possible.
    func completeUnfinishedSaves() throws {
        guard unfinishedSaves.mayExist.load(ordering: .relaxed) else { return }
        let undecided = try finish { [options] save in try save.isDecided(from: self.path, options) }
        if let save = undecided.first { throw StoreError.wrapping(StoreError.undecided(save), path) }
    }

    /// Throws in the same cases as `completeUnfinishedSaves()`, without writing.
    func checkUnfinishedSaves() throws {
        guard unfinishedSaves.mayExist.load(ordering: .relaxed) else { return }
        for save in try preparedSaves() where try save.isDecided(from: path, options) == nil {
            throw StoreError.wrapping(StoreError.undecided(save), path)
        }
    }

    /// Finds records that other processes have left. Those that can't be finished now are finished
    /// before the next write.
    func finishSavesOfOthers() {
        guard !isReadOnly else { return }
        guard (try? database.read { connection in try connection.hasPreparedSaves }) != false else { return }
        unfinishedSaves.mayExist.store(true, ordering: .relaxed)
        try? completeUnfinishedSaves()
    }

    /// Resolves the records while no other process can write: a save in progress holds the file.
    ///
    /// - Returns: The saves without a known decision.
    private func finish(_ isDecided: (JointSave) throws -> Bool?) throws -> [JointSave] {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        return try BorrowedClosure.lend(isDecided, to: finish)
    }

    private func finish(_ isDecided: BorrowedClosure<JointSave, Bool?>) throws -> [JointSave] {
        let placement = tables.files.map(ExternalPlacement.init)
        func finish() throws -> (applied: Int, undecided: [JointSave]) {
            try naming {
                try database.exclusively { [tables, unfinishedSaves] connection in
                    let result = try connection.transaction(.immediate) {
                        var applied = 0
                        var undecided: [JointSave] = []
                        placement?.willWrite()
                        for prepared in try connection.preparedSaves() {
                            guard let isDecided = try isDecided(prepared.save) else {
                                undecided.append(prepared.save)
                                continue
                            }
                            if isDecided {
                                try tables.apply(prepared, connection, placement)
                                applied += 1
                            }
                            _ = try connection.removePreparedSave(prepared.save.identifier)
                        }
                        placement?.willCommit()
                        return (applied: applied, undecided: undecided)
                    }
                    unfinishedSaves.mayExist.store(!result.undecided.isEmpty, ordering: .relaxed)
                    return result
                }
            }
        }
        let (applied, undecided) = try placement.map { try $0.finish(finish) } ?? finish()
        if applied > 0 { watch.notify() }
        return undecided
    }
}

extension StoreTables {
    /// Executes a prepared save on the present rows.
    fileprivate func apply(_ prepared: PreparedSave, _ connection: Connection, _ placement: ExternalPlacement?) throws {
        let reader = StoreReader(connection: connection, tables: self)
        let request = try prepared.content.request(in: model, of: identifier) { try reader.snapshots(of: $0) }
        let places = try placement?.place(request.externalValues(self)) ?? [:]
        try placement?.sync()
        if let placement { placement.release(try released(request.releasedColumns(self), connection)) }
        let history = try HistoryWriter(self, connection, of: SaveOrigin(), at: prepared.date)
        guard case .saved = try save(request, connection, places: places, history: history, now: prepared.date) else {
            throw StoreError.overtaken(prepared.save)
        }
        try history?.finish()
        try updateSearch(connection)
    }
}

extension JointSave {
    /// Reads the decision in the decider's file, at its recorded path or beside the asking store;
    /// nil if it can't be read.
    fileprivate func isDecided(from path: String, _ options: SQLiteStoreOptions) throws -> Bool? {
        guard let known = decider.path else { return nil }
        let moved = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: URL(filePath: known).lastPathComponent).path
        for place in [known, moved] where FileManager.default.fileExists(atPath: place) {
            if let isDecided = try? isDecided(at: place, options) { return isDecided }
        }
        return nil
    }

    /// Nil if the file is another store. Only SQLite opens the file, since this process may have it open already.
    private func isDecided(at path: String, _ options: SQLiteStoreOptions) throws -> Bool? {
        var connecting = Connection.Options()
        connecting.busyTimeout = options.busyTimeout
        connecting.fileSystem = options.fileSystem
        let connection = try Connection(path: path, access: .readWrite, options: connecting)
        return try connection.transaction {
            guard try connection.tableExists("Z_METADATA"), try MetadataRow(connection).identifier == decider.store
            else {
                return nil
            }
            return try connection.hasDecided(identifier)
        }
    }
}

extension StoreError {
    static func undecided(_ save: JointSave) -> StoreError {
        let place = save.decider.path ?? "without a file"
        return StoreError(
            .undecided,
            "A process ended during a save to this store and others. Its outcome is recorded in the store "
                + "\(save.decider.store.uuidString) (\(place)), which can't be read; until it can, nothing is saved to this store.",
            hint: "Put that store back or beside this one, or open both together."
        )
    }

    fileprivate static func overtaken(_ save: JointSave) -> StoreError {
        StoreError(
            .undecided,
            "A save to several stores can't be completed in this one, because other programs have written conflicting changes since.",
            hint: "Remove these changes, or the row \(save.identifier.uuidString) of OUTCROPPREPARED."
        )
    }
}
