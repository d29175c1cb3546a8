// SPDX-License-Identifier: Apache-2.0

// Saves rows, each save in one transaction.

public import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    public var acceptsConcurrentSaves: Bool { true }

    public var isLockedByOthers: Bool { database.isLockedByOthers }

    public func observeOtherWriters(
        for owner: any AnyObject & Sendable,
        _ notify: @escaping @Sendable (OtherWrites) -> Void
    ) {
        watch.addListener(for: owner) { [weak self] writes in
            self?.finishSavesOfOthers()
            notify(writes)
        }
    }

    public var hasUnnoticedWrites: Bool { options.watchInterval != nil && database.hasUnseenCommits }

    public func noticeOtherWriters() { watch.noticeCommits() }

    public func save(
        _ request: StoreSaveRequest,
        commit: Commit<[Snapshot]> = Commit()
    ) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        guard !request.isEmpty || commit.note != nil else { return .saved([]) }
        return try activity.save(request) {
            if let files = tables.files { return try save(request, files, commit: commit) }
            return try writing { [tables] connection in try tables.save(request, connection, commit: commit) }
        }
    }

    public func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        return try naming {
            do {
                return try database.writeWithinLimits { [tables] connection in
                    throw Rehearsal(result: try tables.save(request, connection))
                }
            } catch let rehearsal as Rehearsal {
                return rehearsal.result
            }
        }
    }

    /// Thrown to roll back a rehearsal's writes.
    private struct Rehearsal: Error {
        let result: StoreSaveResult
    }

    func writing<Result: Sendable>(
        turnDeadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) throws -> Result {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        try completeUnfinishedSaves()
        return try naming {
            try database.writeWithinLimits(turnDeadline: turnDeadline) { [tables] connection in
                let result = try body(connection)
                try tables.deferSearch(connection)
                return result
            }
        }
    }

    /// Runs a closure and adds the file's path to its errors.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            if let error = error as? SQLiteError, error.code == .interrupted { try WorkLimits.check() }
            throw StoreError.wrapping(error, path)
        }
    }
}
