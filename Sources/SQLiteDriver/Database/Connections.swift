// SPDX-License-Identifier: Apache-2.0

// All connections of a database to one file.

/// The writer and the readers of the file that was at the database's path when they were opened.
final class Connections: Sendable {
    let readers: ReaderPool
    /// Used by snapshots, so that they don't block other reads.
    let snapshotReaders: ReaderPool
    /// A single connection for `dataVersion` if there is no writer.
    let watcher: ReaderPool
    let writer: Writer?
    /// Nil for a file system other than the system's own, which may store files anywhere.
    let file: DatabaseFile?
    private let opener: ConnectionOpener

    init(_ opener: ConnectionOpener) throws {
        let configuration = opener.configuration
        self.opener = opener
        // The writer creates the file and sets its journal mode before the first reader opens it.
        let connection = try configuration.access == .readOnly ? nil : opener.writer()
        // A new file has no log before the first read.
        _ = try connection?.schemaVersion
        // After a crash, the log's index can't tell checkpoints from other writes until a checkpoint has completed.
        if let connection, configuration.fileSystem == nil, LogIndex(connection)?.checkpoints.isUnderWay ?? false {
            _ = try? connection.checkpoint()
        }
        let file = configuration.fileSystem == nil ? DatabaseFile(opener.path, writer: connection) : nil
        self.file = file
        connection?.databaseFile = file
        writer = connection.map { Writer($0, groupLimit: configuration.groupLimit) }
        let open: @Sendable () throws -> Connection = { try opener.reader(of: file) }
        readers = ReaderPool(limit: configuration.readerLimit, open: open)
        snapshotReaders = ReaderPool(limit: configuration.snapshotLimit, open: open)
        watcher = ReaderPool(limit: 1, open: open)
        if writer == nil { try readers.use(OperationLimit()) { _ = try $0.schemaVersion } }
    }

    /// Opens an additional connection for reading.
    func spareReader() throws -> Connection { try opener.reader(of: file) }
}

extension ConnectionOpener {
    fileprivate func reader(of file: DatabaseFile?) throws -> Connection {
        do {
            let connection = try reader()
            connection.databaseFile = file
            // Checks that the opened file is still the one at the path.
            try file?.checkFile()
            return connection
        } catch let error as SQLiteError where error.code.primary == .cantOpen {
            try file?.checkFile()
            throw error
        }
    }
}
