// SPDX-License-Identifier: Apache-2.0

// Replaces a file atomically: a crash leaves either the old or the new file intact.

import Files
import FoundationEssentials

/// The steps of replacing a file, in order. Files left behind by a crash are overwritten the next time.
struct FileReplacement: Sendable {
    enum Step: CaseIterable, Sendable {
        case create
        /// Half of the bytes were written in the previous step.
        case write
        case sync
        case rename
        case syncFolder
    }

    /// Called before each step; throws to make the step fail.
    var beforeStep: @Sendable (Step) throws(StoreFileError) -> Void = { _ in }

    /// Replaces the content of a file. After an error the path is unchanged.
    ///
    /// - Parameter put: Renames the new file to the path.
    func replace(
        _ path: String,
        with bytes: [UInt8],
        putting put: (OpenFile) throws(StoreFileError) -> Void
    ) throws(StoreFileError) {
        let new = Self.name("new", beside: path)
        do throws(StoreFileError) {
            try put(write(bytes, to: new, permissions: Self.permissions(of: path)))
        } catch {
            remove(new)
            throw error
        }
    }

    /// Writes and syncs a file that is to replace another one. It is locked until it is released.
    func prepare(_ new: String, inPlaceOf path: String, with bytes: [UInt8]) throws(StoreFileError) -> OpenFile {
        do throws(StoreFileError) {
            let file = try write(bytes, to: new, permissions: Self.permissions(of: path))
            _ = file.tryLockExclusively()
            try step(.syncFolder) { () throws(FileError) in try OpenFolder(Self.folder(of: path)).sync() }
            return file
        } catch {
            remove(new)
            throw error
        }
    }

    /// Renames a file to the path of another one. After an error both are unchanged.
    func put(_ new: String, inPlaceOf path: String) throws(StoreFileError) {
        let old = Self.name("old", beside: path)
        // The old file keeps a second name until the rename is synced.
        remove(old)
        let isKept = (try? FileSystem.link(path, to: old)) != nil
        defer { remove(old) }
        let isNew = !FileManager.default.fileExists(atPath: path)
        try step(.rename) { () throws(FileError) in try FileSystem.rename(new, to: path) }
        do throws(StoreFileError) {
            try step(.syncFolder) { () throws(FileError) in try OpenFolder(Self.folder(of: path)).sync() }
        } catch {
            if isKept || isNew { try? FileSystem.rename(path, to: new) }
            if isKept { try? FileSystem.rename(old, to: path) }
            throw error
        }
    }

    /// The path of an auxiliary file of another one.
    static func name(_ purpose: String, beside path: String) -> String {
        folder(of: path) + "/." + URL(filePath: path).lastPathComponent + "." + purpose
    }

    private static func folder(of path: String) -> String { URL(filePath: path).deletingLastPathComponent().path }

    private func write(_ bytes: [UInt8], to path: String, permissions: Int?) throws(StoreFileError) -> OpenFile {
        let half = bytes.count / 2
        let file = try step(.create) { () throws(FileError) in
            let file = try OpenFile(writing: path, existing: .truncate)
            if let permissions { try file.setPermissions(permissions) }
            try file.append(bytes.span.extracting(first: half))
            return file
        }
        try step(.write) { () throws(FileError) in try file.append(bytes.span.extracting(droppingFirst: half)) }
        try step(.sync) { () throws(FileError) in try file.sync() }
        return file
    }

    private func step<Result>(
        _ step: Step,
        _ body: () throws(FileError) -> Result
    ) throws(StoreFileError) -> Result {
        try beforeStep(step)
        do {
            return try body()
        } catch {
            throw .notWritten(error)
        }
    }

    private func remove(_ path: String) { try? FileSystem.remove(path) }

    private static func permissions(of path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }
}
