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

    @Test("new files of root get the owner of the file that they replace")
    func replacements() throws {
        try Data("old".utf8).write(to: URL(filePath: path("Store")))
        #expect(unsafe chown(path("Store"), 777, 777) == 0)
        let new = try NewFiles(beside: path("Store"))
        try Data("new".utf8).write(to: URL(filePath: new.folder + "/Store"))
        try new.moveIntoPlace(["Store"], replacing: ["Store"])
        #expect(try String(contentsOfFile: path("Store"), encoding: .utf8) == "new" && owner("Store") == 777)
    }

    @Test("a file in a folder that everyone may write to doesn't choose the owner of what replaces it")
    func publicFolders() throws {
        try Data("old".utf8).write(to: URL(filePath: path("Store")))
        #expect(unsafe chown(path("Store"), 777, 777) == 0 && chown(folder.path, 0, 0) == 0)
        #expect(unsafe chmod(folder.path, 0o1777) == 0)
        let new = try NewFiles(beside: path("Store"))
        try Data("new".utf8).write(to: URL(filePath: new.folder + "/Store"))
        try new.moveIntoPlace(["Store"], replacing: ["Store"])
        #expect(owner("Store") == 0)
    }

    @Test("what is in the place of the temporary folder isn't given away")
    func exchangedFolder() throws {
        let outside = try TemporaryFolder()
        try Data("x".utf8).write(to: URL(filePath: outside.path + "/Store"))
        let new = try NewFiles(beside: path("Store"))
        try FileSystem.rename(new.folder, to: path("moved"))
        #expect(unsafe symlink(outside.path, new.folder) == 0)
        try new.moveIntoPlace(["Store"])
        #expect(owner("Store") == 0)
    }

    @Test("a lock of root can be taken by the owner of its folder, and a file that was there keeps its owner")
    func locks() throws {
        let lock = try FileLock(path("lock"), waiting: .seconds(1))
        withExtendedLifetime(lock) { #expect(owner("lock") == service) }
        try Data().write(to: URL(filePath: path("file")))
        let other = try FileLock(path("file"), waiting: .seconds(1))
        withExtendedLifetime(other) { #expect(owner("file") == 0) }
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
