// SPDX-License-Identifier: Apache-2.0

// The owners of files that root makes for services.

import FoundationEssentials
import Glibc

extension FileSystem {
    /// Gives a file or a folder that root has made, with all that is in it, to the owner of another file or folder: a
    /// service that runs as that account can use it then. Other accounts can't give files away: nothing happens.
    package static func setOwner(of path: String, asOf other: String) {
        guard geteuid() == 0, let owner = status(of: other) else { return }
        setOwner(of: path, owner.st_uid, owner.st_gid)
    }

    /// Gives a file that root has made, or replaces, to the owner of the replaced one, or else of its folder.
    package static func setOwner(of path: String, inPlaceOf replaced: String) {
        let folder = folder(of: replaced)
        let former = status(of: replaced)
        setOwner(of: path, asOf: former.map { $0.st_uid != 0 } == true ? replaced : folder)
    }

    private static func setOwner(of path: String, _ user: uid_t, _ group: gid_t) {
        _ = unsafe lchown(path, user, group)
        guard isFolder(path), let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return }
        for name in names { setOwner(of: path + "/" + name, user, group) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
