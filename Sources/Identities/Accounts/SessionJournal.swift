// SPDX-License-Identifier: Apache-2.0

import Files
import SourceText

/// The lines of a file of sessions, as far as they were read.
///
/// 1. A line without a line break at its end wasn't completed, and counts as not written.
/// 2. Lines are appended, and the file is replaced, only with the lock, and after all others were read.
/// 3. The file is readable by its owner alone.
struct SessionJournal: Sendable {
    /// What has been written since lines were last read.
    struct News: Sendable {
        /// Whether the entries are all that the file has: it was replaced, or removed.
        var isComplete: Bool
        var entries: [SessionEntry]
    }

    let file: SessionFile
    /// Open, so that no other file gets its number as long as the states are compared.
    private var opened: OpenFile?
    private var state: OpenFile.State?
    /// Where the complete lines that were read end.
    private var end = 0
    private(set) var lineCount = 0

    private static let maximumSize = 256 << 20

    init(_ file: SessionFile) { self.file = file }

    /// Locks the file against changes by other programs until the result is released.
    func lock() throws(IdentityError) -> FileLock {
        do throws(FileError) {
            return try FileLock(file.lockPath, waiting: file.patience)
        } catch {
            throw unwritable(error)
        }
    }

    /// Reads the lines that were written since the last call; nil if there are none.
    mutating func news() throws(IdentityError) -> News? {
        let current = FileSystem.state(of: file.path)
        guard current != state else { return nil }
        guard let current else {
            forget()
            return News(isComplete: true, entries: [])
        }
        do throws(FileError) {
            guard FileSystem.isFile(file.path) else { throw FileError(.inTheWay, "it isn't a file", path: file.path) }
            let continues = state.map { $0.isSameFile(as: current) && current.size >= end } ?? false
            if !continues { forget() }
            let source: OpenFile
            if let opened { source = opened } else { source = try OpenFile(reading: file.path) }
            opened = source
            let now = try source.state
            guard now.size <= Self.maximumSize else { throw FileError(.other, "it is too large", path: file.path) }
            let bytes = try source.read(at: end, count: now.size - end)
            let entries = try entries(in: bytes)
            state = now
            return News(isComplete: !continues, entries: entries)
        } catch {
            forget()
            throw IdentityError(
                .unreadable,
                "The file of sessions can't be read: \(error.reason).",
                hint: "Without the file, accounts must sign in again.",
                place: error.path
            )
        }
    }

    /// Reads complete lines, and moves the end behind them.
    private mutating func entries(in bytes: [UInt8]) throws(FileError) -> [SessionEntry] {
        let newline = UInt8(ascii: "\n")
        guard let last = bytes.lastIndex(of: newline) else { return [] }
        var entries: [SessionEntry] = []
        for line in bytes[..<last].split(separator: newline, omittingEmptySubsequences: false) {
            lineCount += 1
            guard let entry = SessionEntry(line: Array(line)) else {
                throw FileError(.other, "line \(lineCount) isn't an entry", path: file.path)
            }
            entries.append(entry)
        }
        end += last + 1
        return entries
    }

    private mutating func forget() {
        opened = nil
        state = nil
        end = 0
        lineCount = 0
    }

    // MARK: Writing

    mutating func append(_ entries: [SessionEntry]) throws(IdentityError) {
        do throws(FileError) {
            if state == nil {
                _ = try PrivateFile.make(file.path)
                try PrivateFile.syncFolder(of: file.path)
                opened = try OpenFile(reading: file.path)
            }
            let target = try PrivateFile.append(to: file.path)
            // The rest of a line that wasn't completed.
            if try target.size > end { try target.truncate(to: end) }
            let bytes = entries.flatMap(\.line)
            try target.append(bytes.span)
            try target.sync()
            end += bytes.count
            lineCount += entries.count
            state = try target.state
        } catch {
            // What was written of it is read again.
            forget()
            throw unwritable(error)
        }
    }

    /// Replaces the file by one with the given sessions. After an error, the file is the former one, or is read again.
    mutating func replace(with sessions: [AccountSession]) throws(IdentityError) {
        let bytes = sessions.flatMap { SessionEntry.session($0).line }
        do throws(FileError) {
            try PrivateFile.write(bytes, to: file.path, by: file.newPath)
            let source = try OpenFile(reading: file.path)
            state = try source.state
            opened = source
            end = bytes.count
            lineCount = sessions.count
        } catch {
            throw unwritable(error)
        }
    }

    private func unwritable(_ error: FileError) -> IdentityError {
        IdentityError(
            .unwritable,
            "The file of sessions can't be written: \(error.path): \(error.reason).",
            place: file.path
        )
    }
}
