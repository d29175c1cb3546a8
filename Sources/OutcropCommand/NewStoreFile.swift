// SPDX-License-Identifier: Apache-2.0

// A store file that replaces another one when it is complete.

import Files
import FoundationEssentials
import SQLiteStore

/// A store file to be created.
///
/// 1. The old file and everything that belongs to it remain until the new file is complete and synced.
/// 2. Files of large values beside the store may belong to another store. Only those that the replaced store refers
///    to are removed, if no other store can refer to them.
struct NewStoreFile {
    /// The path with symbolic links resolved.
    private let path: String
    private let name: String
    private let kind: StoreKind
    private let isThere: Bool
    private let isDatabase: Bool

    /// Throws if what is at the path must not be replaced.
    init(_ path: String, kind: StoreKind) throws {
        self.path = Self.target(of: path)
        self.kind = kind
        name = path
        let manager = FileManager.default
        let parent = URL(filePath: self.path).deletingLastPathComponent().path
        guard manager.fileExists(atPath: parent) else {
            throw Failure("The folder “\(parent)” doesn't exist.", code: "store.fileSystem", file: path)
        }
        let type = try? manager.attributesOfItem(atPath: self.path)[.type] as? FileAttributeType
        guard type == nil || type == .typeRegular else {
            let what = type == .typeDirectory ? "a folder" : "not a file, but a device, a pipe or the like"
            throw Failure("The path is \(what), and is not replaced.", code: "store.exists", file: path)
        }
        isThere = type != nil
        isDatabase = isThere && SQLiteStore.isDatabase(self.path)
        guard kind == .sqlite else { return }
        try SQLiteStore.checkPlace(ofNewStoreAt: self.path, isReplacing: isDatabase)
        guard !isDatabase else { return }
        for rest in [self.path + "-wal", self.path + "-journal"] where Self.hasContent(rest) {
            throw Failure(
                "The contents of “\(rest)” belong to another store.",
                hint: "Use another name, or remove “\(rest)” if that store no longer exists.",
                code: "store.exists",
                file: path
            )
        }
    }

    /// Makes the new file, and moves it to its path.
    func make(_ body: (_ temporaryPath: String) throws -> Void) throws {
        var named: [String] = []
        try NewStore.make(path, replacing: replaced) { new in
            try body(new)
            // A leftover log would be applied to the new file.
            if isDatabase { named = try SQLiteStore.checkpointIntoOneFile(path) }
        }
        guard kind != .sqlite, SQLiteStore.neighbors(ofStoreAt: path).isEmpty else { return }
        for file in named { try? FileSystem.remove(file) }
    }

    /// Everything that the new file replaces. The folder of large values can't belong to another store.
    private var replaced: [String] {
        guard isThere else { return [] }
        let file = URL(filePath: path).lastPathComponent
        let rest = ["", "-wal", "-shm", "-journal"].map { file + $0 }
        return kind == .sqlite && isDatabase ? rest + [SQLiteStore.supportName(ofStoreAt: path)] : rest
    }

    /// The target of symbolic links, whether or not it exists.
    private static func target(of path: String) -> String {
        var path = path
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = next.hasPrefix("/") ? next : URL(filePath: path).deletingLastPathComponent().path + "/" + next
        }
        return path
    }

    private static func hasContent(_ path: String) -> Bool { (FileSystem.size(of: path) ?? 0) > 0 }
}
