// SPDX-License-Identifier: Apache-2.0

// Replaces a file so that a crash at any moment leaves the old one or the new one, whole.

import Files
import FoundationEssentials

/// The steps by which a file is replaced, in their order. What they leave behind after a crash is overwritten next time.
struct FileReplacement: Sendable {
    enum Step: CaseIterable, Sendable {
        case create
        /// Half of the bytes are written by then.
        case write
        case sync
        case rename
        case syncFolder
    }

    /// Called before each step; what it throws counts as the step's failure.
    var beforeStep: @Sendable (Step) throws(StoreFileError) -> Void = { _ in }

    /// Puts bytes into a file. After an error the old file is there, or none where there was none.
    ///
    /// - Parameter put: Has the new file take the place of the old one.
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

    /// Writes a file that is to take the place of another one, so that it is there for good. It is locked as long as it is held.
    func prepare(_ new: String, inPlaceOf path: String, with bytes: [UInt8]) throws(StoreFileError) -> OpenFile {
        do throws(StoreFileError) {
            let file = try write(bytes, to: new, permissions: Self.permissions(of: path))
            _ = file.tryLockAlone()
            try step(.syncFolder) { () throws(FileError) in try OpenFolder(Self.folder(of: path)).sync() }
            return file
        } catch {
            remove(new)
            throw error
        }
    }

    /// Has a file take the place of another one. After an error both are what they were.
    func put(_ new: String, inPlaceOf path: String) throws(StoreFileError) {
        let old = Self.name("old", beside: path)
        // The old file keeps a second name until the new one is known to be there for good.
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

    /// The path of a file that belongs to another one.
    static func name(_ purpose: String, beside path: String) -> String {
        folder(of: path) + "/." + URL(filePath: path).lastPathComponent + "." + purpose
    }

    private static func folder(of path: String) -> String { URL(filePath: path).deletingLastPathComponent().path }

    private func write(_ bytes: [UInt8], to path: String, permissions: Int?) throws(StoreFileError) -> OpenFile {
        let half = bytes.count / 2
        let file = try step(.create) { () throws(FileError) in
            let file = try OpenFile(writing: path, existing: .isEmptied)
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
