// SPDX-License-Identifier: Apache-2.0

// Whether the file of a database is still the one that its connections have open.

import Files
import Synchronization

/// Where the file of a database is, and the log beside it.
public enum FilePlace: Hashable, Sendable {
    case unchanged
    /// The file was deleted, moved, or its folder was.
    case missing
    /// Another file is at its path.
    case replaced
    /// The file is the same, and something that isn't SQLite has written into it, as a copy over it does. It stays so.
    case overwritten
    /// The log or its index was deleted, or another one is at its path.
    case logMissing
}

/// The file that the connections of a database have open, its log, and the index of the log.
//
// 1. A file that was deleted or replaced stays open, and takes commits that nobody finds. So it is looked at before each commit:
//    what is committed was to be found at the path when its commit began.
// 2. A connection that is opened later is opened by the path, and used only if that leads to the same file still.
// 3. The connection that is closed last writes the log back, and deletes it and its index by their names. If the file isn't in its
//    place these may belong to another one, so that it deletes them only if the log is its own.
// 4. SQLite leaves the log of a file that isn't in its place. Beside another file it would be taken for that one's, and goes when
//    all connections are closed; of a file that is missing it stays, since that may be put back. The same holds for a file that
//    was overwritten, unless that may have left it as it was.
// 5. Programs agree on what is in the log by its index. Without the index of these connections another program makes itself one, and
//    may write the log back and begin it anew; from then on the log must not be written back by the old index.
// 6. A file with a log is written by checkpoints alone, of this program or another one, and each says in the index what it is
//    about to do before it writes, and what it has done afterwards. If the file was written and the index says nothing of that,
//    the writer wasn't SQLite. The index is read before the file is looked at, for the next look, and after it, for this one.
final class PlacedFile: Sendable {
    private let path: String
    private let opened: OpenFile.State
    private let logPath: String
    private let log: FileIdentity?
    private let indexPath: String
    private let indexFile: FileIdentity?
    private let index: LogIndex?
    private let known: Mutex<Known>

    /// What the last look has found.
    private struct Known {
        var state: OpenFile.State
        var checkpoints: LogIndex.Checkpoints?
        var head: [UInt8]?
        var overwriting: Overwriting?
    }

    private enum Overwriting {
        /// Its size and its head are as they were.
        case possible
        case certain
    }

    private static let smallestPage = 512
    private static let headSize = 100
    /// What says that a file is SQLite's, and how large its pages are.
    private static let fixedHeadSize = 18

    /// Nil where there is no file at the path.
    ///
    /// - Parameter connection: One that writes, and has the log open.
    init?(_ path: String, writer connection: Connection?) {
        self.path = FileSystem.absolute(path)
        // Beside the file itself, where links lead to it.
        let name = connection?.fileName ?? self.path
        logPath = name + "-wal"
        indexPath = name + "-shm"
        log = connection == nil ? nil : FileSystem.identity(of: logPath)
        indexFile = log == nil ? nil : FileSystem.identity(of: indexPath)
        index = indexFile == nil ? nil : connection.flatMap(LogIndex.init)
        let checkpoints = index?.checkpoints
        guard let opened = FileSystem.state(of: self.path) else { return nil }
        self.opened = opened
        let head = index == nil ? nil : Self.head(of: self.path)
        known = Mutex(Known(state: opened, checkpoints: checkpoints, head: head))
    }

    /// The connections are closed, and what they had mapped isn't there any more.
    deinit {
        let isReplaced = FileSystem.state(of: path).map { !$0.isSameFile(as: opened) } ?? false
        if isReplaced || known.withLock({ $0.overwriting == .certain }) { try? removeLog() }
    }

    /// - Parameter readsIndex: Whether the connection that writes is open, and with it the index.
    func place(readsIndex: Bool) -> FilePlace {
        known.withLock { known in
            let index = readsIndex ? index : nil
            let checkpoints = index?.checkpoints
            guard let state = FileSystem.state(of: path) else { return .missing }
            guard state.isSameFile(as: opened) else { return .replaced }
            look(state, index, checkpoints, &known)
            if known.overwriting != nil { return .overwritten }
            return log == nil || isLogOwn && isIndexOwn ? .unchanged : .logMissing
        }
    }

    /// A commit may have begun the log anew, which is no checkpoint and must not be taken for one at the next look.
    func noteCommit() {
        known.withLock { known in
            let checkpoints = index?.checkpoints
            guard let state = FileSystem.state(of: path), state.isSameFile(as: opened) else { return }
            look(state, index, checkpoints, &known)
        }
    }

    /// Finds out whether what was written into the file since the last look was written by SQLite.
    private func look(
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
        // Another program that has an index of its own says there what it writes.
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

    /// For the connection that writes.
    func check() throws(SQLiteError) {
        let place = place(readsIndex: true)
        if place != .unchanged { throw .moved(place) }
    }

    /// The same of the file alone, for one that reads.
    func checkFile() throws(SQLiteError) {
        let place = place(readsIndex: false)
        if place != .unchanged, place != .logMissing { throw .moved(place) }
    }

    /// What becomes of the log and its index where the last connection is closed.
    enum Closing {
        /// The log is written back, and both are removed.
        case removing
        /// The log is written back, and what there is by these names stays.
        case keeping
        case leaving
    }

    func closing(isWriter: Bool) -> Closing {
        let place = place(readsIndex: isWriter)
        if place == .unchanged { return .removing }
        if place == .overwritten || mayBeWrittenByOthers || isWrittenUnseen { return .leaving }
        return log != nil && isLogOwn ? .removing : .keeping
    }

    /// Whether another program has begun a log or an index of its own, and may have written what these connections don't know.
    private var mayBeWrittenByOthers: Bool {
        let hasOtherIndex = FileSystem.exists(indexPath) && !isIndexOwn
        return hasOtherIndex || !isLogOwn && FileSystem.size(of: logPath) ?? 0 > 0
    }

    /// Whether the file was written and there is no index that says by which program.
    private var isWrittenUnseen: Bool {
        !isIndexOwn && FileSystem.state(of: path) != known.withLock { $0.state }
    }

    /// Removes a log that belongs to the file which was there before, and would be taken for that of the one which is there now.
    func removeLog() throws(FileError) {
        guard log != nil, isLogOwn else { return }
        try FileSystem.remove(logPath)
        if isIndexOwn { try? FileSystem.remove(indexPath) }
    }
}
