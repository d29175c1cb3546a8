// SPDX-License-Identifier: Apache-2.0

// The file of a store: reading it, replacing it, and detecting changes by other processes.

import Files
import FoundationEssentials
import ObjectGraph
import Synchronization

/// The file of a store.
//
// 1. A store's content is that of its file when it was last read or written. If another process has replaced or
//    changed the file since, the store must not overwrite it: the next write fails.
// 2. A file is identified by its device, number, size and modification time. After a write these are taken from the
//    open file, before it is renamed; for a read, from the path before it is read, so that a concurrent change is
//    detected later.
final class StoreFile: Sendable {
    /// The path with symbolic links resolved: a link is kept, and points at the new file.
    let path: String
    let format: any AtomicFileFormat
    private let replacement: FileReplacement
    /// The state of the file when it was last read or written, or nil.
    private let known = Mutex<OpenFile.State?>(nil)

    init(
        path: String,
        format: any AtomicFileFormat,
        replacement: FileReplacement = FileReplacement()
    ) throws(StoreFileError) {
        // System calls would truncate the path at a NUL.
        guard !path.utf8.contains(0) else { throw .fileSystem("read", "its path has a NUL in it") }
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
        self.format = format
        self.replacement = replacement
    }

    /// Whether no file was read or written.
    var isNew: Bool { known.withLock { $0 == nil } }

    /// The content, or nil if the file doesn't exist and isn't required.
    func read(_ model: ManagedObjectModel, mustExist: Bool) throws(StoreFileError) -> StoreContent? {
        try naming { () throws(StoreFileError) in
            let state = FileSystem.state(of: path)
            known.withLock { $0 = state }
            guard state != nil else {
                if mustExist { throw .missing() }
                return nil
            }
            return try read(path, model: model)
        }
    }

    /// The content of a file in the same format.
    func read(_ path: String, model: ManagedObjectModel) throws(StoreFileError) -> StoreContent {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            let isDenied = (error as? CocoaError)?.code == .fileReadNoPermission
            throw .fileSystem("read", isDenied ? "permission is denied" : "the system denies it")
        }
        return try format.read(bytes, model: model)
    }

    func write(_ content: StoreContent, model: ManagedObjectModel) throws(StoreFileError) {
        try checkPlace()
        try naming { () throws(StoreFileError) in
            let bytes = try format.write(content, model: model)
            try replacement.replace(path, with: bytes) { new throws(StoreFileError) in try put(new) }
        }
    }

    /// Throws unless the file is the one that was last read or written.
    func checkPlace() throws(StoreFileError) {
        let state = FileSystem.state(of: path)
        let known = known.withLock { $0 }
        guard state != known else { return }
        var error = StoreFileError.gone(state, known: known)
        error.path = path
        throw error
    }

    /// Renames a new file to the store's path.
    private func put(_ new: OpenFile) throws(StoreFileError) {
        try checkPlace()
        let state = try? new.state
        do throws(StoreFileError) {
            try replacement.put(new.path, inPlaceOf: path)
        } catch {
            // If the former file could not be restored, the new one is kept.
            if FileSystem.state(of: path) == state { known.withLock { $0 = state } }
            throw error
        }
        known.withLock { $0 = state }
    }

    /// Writes a file with the content that is to replace the current one.
    ///
    /// - Parameter isKept: Whether the next opening of the store finds the file, if it wasn't committed.
    func prepare(
        _ content: StoreContent,
        _ model: ManagedObjectModel,
        isKept: Bool
    ) throws(StoreFileError) -> PreparedFile {
        try checkPlace()
        return try naming { () throws(StoreFileError) in
            let new = isKept ? preparedPath : FileReplacement.name("joint", beside: path)
            let file = try replacement.prepare(new, inPlaceOf: path, with: format.write(content, model: model))
            return PreparedFile(path: new, file: file)
        }
    }

    func commit(_ prepared: PreparedFile) throws(StoreFileError) {
        try naming { () throws(StoreFileError) in try put(prepared.file) }
    }

    /// The prepared file of an earlier process, or nil if there is none or another process is committing it.
    func recoveredFile() -> PreparedFile? {
        guard let file = try? OpenFile(reading: preparedPath), file.tryLockExclusively() else { return nil }
        // The process that held the lock may have renamed the file.
        guard let present = try? OpenFile(reading: preparedPath), present.isSame(as: file) else { return nil }
        return PreparedFile(path: preparedPath, file: file)
    }

    private var preparedPath: String { FileReplacement.name("prepared", beside: path) }

    /// Runs a step, and adds the file's path to its errors.
    func naming<Result>(_ body: () throws(StoreFileError) -> Result) throws(StoreFileError) -> Result {
        do {
            return try body()
        } catch {
            var error = error
            error.path = path
            throw error
        }
    }
}

/// A file that is to replace a store's file. No other process commits or removes it while it is open.
struct PreparedFile: Sendable {
    let path: String
    let file: OpenFile

    func remove() { try? FileSystem.remove(path) }
}
