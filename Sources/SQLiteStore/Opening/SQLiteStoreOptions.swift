// SPDX-License-Identifier: Apache-2.0

import ObjectGraph

/// The options of a store.
public struct SQLiteStoreOptions: Hashable, Sendable {
    public var isReadOnly = false
    /// Whether a missing file is an error. For a read-only store it always is.
    public var mustExist = false
    /// The configuration that selects the store's entities, or nil for all entities.
    public var configuration: String?
    /// Whether a file that was created for a configuration is opened with that configuration if `configuration` is nil.
    public var findsConfiguration = false
    /// Whether a save survives power loss as soon as the call returns.
    ///
    /// If false, a save survives the end of the process immediately, and power loss a moment later.
    public var isDurable = true
    /// The maximum number of concurrent reads.
    public var readerLimit = 8
    /// The maximum number of query generations held at a time.
    public var generationLimit = 64
    /// How long to wait for locks of other processes, and for a query generation if `generationLimit` is reached.
    public var busyTimeout: Duration = .seconds(5)
    /// How often the store checks whether other processes have written to the file, at most once a
    /// millisecond; nil for never.
    public var watchInterval: Duration? = .seconds(1)
    /// Whether a file that replaces the store's file is opened, if it is a store with the same identifier and layout,
    /// such as a backup.
    ///
    /// Otherwise saving fails after the replacement.
    public var reopensReplacedFile = false
    /// The size of each connection's page cache, in KiB.
    public var cacheSize = 8 * 1024
    /// The maximum number of objects that a fetch evaluates in memory if SQL can't express it.
    public var evaluationLimit = 100_000
    /// The maximum size in bytes of a value that is stored in its row, for attributes that allow external storage.
    /// Larger values are stored in separate files.
    public var externalStorageThreshold = 100 * 1024
    public var history = HistoryMode.automatic
    /// The name of a SQLite VFS; nil for the default.
    package var fileSystem: String?

    public init() {}
}
