// SPDX-License-Identifier: Apache-2.0

// Handles deletion, moves and replacement of an open store's file.

import Files
import ObjectGraph
import SQLiteDriver
import SourceText
import Synchronization

/// An event of an open store's file.
public enum StoreFileNotice: Sendable {
    /// Nothing can be saved any more.
    case lost(StoreError)
    /// The file is back at its path.
    case returned
    /// The file that has replaced it is open now.
    case reopened
}

/// What was last reported about a store's file, and to which observer.
struct StoreFileNotices {
    var observer: (@Sendable (StoreFileNotice) -> Void)?
    /// The last message reported about a lost file.
    fileprivate var lost: String?
    /// The replacing file as the previous check saw it.
    fileprivate var candidate: OpenFile.State?
}

//     unchanged ◀── back at its path ───── lost
//         └── deleted, moved, replaced ──▶ lost ── replaced, and `reopensReplacedFile` ──▶ candidate
//     candidate ── the same at the next check ── reopen() ──▶ unchanged, or lost if it can't be opened
extension SQLiteStore {
    public func checkPlace() throws {
        let place = database.fileStatus
        if place != .unchanged { throw StoreError.wrapping(SQLiteError.moved(place), path) }
        if !isReadOnly { try checkUnfinishedSaves() }
    }

    /// Called when the store notices that its file was deleted, moved or replaced, or that it is back.
    ///
    /// Saves check the file themselves and don't depend on this.
    public var onFileNotice: (@Sendable (StoreFileNotice) -> Void)? {
        get { fileNotices.withLock { $0.observer } }
        set { fileNotices.withLock { $0.observer = newValue } }
    }

    /// Handles a changed place of the file; for a replaced file, it is called at each check.
    func handle(_ status: FileStatus) {
        guard status != .unchanged else { return report(.returned, lost: nil) }
        var reason = StoreError.wrapping(SQLiteError.moved(status), path)
        if status == .replaced, options.reopensReplacedFile {
            // A file that is still being copied isn't opened.
            guard isCandidateStable() else { return }
            do {
                try reopen()
                return report(.reopened, lost: nil)
            } catch {
                reason = StoreError.notReopened(error, path)
            }
        }
        if let reason = reason as? StoreError { report(.lost(reason), lost: reason.message) }
    }

    private func isCandidateStable() -> Bool {
        let state = FileSystem.state(of: path)
        return fileNotices.withLock { notices in
            defer { notices.candidate = state }
            return state != nil && notices.candidate == state
        }
    }

    /// Notifies the observer unless it knows already.
    private func report(_ notice: StoreFileNotice, lost: String?) {
        let observer = fileNotices.withLock { notices in
            defer { notices.lost = lost }
            if case .reopened = notice { return notices.observer }
            return notices.lost == lost ? nil : notices.observer
        }
        observer?(notice)
    }

    private func reopen() throws {
        try naming {
            try database.reopen {
                let found = try StoreOpening(path: path, options: options).inspectTables(of: model)
                guard found.identifier == identifier else { throw StoreError.otherStore }
                guard found.schema.isLaidOut(as: tables.schema) else { throw StoreError.otherLayout }
            }
            if !isReadOnly { try keys.begin(after: keys.end()) }
            tables.files?.forgetFolder()
            tables.history?.forgetFile()
            try prepareSearch()
        }
        watch.notify()
    }
}

extension StoreSchema {
    /// Whether the same statements read and write rows of both.
    fileprivate func isLaidOut(as other: StoreSchema) -> Bool {
        model.entities.allSatisfy { numbers[$0] == other.numbers[$0] } && creation == other.creation
    }
}

extension StoreError {
    fileprivate static let otherStore = StoreError(.otherModel, "The new file is a store with another identifier.")

    fileprivate static let otherLayout = StoreError(.otherModel, "The new file numbers its entities differently.")

    fileprivate static func notReopened(_ error: any Error, _ path: String) -> StoreError {
        let reason = ((error as? StoreError)?.message ?? "\(error)").asSentenceEnd
        var lost = StoreError(
            .fileGone,
            "The store's file was replaced, and the new file can't be used, so nothing can be saved. \(reason)",
            hint:
                "Put a backup of the store there, or restart this program with the new store."
        )
        lost.path = path
        return lost
    }
}
