// SPDX-License-Identifier: Apache-2.0

// Checks the path of a store before it is opened, with a remedy for each problem.

import Files
import FoundationEssentials
import SQLiteStore

extension StoreChoice {
    /// Throws if the store can't be created or opened in the required mode.
    func checkPlace(isReadOnly: Bool) throws {
        guard case .file(let kind, let path) = place else { return }
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return try Self.checkNew(path, kind: kind, isReadOnly: isReadOnly)
        }
        if isFolder {
            throw Failure(
                "This is a folder, not a store.",
                hint: "Give a file in it: --store \(kind.rawValue):\(path.hasSuffix("/") ? path : path + "/")NAME",
                code: "store.notAStore",
                file: path
            )
        }
        guard FileSystem.isFile(path) else {
            throw Failure(
                "What is there is not a file, but a device, a pipe or the like.",
                hint: "Give a file, or a path that doesn't exist yet.",
                code: "store.notAStore",
                file: path
            )
        }
        try Self.checkContent(path, kind: kind)
        guard !isReadOnly, !Self.isWritable(path, kind: kind) else { return }
        throw Failure(
            kind == .sqlite
                ? "The file, or the folder that it is in, can't be written." : "The file's folder can't be written.",
            hint: "Give this program's user permission to write both, or serve it read-only: --read-only",
            code: "store.readOnly",
            file: path
        )
    }

    private static func checkContent(_ path: String, kind: StoreKind) throws {
        let head: [UInt8]
        do {
            head = try OpenFile(reading: path).read(at: 0, count: 1)
        } catch {
            throw Failure(
                "The file can't be read: \(error.reason).",
                hint: "Give this program's user permission to read it.",
                code: "store.notFound",
                file: path
            )
        }
        // An empty file is treated as missing, and a file with a hot journal may be incomplete.
        guard !head.isEmpty, !FileManager.default.fileExists(atPath: path + "-journal") else { return }
        let found = try StoreFiles.kind(ofFile: path)
        guard found != kind else { return }
        if StoreFiles.isCoreDataXML(path) { throw Failure.coreDataXML(path) }
        throw Failure(
            kind == .sqlite ? "The file isn't a SQLite database." : "The file isn't a store in \(kind.name) form.",
            hint: found.map { "It is a store in \($0.name) form: --store \($0.rawValue):\(path)" }
                ?? "Give a store, or a path that doesn't exist yet.",
            code: "store.notAStore",
            file: path
        )
    }

    private static func checkNew(_ path: String, kind: StoreKind, isReadOnly: Bool) throws {
        guard !isReadOnly else {
            throw Failure(
                "The store doesn't exist, and isn't created with --read-only.",
                hint: "Create it first, without --read-only.",
                code: "store.notFound",
                file: path
            )
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder else {
            throw Failure(
                "There is no folder “\(folder)”.",
                hint: "Create it: mkdir -p \(folder)",
                code: "store.notFound",
                file: path
            )
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw Failure(
                "The folder “\(folder)” can't be written to.",
                hint: "Give this program's user permission to write to it, or choose another.",
                code: "store.readOnly",
                file: path
            )
        }
        if kind == .sqlite { try SQLiteStore.checkPlace(ofNewStoreAt: path, isReplacing: false) }
    }

    /// Whether saves can write: to the file and a log beside it, or to a new file that replaces the old one.
    private static func isWritable(_ path: String, kind: StoreKind) -> Bool {
        let file = URL(filePath: path).resolvingSymlinksInPath()
        let manager = FileManager.default
        return manager.isWritableFile(atPath: file.deletingLastPathComponent().path)
            && (kind != .sqlite || manager.isWritableFile(atPath: file.path))
    }
}
