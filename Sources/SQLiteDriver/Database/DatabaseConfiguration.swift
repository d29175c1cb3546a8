// SPDX-License-Identifier: Apache-2.0

// How a database is opened.

/// Options of a database.
public struct DatabaseConfiguration: Hashable, Sendable {
    public var access = Connection.Access.create
    /// No process writes to the file. It is then opened for reading only.
    public var isImmutable = false
    /// Whether readers may create a log when the file is opened for reading only, for a file in WAL mode without its
    /// log. It is removed when the last connection closes.
    public var readersMakeLog = false
    /// The name of an SQLite file system (VFS); nil for SQLite's default.
    public var fileSystem: String?
    public var journalMode = JournalMode.wal
    public var synchronous = Synchronous.full
    /// How free pages are released. Can only be chosen before the first table is created.
    public var autoVacuum = AutoVacuum.none
    /// The size of each connection's page cache.
    public var cacheKibibytes = 8 * 1024
    /// How many pages the log may have before a checkpoint.
    public var checkpointPages = 1000
    /// The size to which the log is truncated when it is restarted after a checkpoint.
    public var journalBytes = 64 << 20
    public var checksForeignKeys = false
    /// How long to wait for locks of other processes.
    public var busyTimeout: Duration = .seconds(5)
    public var readerLimit = 8
    public var snapshotLimit = 8
    /// The largest number of writes that share a transaction.
    public var groupLimit = 64
    /// How many prepared statements each connection caches.
    public var statementCacheLimit = 256

    public init() {}

    public enum JournalMode: String, Hashable, Sendable {
        /// A write-ahead log: readers and the writer don't wait for each other.
        case wal
        /// A journal that is deleted with each commit. Readers wait for the writer.
        case delete
        case truncate
        case persist
        case memory
    }

    public enum Synchronous: String, Hashable, Sendable {
        /// Power loss may corrupt the file.
        case off
        /// Power loss may lose the last commits in WAL mode, but doesn't corrupt the file.
        case normal
        /// A commit survives power loss.
        case full
        case extra
    }

    public enum AutoVacuum: Int64, Hashable, Sendable {
        case none = 0
        /// With each commit.
        case full = 1
        /// On request.
        case incremental = 2
    }
}
