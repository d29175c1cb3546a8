// SPDX-License-Identifier: Apache-2.0

// The place of a store in its folder: what of it is the store's own, and what it shares with others.

import Files
import FoundationEssentials
import SQLiteDriver

extension SQLiteStore {
    /// The databases beside a path that have the name of its file but for the extension. They would have the folder of large
    /// values in common, where nobody could tell whose is what.
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

    /// Throws where no new store can be, because the folder of its large values is another one's.
    ///
    /// - Parameter isReplacing: Whether it takes the place of a store whose folder that may be.
    public static func checkPlace(ofNewStoreAt path: String, isReplacing: Bool = false) throws {
        if let neighbor = neighbors(ofStoreAt: path).first { throw StoreError.sharesFolder(path, with: neighbor) }
        let folder = ExternalFolder(store: path)
        guard isReplacing || folder.names.isEmpty else { throw StoreError.hasFiles(path, folder.path) }
    }

    /// Has all of a store in its one file, so that another can take its place, and tells in which files its large values are.
    /// Throws while somebody has it open.
    public static func settle(_ path: String) throws -> [String] {
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
        // Whoever closes a database last removes its log.
        _ = try connection.checkpoint(.truncate)
        return files.sorted()
    }

    /// What SQLite appends to the name of a database for the files that it keeps beside it. These, and the database, must not be
    /// opened but by SQLite: whoever closes one drops the locks of the whole process on it.
    private static let suffixesBesideStore = ["-wal", "-shm", "-journal"]

    /// The file of a store, and those that SQLite keeps beside it while the store is open.
    public static func filesOfStore(at path: String) -> [String] { [path] + suffixesBesideStore.map { path + $0 } }

    /// Whether a file begins as all of SQLite's do. It may be one that is open in this program.
    public static func isDatabase(_ path: String) -> Bool {
        let start = try? Connection.head(ofFile: path, count: 16)
        return start.map { $0.elementsEqual(Array("SQLite format 3\0".utf8)) } ?? false
    }
}

extension StoreError {
    fileprivate static func sharesFolder(_ path: String, with other: String) -> StoreError {
        let message = "“\(other)” has the same name but for the extension, and so the same folder of large values."
        return isTaken(path, message, hint: "Use another name.")
    }

    fileprivate static func hasFiles(_ path: String, _ folder: String) -> StoreError {
        let message = "The values of another store are in “\(folder)”."
        return isTaken(path, message, hint: "Use another name, or remove them if that store is gone.")
    }

    private static func isTaken(_ path: String, _ message: String, hint: String) -> StoreError {
        var error = StoreError(.exists, message, hint: hint)
        error.path = path
        return error
    }

    fileprivate static let inUse = StoreError(
        .locked,
        "Somebody has the store open, so that it can't be replaced.",
        hint: "Try again when nobody uses it."
    )
}
