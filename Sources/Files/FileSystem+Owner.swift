// SPDX-License-Identifier: Apache-2.0

// The owners of files that root makes for services.

import FoundationEssentials
import Glibc

extension FileSystem {
    /// Gives a file or a folder that root has made, with all that is in it, to the owner of another file or folder: a
    /// service that runs as that account can use it then. Other accounts can't give files away: nothing happens.
    ///
    /// Links aren't followed, and nothing is given away that isn't root's or has another name as well: the owner of the
    /// folder may exchange what is in it at any time.
    package static func setOwner(of path: String, asOf other: String) {
        guard geteuid() == 0, let owner = status(of: other) else { return }
        setOwner(of: path, in: AT_FDCWD, owner)
    }

    /// The same for files in a folder that root has made.
    static func setOwner(of names: [String], in folder: String, _ owner: stat?) {
        guard let owner else { return }
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_uid == 0 else { return }
        for name in names { setOwner(of: name, in: descriptor, owner) }
    }

    /// The first owner other than root among those of some files, or else the owner of the first one's folder: also where
    /// everyone may put files into the folder. Nil if the process isn't root's, which alone gives files away.
    static func owner(of paths: [String]) -> stat? {
        guard geteuid() == 0, let first = paths.first else { return nil }
        let folder = status(of: folder(of: first))
        let isPublic = folder.map { $0.st_mode & S_IWOTH != 0 } ?? true
        for path in isPublic ? [] : paths {
            if let status = status(of: path), status.st_uid != 0, status.st_mode & S_IFMT == S_IFREG { return status }
        }
        return folder
    }

    private static func setOwner(of name: String, in folder: CInt, _ owner: stat) {
        let descriptor = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_uid == 0 else { return }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        guard isFolder || status.st_nlink == 1 else { return }
        if isFolder {
            // The descriptor's own path leads to the folder wherever it is now.
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(descriptor)")
            for name in names ?? [] { setOwner(of: name, in: descriptor, owner) }
        }
        _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension Descriptor {
    /// Gives a file that root has just made to the first owner other than root of some files, or else of the first one's
    /// folder.
    func setOwner(asOf paths: [String]) {
        guard let owner = FileSystem.owner(of: paths) else { return }
        _ = fchown(number, owner.st_uid, owner.st_gid)
    }
}

extension OpenFile {
    /// Gives the file, which root has just made, to the first owner other than root of some files, or else of the first
    /// one's folder.
    package func setOwner(asOf paths: [String]) { descriptor.setOwner(asOf: paths) }
}
