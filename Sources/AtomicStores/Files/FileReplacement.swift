// SPDX-License-Identifier: Apache-2.0

// Replaces a file so that a crash at any moment leaves the old one or the new one, whole.

import FoundationEssentials
import Glibc

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
    func replace(_ path: String, with bytes: [UInt8]) throws(StoreFileError) {
        let place = URL(filePath: path)
        let folder = place.deletingLastPathComponent().path
        let new = folder + "/." + place.lastPathComponent + ".new"
        let old = folder + "/." + place.lastPathComponent + ".old"
        do throws(StoreFileError) {
            try write(bytes, to: new, permissions: Self.permissions(of: path))
            // The old file keeps a second name until the new one is known to be there for good.
            remove(old)
            let isKept = makeLink(from: path, to: old)
            defer { remove(old) }
            let isNew = !FileManager.default.fileExists(atPath: path)
            try beforeStep(.rename)
            try check(rename(new, to: path))
            do throws(StoreFileError) {
                try sync(folder: folder)
            } catch {
                if isKept { _ = rename(old, to: path) } else if isNew { remove(path) }
                throw error
            }
        } catch {
            remove(new)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to path: String, permissions: mode_t?) throws(StoreFileError) {
        try beforeStep(.create)
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
        try check(file)
        defer { close(file) }
        if let permissions { try check(fchmod(file, permissions)) }
        let half = bytes.count / 2
        try append(bytes[..<half], to: file)
        try beforeStep(.write)
        try append(bytes[half...], to: file)
        try beforeStep(.sync)
        try check(fsync(file))
    }

    private func append(_ bytes: ArraySlice<UInt8>, to file: CInt) throws(StoreFileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = writeBytes(rest, to: file)
            if count < 0, errno == EINTR { continue }
            try check(count < 0 ? -1 : 0)
            rest = rest.dropFirst(count)
        }
    }

    private func sync(folder: String) throws(StoreFileError) {
        try beforeStep(.syncFolder)
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try check(file)
        defer { close(file) }
        try check(fsync(file))
    }

    private func check(_ result: CInt) throws(StoreFileError) {
        guard result < 0 else { return }
        let code = errno
        let reason =
            switch code {
            case ENOSPC, EDQUOT: "the disk is full"
            case EACCES, EPERM: "permission is denied"
            case EROFS: "the disk is read-only"
            case ENOENT: "its folder doesn't exist"
            case EISDIR, ENOTDIR: "a folder or a file is in its way"
            case ENAMETOOLONG: "its name is too long"
            default: "the system reports error \(code)"
            }
        throw .fileSystem("written", reason)
    }

    private static func permissions(of path: String) -> mode_t? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.posixPermissions] as? Int).map { mode_t($0) }
    }
}

// The C functions. A string and an array that are handed over as a pointer outlive the call, in which they are only read, up
// to their end.

private func open(_ path: String, _ flags: CInt) -> CInt { unsafe Glibc.open(path, flags, 0o666) }

private func rename(_ path: String, to other: String) -> CInt { unsafe Glibc.rename(path, other) }

private func makeLink(from path: String, to other: String) -> Bool { unsafe Glibc.link(path, other) == 0 }

private func remove(_ path: String) { _ = unsafe Glibc.unlink(path) }

private func writeBytes(_ bytes: ArraySlice<UInt8>, to file: CInt) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
}
