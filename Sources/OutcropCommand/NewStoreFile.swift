// SPDX-License-Identifier: Apache-2.0

// A store's file that appears under its name when it is whole, in place of the one that was there.

import Files
import FoundationEssentials
import SQLiteStore

/// A file to be made.
///
/// 1. Until the new file is whole, and on the disk, the old one is there with all that belongs to it. Then one renaming puts
///    the new one in its place.
/// 2. The files of large values beside it may be another store's. Only those are removed which the store that was replaced has
///    named, if no other store can have named them.
struct NewStoreFile {
    /// Where the file is to be, links followed.
    private let path: String
    private let name: String
    private let kind: StoreKind
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
        isDatabase = type != nil && SQLiteStore.isDatabase(self.path)
        guard kind == .sqlite else { return }
        try SQLiteStore.checkPlace(ofNewStoreAt: self.path)
        guard !isDatabase else { return }
        let folder = SQLiteStore.externalFolder(ofStoreAt: self.path)
        for rest in [self.path + "-wal", self.path + "-journal", folder] where Self.hasContent(rest) {
            throw Failure(
                "What is in “\(rest)” belongs to another store.",
                hint: "Use another name, or remove it if that store is gone.",
                code: "store.exists",
                file: path
            )
        }
    }

    /// Has the file made in a folder of its own beside its place, and moves it there with the files of its large values.
    /// Nothing is left where that fails.
    func make(_ body: (_ temporaryPath: String) throws -> Void) throws {
        let place = URL(filePath: path)
        let parent = place.deletingLastPathComponent().path
        let folder = parent + "/.\(place.lastPathComponent).\(UUID().uuidString).new"
        let manager = FileManager.default
        do {
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
        } catch {
            throw Failure("No file can be made in “\(parent)”.", code: "store.fileSystem", file: name)
        }
        defer { try? manager.removeItem(atPath: folder) }
        let new = folder + "/" + place.lastPathComponent
        try body(new)
        // A log that is left would be taken for that of the new file.
        let old = isDatabase ? try SQLiteStore.settle(path) : []
        do {
            try replace(by: new, in: parent)
        } catch {
            throw Failure(
                "The new file can't be moved there: \(error.reason).",
                code: "store.fileSystem",
                file: name
            )
        }
        guard SQLiteStore.neighbors(ofStoreAt: path).isEmpty else { return }
        for file in old { try? FileSystem.remove(file) }
    }

    private func replace(by new: String, in parent: String) throws(FileError) {
        try OpenFile(reading: new).sync()
        let (source, target) = (SQLiteStore.externalFolder(ofStoreAt: new), SQLiteStore.externalFolder(ofStoreAt: path))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: source)) ?? []
        var moved: [String] = []
        do throws(FileError) {
            let lock = names.isEmpty ? nil : try Self.locked(target)
            for name in names {
                try OpenFile(reading: source + "/" + name).sync()
                try FileSystem.rename(source + "/" + name, to: target + "/" + name)
                moved.append(target + "/" + name)
            }
            try lock?.sync()
            try FileSystem.rename(new, to: path)
            withExtendedLifetime(lock) {}
        } catch {
            for file in moved { try? FileSystem.remove(file) }
            throw error
        }
        try OpenFolder(parent).sync()
    }

    /// A folder of large values, made if it isn't there. Nobody looks for files there meanwhile that no store names.
    private static func locked(_ path: String) throws(FileError) -> OpenFolder {
        let above = URL(filePath: path).deletingLastPathComponent()
        for folder in [above.path, path] { try OpenFolder.make(folder) }
        for folder in [above.deletingLastPathComponent().path, above.path] { try OpenFolder(folder).sync() }
        let folder = try OpenFolder(path)
        try folder.lockTogether()
        return folder
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

    private static func hasContent(_ path: String) -> Bool {
        if let names = try? FileManager.default.contentsOfDirectory(atPath: path) { return !names.isEmpty }
        return ((try? OpenFile(reading: path).size) ?? 0) > 0
    }
}
