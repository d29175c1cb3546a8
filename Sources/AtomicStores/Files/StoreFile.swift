// SPDX-License-Identifier: Apache-2.0

// A store's file: where it is, how it is read, and how it is replaced.

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
            let bytes: [UInt8]
            do {
                bytes = Array(try Data(contentsOf: URL(filePath: path)))
            } catch {
                let isDenied = (error as? CocoaError)?.code == .fileReadNoPermission
                throw .fileSystem("read", isDenied ? "permission is denied" : "the system refuses it")
            }
            return try format.read(bytes, model: model)
        }
    }

    func write(_ content: StoreContent, _ model: ManagedObjectModel) throws(StoreFileError) {
        try naming { () throws(StoreFileError) in
            try replacement.replace(path, with: format.write(content, model: model))
        }
    }

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
