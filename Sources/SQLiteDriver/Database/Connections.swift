// SPDX-License-Identifier: Apache-2.0

// All connections of a database to one file.

/// The writer and the readers of the file that was at a database's path when they were made.
final class Connections: Sendable {
    let readers: ReaderPool
    /// Those of snapshots, so that as many as there are keep nobody from reading.
    let snapshotReaders: ReaderPool
    /// The one connection that sees what others commit, where there is no writer.
    let watcher: ReaderPool
    let writer: Writer?
    /// Nil for a file system other than the system's own, whose files are wherever it likes.
    let file: PlacedFile?
    private let opening: Opening

    init(_ opening: Opening) throws {
        let configuration = opening.configuration
        self.opening = opening
        // The writer makes the file, and chooses its journal, before anybody reads.
        let connection = try configuration.access == .readOnly ? nil : opening.writer()
        // The log of a new file isn't there before the first read.
        _ = try connection?.schemaVersion
        // The index of a log that a crash has left tells checkpoints from other writes only after one was completed.
        if let connection, configuration.fileSystem == nil, LogIndex(connection)?.checkpoints.isUnderWay ?? false {
            _ = try? connection.checkpoint()
        }
        let file = configuration.fileSystem == nil ? PlacedFile(opening.path, writer: connection) : nil
        self.file = file
        connection?.placedFile = file
        writer = connection.map { Writer($0, groupLimit: configuration.groupLimit) }
        let open: @Sendable () throws -> Connection = { try opening.reader(of: file) }
        readers = ReaderPool(limit: configuration.readerLimit, open: open)
        snapshotReaders = ReaderPool(limit: configuration.snapshotLimit, open: open)
        watcher = ReaderPool(limit: 1, open: open)
        if writer == nil { try readers.use(Limit()) { _ = try $0.schemaVersion } }
    }

    /// One more connection for reading.
    func spareReader() throws -> Connection { try opening.reader(of: file) }
}

extension Opening {
    fileprivate func reader(of file: PlacedFile?) throws -> Connection {
        do {
            let connection = try reader()
            connection.placedFile = file
            // The file that has just been opened is the one at the path.
            try file?.checkFile()
            return connection
        } catch let error as SQLiteError where error.code.primary == .cantOpen {
            try file?.checkFile()
            throw error
        }
    }
}
