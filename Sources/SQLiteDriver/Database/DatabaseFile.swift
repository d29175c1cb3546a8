// SPDX-License-Identifier: Apache-2.0

// Detects whether the file of a database is still the one that its connections have open.

import Files
import Synchronization

/// The state of a database's path and of the log beside it.
public enum FileStatus: Hashable, Sendable {
    case unchanged
    /// The file, or its folder, was deleted or moved.
    case missing
    /// Another file is at the path.
    case replaced
    /// The file is the same, but was written by something other than SQLite. This state is permanent.
    case overwritten
    /// The log or its index was deleted or replaced.
    case logMissing
}

/// The file that the connections of a database have open, its log, and the index of the log.
//
// 1. A file that was deleted or replaced stays open and accepts commits that are then lost. So it is checked before
//    each commit: a committed transaction was reachable by the path when its commit began.
// 2. A connection that is opened later opens the path, and is used only if that is still the same file.
// 3. The last connection to close writes the log back, and deletes it and its index by name. If the file isn't in its
//    place, these may belong to another file, so they are deleted only if the log is the connection's own.
// 4. SQLite keeps the log of a file that isn't in its place. Beside another file it would be applied to that one, so
//    it is removed when all connections are closed. The log of a missing file is kept, since the file may be
//    restored. The same holds for a file that was overwritten, unless its content may be unchanged.
// 5. Processes coordinate through the index of the log. If this index is missing, another process creates its own,
//    and may write the log back and restart it; after that the log must not be written back according to the old
//    index.
// 6. A file in WAL mode is written only by checkpoints, of any process, and each records in the index what it is
//    about to do before it writes, and what it has done afterwards. If the file was written and the index doesn't
//    show it, the writer wasn't SQLite. The index is read before the file is checked, for the next check, and after
//    it, for this one.
final class DatabaseFile: Sendable {
    private let path: String
    private let opened: OpenFile.State
    private let logPath: String
    private let log: FileIdentity?
    private let indexPath: String
    private let indexFile: FileIdentity?
    private let index: LogIndex?
    private let known: Mutex<Known>
    private let commits: Mutex<CommitAccount>
    /// Held from the begin of a commit until it is published, so that a commit of others, which comes after it, is
    /// published after it.
    private let publishing = Mutex<Void>(())

    /// The result of the last check.
    private struct Known {
        var state: OpenFile.State
        var checkpoints: LogIndex.Checkpoints?
        var head: [UInt8]?
        var overwriting: Overwriting?
    }

    private enum Overwriting {
        /// Its size and header are unchanged.
        case possible
        case certain
    }

    private static let smallestPage = 512
    private static let headSize = 100
    /// The part of the header that identifies an SQLite file and its page size.
    private static let fixedHeadSize = 18

    /// Nil if no file is at the path.
    ///
    /// - Parameter connection: The writer, with its log open.
    init?(_ path: String, writer connection: Connection?) {
        self.path = FileSystem.absolute(path)
        // SQLite keeps the log beside the file itself, with symbolic links resolved.
        let name = connection?.fileName ?? self.path
        logPath = name + "-wal"
        indexPath = name + "-shm"
        log = connection == nil ? nil : FileSystem.identity(of: logPath)
        indexFile = log == nil ? nil : FileSystem.identity(of: indexPath)
        index = indexFile == nil ? nil : connection.flatMap(LogIndex.init)
        commits = Mutex(CommitAccount(seen: index?.commitCount ?? 0))
        let checkpoints = index?.checkpoints
        guard let opened = FileSystem.state(of: self.path) else { return nil }
        self.opened = opened
        let head = index == nil ? nil : Self.head(of: self.path)
        known = Mutex(Known(state: opened, checkpoints: checkpoints, head: head))
    }

    /// The connections are closed, and the index is no longer mapped.
    deinit {
        let isReplaced = FileSystem.state(of: path).map { !$0.isSameFile(as: opened) } ?? false
        if isReplaced || known.withLock({ $0.overwriting == .certain }) { try? removeLog() }
    }

    /// - Parameter readsIndex: Whether the writer is open, and thus the index mapped.
    func status(readsIndex: Bool) -> FileStatus {
        known.withLock { known in
            let index = readsIndex ? index : nil
            let checkpoints = index?.checkpoints
            guard let state = FileSystem.state(of: path) else { return .missing }
            guard state.isSameFile(as: opened) else { return .replaced }
            updateOverwriting(state, index, checkpoints, &known)
            if known.overwriting != nil { return .overwritten }
            return log == nil || isLogOwn && isIndexOwn ? .unchanged : .logMissing
        }
    }

    /// Whether other processes have committed since the last call of `setSeenCommits`. It is only meaningful while the
    /// writer is open, and false for a file without a log.
    var hasUnseenCommits: Bool {
        guard let index else { return false }
        return commits.withLock { $0.hasUnseen(of: index.commitCount) }
    }

    /// The number of all commits, while the writer is open. Own ones among them are published.
    var commitCount: UInt32? { publishing.withLock { _ in index?.commitCount } }

    /// Runs a commit with what publishes it.
    func publishing<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        try publishing.withLock { _ throws(Failure) in try body() }
    }

    func setSeenCommits(_ count: UInt32) {
        guard let index else { return }
        commits.withLock { $0.see(count, of: index.commitCount) }
    }

    /// Called by the writer when it holds the lock: the next commit is its own.
    func beginCommit() {
        guard let index else { return }
        commits.withLock { $0.begin(after: index.commitCount) }
    }

    /// Called by the writer before it gives up the lock without having written.
    func abandonCommit() { commits.withLock { $0.abandon() } }

    /// A commit may have restarted the log, which the next check must not mistake for a checkpoint.
    func recordCommit() {
        if let index { commits.withLock { $0.end(at: index.commitCount) } }
        known.withLock { known in
            let checkpoints = index?.checkpoints
            guard let state = FileSystem.state(of: path), state.isSameFile(as: opened) else { return }
            updateOverwriting(state, index, checkpoints, &known)
        }
    }

    /// Determines whether SQLite wrote the changes to the file since the last check.
    private func updateOverwriting(
        _ state: OpenFile.State,
        _ index: LogIndex?,
        _ checkpoints: LogIndex.Checkpoints?,
        _ known: inout Known
    ) {
        guard state.size >= Self.smallestPage || opened.size < Self.smallestPage else {
            known.overwriting = .certain
            return
        }
        guard known.overwriting == nil, let index else { return }
        guard state != known.state else {
            known.checkpoints = checkpoints
            return
        }
        // Another process with an index of its own records its checkpoints there.
        guard isIndexOwn else { return }
        let after = index.checkpoints
        let head = Self.head(of: path)
        if let head, let before = known.head, head.prefix(Self.fixedHeadSize) != before.prefix(Self.fixedHeadSize) {
            known.overwriting = .certain
        } else if after == known.checkpoints, !after.isUnderWay {
            known.overwriting = state.size == known.state.size && head == known.head ? .possible : .certain
        }
        known.state = state
        known.checkpoints = checkpoints
        known.head = head ?? known.head
    }

    private static func head(of path: String) -> [UInt8]? { try? Connection.head(ofFile: path, count: headSize) }

    private var isLogOwn: Bool { FileSystem.identity(of: logPath) == log }

    private var isIndexOwn: Bool { FileSystem.identity(of: indexPath) == indexFile }

    /// For the writer.
    func check() throws(SQLiteError) {
        let place = status(readsIndex: true)
        if place != .unchanged { throw .moved(place) }
    }

    /// Checks the file without its log, for readers.
    func checkFile() throws(SQLiteError) {
        let place = status(readsIndex: false)
        if place != .unchanged, place != .logMissing { throw .moved(place) }
    }

    /// What happens to the log and its index when the last connection is closed.
    enum Closing {
        /// The log is written back, and both files are removed.
        case removing
        /// The log is written back, and any files with these names are kept.
        case keeping
        case leaving
    }

    func closing(isWriter: Bool) -> Closing {
        let place = status(readsIndex: isWriter)
        if place == .unchanged { return .removing }
        if place == .overwritten || mayBeWrittenByOthers || isWrittenUnseen { return .leaving }
        return log != nil && isLogOwn ? .removing : .keeping
    }

    /// Whether another process has begun its own log or index, and may have written it.
    private var mayBeWrittenByOthers: Bool {
        let hasOtherIndex = FileSystem.exists(indexPath) && !isIndexOwn
        return hasOtherIndex || !isLogOwn && FileSystem.size(of: logPath) ?? 0 > 0
    }

    /// Whether the file was written and no index shows by which process.
    private var isWrittenUnseen: Bool {
        !isIndexOwn && FileSystem.state(of: path) != known.withLock { $0.state }
    }

    /// Removes the log of the former file, which would otherwise be applied to the file that replaced it.
    func removeLog() throws(FileError) {
        guard log != nil, isLogOwn else { return }
        try FileSystem.remove(logPath)
        if isIndexOwn { try? FileSystem.remove(indexPath) }
    }
}
