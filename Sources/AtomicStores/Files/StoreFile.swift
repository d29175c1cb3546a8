// SPDX-License-Identifier: Apache-2.0

// A store's file: where it is, how it is read, and how it is replaced.

import Files
import FoundationEssentials
import ObjectGraph
import Synchronization

/// The file of a store.
//
// 1. A store holds what its file had when it was read or written last. A file that another program has replaced or changed since
//    has something else, which the store's own content must not overwrite: the next write fails instead.
// 2. A file is known by its device, number, size and time of change. What a store has written is known by the open file, before it
//    gets its name; what it reads, by what was at the path before, so that a change meanwhile is noticed later.
final class StoreFile: Sendable {
    /// Where the file itself is: a symbolic link stays, and leads to the new file as it did to the old one.
    let path: String
    let format: any AtomicFileFormat
    private let replacement: FileReplacement
    /// The file that was read or written last, or nil.
    private let known = Mutex<OpenFile.State?>(nil)

    init(
        path: String,
        format: any AtomicFileFormat,
        replacement: FileReplacement = FileReplacement()
    ) throws(StoreFileError) {
        // The system would take the path for one that ends there.
        guard !path.utf8.contains(0) else { throw .fileSystem("read", "its path has a NUL in it") }
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
        self.format = format
        self.replacement = replacement
    }

    /// Whether there was no file, and none was written.
    var isNew: Bool { known.withLock { $0 == nil } }

    /// The content; nil where there is no file and none is needed.
    func read(_ model: ManagedObjectModel, mustExist: Bool) throws(StoreFileError) -> StoreContent? {
        try naming { () throws(StoreFileError) in
            let state = FileSystem.state(of: path)
            known.withLock { $0 = state }
            guard state != nil else {
                if mustExist { throw .missing() }
                return nil
            }
            return try read(path, model)
        }
    }

    /// The content of any file of the format.
    func read(_ path: String, _ model: ManagedObjectModel) throws(StoreFileError) -> StoreContent {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            let isDenied = (error as? CocoaError)?.code == .fileReadNoPermission
            throw .fileSystem("read", isDenied ? "permission is denied" : "the system refuses it")
        }
        return try format.read(bytes, model: model)
    }

    func write(_ content: StoreContent, _ model: ManagedObjectModel) throws(StoreFileError) {
        try checkPlace()
        try naming { () throws(StoreFileError) in
            let bytes = try format.write(content, model: model)
            try replacement.replace(path, with: bytes) { new throws(StoreFileError) in try put(new) }
        }
    }

    /// Throws where the file isn't the one that was read or written last.
    func checkPlace() throws(StoreFileError) {
        let (state, known) = (FileSystem.state(of: path), known.withLock { $0 })
        guard state != known else { return }
        var error = StoreFileError.gone(state, known: known)
        error.path = path
        throw error
    }

    /// Has a file take the place of the one that was there until now.
    private func put(_ new: OpenFile) throws(StoreFileError) {
        try checkPlace()
        let state = try? new.state
        do throws(StoreFileError) {
            try replacement.put(new.path, inPlaceOf: path)
        } catch {
            // Where the former file couldn't be kept beside it, the new one stays.
            if FileSystem.state(of: path) == state { known.withLock { $0 = state } }
            throw error
        }
        known.withLock { $0 = state }
    }

    /// Writes a content that is to take the place of the present one.
    ///
    /// - Parameter isKept: Whether it is found at the next opening, where it hasn't by then.
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

    /// The file that an earlier process has prepared; nil where there is none, or one that is being committed now.
    func leftFile() -> PreparedFile? {
        guard let file = try? OpenFile(reading: preparedPath), file.tryLockAlone() else { return nil }
        // Whoever had the lock may have given the file another name.
        guard let present = try? OpenFile(reading: preparedPath), present.isSame(as: file) else { return nil }
        return PreparedFile(path: preparedPath, file: file)
    }

    private var preparedPath: String { FileReplacement.name("prepared", beside: path) }

    /// Runs a step whose errors are told with the file's name.
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

/// A file that is to take the place of a store's. Nobody else judges it while it is held.
struct PreparedFile: Sendable {
    let path: String
    let file: OpenFile

    func remove() { try? FileSystem.remove(path) }
}
