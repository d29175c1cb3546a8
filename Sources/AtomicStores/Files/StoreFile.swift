// SPDX-License-Identifier: Apache-2.0

// A store's file: where it is, how it is read, and how it is replaced.

import Files
import FoundationEssentials
import ObjectGraph

/// The file of a store.
final class StoreFile: Sendable {
    /// Where the file itself is: a symbolic link stays, and leads to the new file as it did to the old one.
    let path: String
    let format: any AtomicFileFormat
    private let replacement: FileReplacement

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

    /// The content; nil where there is no file and none is needed.
    func read(_ model: ManagedObjectModel, mustExist: Bool) throws(StoreFileError) -> StoreContent? {
        try naming { () throws(StoreFileError) in
            guard FileManager.default.fileExists(atPath: path) else {
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
        try naming { () throws(StoreFileError) in
            try replacement.replace(path, with: format.write(content, model: model))
        }
    }

    /// Writes a content that is to take the place of the present one.
    ///
    /// - Parameter isKept: Whether it is found at the next opening, where it hasn't by then.
    func prepare(
        _ content: StoreContent,
        _ model: ManagedObjectModel,
        isKept: Bool
    ) throws(StoreFileError) -> PreparedFile {
        try naming { () throws(StoreFileError) in
            let new = isKept ? preparedPath : FileReplacement.name("joint", beside: path)
            let file = try replacement.prepare(new, inPlaceOf: path, with: format.write(content, model: model))
            return PreparedFile(path: new, file: file)
        }
    }

    func commit(_ prepared: PreparedFile) throws(StoreFileError) {
        try naming { () throws(StoreFileError) in try replacement.put(prepared.path, inPlaceOf: path) }
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
