// SPDX-License-Identifier: Apache-2.0

// A store's file that appears under its name when it is whole, in place of the one that was there.

import Files
import FoundationEssentials
import SQLiteStore

/// A file to be made.
///
/// 1. Until the new file is whole, and on the disk, the old one is there with all that belongs to it.
/// 2. The files of large values beside it may be another store's. Only those are removed which the store that was replaced has
///    named, if no other store can have named them.
struct NewStoreFile {
    /// Where the file is to be, links followed.
    private let path: String
    private let name: String
    private let kind: StoreKind
    private let isThere: Bool
    private let isDatabase: Bool

    /// Throws where there is something that isn't replaced.
    init(_ path: String, _ kind: StoreKind) throws {
        (self.path, self.kind, name) = (Self.target(of: path), kind, path)
        let manager = FileManager.default
        let parent = URL(filePath: self.path).deletingLastPathComponent().path
        guard manager.fileExists(atPath: parent) else {
            throw Failure("The folder “\(parent)” doesn't exist.", code: "store.fileSystem", file: path)
        }
        let type = try? manager.attributesOfItem(atPath: self.path)[.type] as? FileAttributeType
        guard type == nil || type == .typeRegular else {
            let what = type == .typeDirectory ? "a folder" : "no file, but a device, a pipe or the like"
            throw Failure("What is there is \(what), and is not replaced.", code: "store.exists", file: path)
        }
        isThere = type != nil
        isDatabase = isThere && SQLiteStore.isDatabase(self.path)
        guard kind == .sqlite else { return }
        try SQLiteStore.checkPlace(ofNewStoreAt: self.path, isReplacing: isDatabase)
        guard !isDatabase else { return }
        for rest in [self.path + "-wal", self.path + "-journal"] where Self.hasContent(rest) {
            throw Failure(
                "What is in “\(rest)” belongs to another store.",
                hint: "Use another name, or remove it if that store is gone.",
                code: "store.exists",
                file: path
            )
        }
    }

    /// Has the file made, and puts it in its place.
    func make(_ body: (_ temporaryPath: String) throws -> Void) throws {
        var named: [String] = []
        try NewStore.make(path, replacing: replaced) { new in
            try body(new)
            // A log that is left would be taken for that of the new file.
            if isDatabase { named = try SQLiteStore.settle(path) }
        }
        guard kind != .sqlite, SQLiteStore.neighbors(ofStoreAt: path).isEmpty else { return }
        for file in named { try? FileSystem.remove(file) }
    }

    /// What goes when the new file comes. The folder of large values is the replaced store's, since no other may have it.
    private var replaced: [String] {
        guard isThere else { return [] }
        let file = URL(filePath: path).lastPathComponent
        let rest = ["", "-wal", "-shm", "-journal"].map { file + $0 }
        return kind == .sqlite && isDatabase ? rest + [SQLiteStore.supportName(ofStoreAt: path)] : rest
    }

    /// Where links lead, be there something or not.
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
