// SPDX-License-Identifier: Apache-2.0

// The SQLite store's part in saves into several stores: see the invariants of `JointSave`.

import FoundationEssentials
public import ObjectGraph
import SQLiteDriver
import Synchronization

/// The writer is held from the record to the commit, so that no other save of this process comes between. The record is
/// committed in its own transaction and removed in the transaction that applies the save, so the file has the record
/// until the save is committed. Another process may write between the two transactions; if it has dropped the record,
/// the record is written again.
extension SQLiteStore: PreparingStore {
    public var jointPlace: JointSave.Place? {
        JointSave.Place(store: identifier, path: URL(filePath: path).resolvingSymlinksInPath().path)
    }

    public func prepare(
        _ request: StoreSaveRequest,
        as role: JointSave.Role,
        commit: Commit<[Snapshot]>,
        deciding decide: ([Snapshot]) throws -> Void
    ) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        try completeUnfinishedSaves()
        let date = Date.now
        var preparation = Preparation(request: request, role: role, commit: commit, date: date)
        if case .follower(let save) = role {
            let content = try ArchivedSave(request, in: model)
            preparation.record = PreparedSave(save: save, date: date, content: content)
        }
        return try activity.save(request) {
            guard let files = tables.files else { return try prepare(preparation, nil, [:], decide) }
            let placement = ExternalPlacement(files)
            return try placement.finish {
                let places = try naming {
                    let places = try placement.place(request.externalValues(tables))
                    try placement.sync()
                    return places
                }
                return try prepare(preparation, placement, places, decide)
            }
        }
    }

    private func prepare(
        _ preparation: Preparation,
        _ placement: ExternalPlacement?,
        _ places: ExternalPlaces,
        _ decide: ([Snapshot]) throws -> Void
    ) throws -> StoreSaveResult {
        try BorrowedClosure.lend(decide) { decide in try prepare(preparation, placement, places, decide) }
    }

    private func prepare(
        _ preparation: Preparation,
        _ placement: ExternalPlacement?,
        _ places: ExternalPlaces,
        _ decide: BorrowedClosure<[Snapshot], Void>
    ) throws -> StoreSaveResult {
        let releasedColumns = preparation.request.releasedColumns(tables)
        let limits = WorkLimits.current
        let forgotten = unfinishedSaves.decisionsToRemove
        let result = try naming {
            try database.exclusively(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                [tables, unfinishedSaves] connection in
                for _ in 0..<Self.attempts {
                    var isDecided = false
                    try preparation.writeRecord(connection)
                    do {
                        return try connection.transaction(.immediate) {
                            try preparation.takeRecord(connection)
                            placement?.willWrite()
                            placement?.release(try tables.released(releasedColumns, connection))
                            let result = try tables.save(
                                preparation.request,
                                connection,
                                places: places,
                                commit: preparation.commit,
                                now: preparation.date
                            )
                            guard case .saved(let written) = result else { throw Refusal(result: result) }
                            try tables.updateSearch(connection)
                            if case .decider(let save) = preparation.role {
                                try connection.decide(save, forgetting: forgotten)
                            }
                            placement?.willCommit()
                            try decide(written)
                            isDecided = true
                            return result
                        }
                    } catch is RecordTaken {
                        continue
                    } catch {
                        if isDecided || !preparation.dropRecord(connection) {
                            unfinishedSaves.mayExist.store(true, ordering: .relaxed)
                        }
                        if let refusal = error as? Refusal { return refusal.result }
                        throw error
                    }
                }
                throw StoreError.recordTaken
            }
        }
        if case .decider = preparation.role, case .saved = result { unfinishedSaves.didRemoveDecisions(forgotten) }
        return result
    }

    /// How often a record is written again if other processes drop it.
    private static let attempts = 10
}

/// Thrown to roll back a save that can't be prepared.
private struct Refusal: Error {
    let result: StoreSaveResult
}

/// The record is missing.
private struct RecordTaken: Error {}

/// A save to prepare.
private struct Preparation: Sendable {
    let request: StoreSaveRequest
    let role: JointSave.Role
    let commit: Commit<[Snapshot]>
    let date: Date
    var record: PreparedSave?

    func writeRecord(_ connection: Connection) throws {
        guard let record else { return }
        try connection.transaction(.immediate) { try connection.write(record) }
    }

    /// Returns false if the record may still exist.
    func dropRecord(_ connection: Connection) -> Bool {
        guard let identifier = record?.save.identifier else { return true }
        return connection.withoutLimits {
            (try? connection.transaction(.immediate) { _ = try connection.removePreparedSave(identifier) }) != nil
        }
    }

    func takeRecord(_ connection: Connection) throws {
        guard let record else { return }
        guard try connection.removePreparedSave(record.save.identifier) else { throw RecordTaken() }
    }
}

extension StoreError {
    fileprivate static let recordTaken = StoreError(
        .locked,
        "Other programs opened the store again and again while a save to several stores was prepared.",
        hint: "Try again."
    )
}
