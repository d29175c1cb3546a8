// SPDX-License-Identifier: Apache-2.0

// A store's files in its folder, and conflicts with those of other stores.

import Files
import FoundationEssentials
import SQLiteDriver

extension SQLiteStore {
    /// The databases beside a path with the same name except for the extension.
    ///
    /// They would share the folder of large values, so the owner of a file would be unknown.
    public static func neighbors(ofStoreAt path: String) -> [String] {
        let manager = FileManager.default
        let file = URL(filePath: path).resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent().path
        let stem = file.deletingPathExtension().lastPathComponent
        let names = (try? manager.contentsOfDirectory(atPath: folder)) ?? []
        let own = Set(filesOfStore(at: file.path).compactMap(FileSystem.identity))
        return names.sorted().map { folder + "/" + $0 }.filter { other in
            guard URL(filePath: other).deletingPathExtension().lastPathComponent == stem,
                !suffixesBesideStore.contains(where: other.hasSuffix),
                let identity = FileSystem.identity(of: other), !own.contains(identity)
            else { return false }
            let type = try? manager.attributesOfItem(atPath: other)[.type] as? FileAttributeType
            return type == .typeRegular && isDatabase(other)
        }
    }

    /// Throws if no store can be created at a path because its folder of large values is in use.
    ///
    /// - Parameter isReplacing: Whether the new store replaces one that may own that folder.
    public static func checkPlace(ofNewStoreAt path: String, isReplacing: Bool = false) throws {
        if let neighbor = neighbors(ofStoreAt: path).first { throw StoreError.sharesFolder(path, with: neighbor) }
        let folder = ExternalFolder(store: path)
        guard isReplacing || folder.names.isEmpty else { throw StoreError.hasFiles(path, folder.path) }
    }

    /// Checkpoints a store into its single file, so that another file can replace it, and returns the paths of its
    /// large values.
    ///
    /// Throws if the store is open anywhere.
    public static func checkpointIntoOneFile(_ path: String) throws -> [String] {
        do {
            let files = try inOneFile(path)
            for rest in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: path + rest) {
                throw StoreError.inUse
            }
            return files
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    private static func inOneFile(_ path: String) throws -> [String] {
        let connection = try Connection(path: path)
        let folder = ExternalFolder(store: path)
        var files: Set<String> = []
        try connection.transaction { try connection.allExternalNames { files.insert(folder.path(of: $0)) } }
        // The last connection to close removes the log.
        _ = try connection.checkpoint(.truncate)
        return files.sorted()
    }

    /// The suffixes of the files that SQLite keeps beside a database. Only SQLite may open these and the database:
    /// closing any descriptor of a file drops all locks of the process on it.
    private static let suffixesBesideStore = ["-wal", "-shm", "-journal"]

    /// The file of a store, and those that SQLite keeps beside it while the store is open.
    public static func filesOfStore(at path: String) -> [String] { [path] + suffixesBesideStore.map { path + $0 } }

    /// Whether a file has the header of a SQLite database. The file may be open in this process.
    public static func isDatabase(_ path: String) -> Bool {
        let start = try? Connection.head(ofFile: path, count: 16)
        return start.map { $0.elementsEqual(Array("SQLite format 3\0".utf8)) } ?? false
    }
}

extension StoreError {
    fileprivate static func sharesFolder(_ path: String, with other: String) -> StoreError {
        let message =
            "“\(other)” has the same name except for the extension, and therefore the same folder of large values."
        return isTaken(path, message, hint: "Use another name.")
    }

    fileprivate static func hasFiles(_ path: String, _ folder: String) -> StoreError {
        let message = "The values of another store are in “\(folder)”."
        return isTaken(path, message, hint: "Use another name, or remove them if that store no longer exists.")
    }

    private static func isTaken(_ path: String, _ message: String, hint: String) -> StoreError {
        var error = StoreError(.exists, message, hint: hint)
        error.path = path
        return error
    }

    fileprivate static let inUse = StoreError(
        .locked,
        "Another program has the store open, so it can't be replaced.",
        hint: "Try again when no program uses it."
    )
}
