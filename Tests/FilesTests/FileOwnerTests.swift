// SPDX-License-Identifier: Apache-2.0

// The owners of files that root makes in the folders of services.

import Files
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("The owners of files", .enabled(if: geteuid() == 0, "only root gives files away"))
struct FileOwnerTests {
    private let folder: TemporaryFolder
    private let service: uid_t = 12_345

    init() throws {
        folder = try TemporaryFolder()
        #expect(unsafe chown(folder.path, service, service) == 0)
    }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func owner(_ name: String) -> uid_t? {
        var status = stat()
        return unsafe lstat(path(name), &status) == 0 ? status.st_uid : nil
    }

    @Test("new files of root get the owner of their folder")
    func newFiles() throws {
        let new = try NewFiles(beside: path("Store"))
        try OpenFolder.make(new.folder + "/Store")
        try Data("x".utf8).write(to: URL(filePath: new.folder + "/Store/part"))
        try new.moveIntoPlace(["Store"])
        #expect(owner("Store") == service && owner("Store/part") == service)
    }

    @Test("a lock of root can be taken by the owner of its folder")
    func locks() throws {
        let lock = try FileLock(path("lock"), waiting: .seconds(1))
        withExtendedLifetime(lock) { #expect(owner("lock") == service) }
    }

    @Test("a file that replaces another one keeps its owner, unless that is root")
    func replacing() throws {
        for (former, expected) in [(uid_t(777), uid_t(777)), (0, service)] {
            for name in ["old", "new"] {
                try? FileSystem.remove(path(name))
                try Data().write(to: URL(filePath: path(name)))
            }
            #expect(unsafe chown(path("old"), former, former) == 0)
            try OpenFile(writing: path("new"), existing: .truncate).setOwner(asOf: [path("old"), path("none")])
            #expect(owner("new") == expected)
        }
    }

    @Test("links aren't followed, and files with another name keep their owner")
    func links() throws {
        let outside = try TemporaryFolder()
        let secret = outside.path + "/secret"
        try Data("x".utf8).write(to: URL(filePath: secret))
        try OpenFolder.make(path("made"))
        #expect(unsafe symlink(outside.path, path("made/folder")) == 0)
        #expect(unsafe symlink(secret, path("made/link")) == 0)
        #expect(unsafe link(secret, path("made/name")) == 0)
        FileSystem.setOwner(of: path("made"), asOf: folder.path)
        #expect(owner("made") == service)
        var status = stat()
        #expect(unsafe stat(secret, &status) == 0 && status.st_uid == 0)
    }
}
