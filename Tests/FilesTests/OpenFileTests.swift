// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import TestSupport
import Testing

@Suite("Open files and folders")
struct OpenFileTests {
    @Test("appended bytes can be read again, up to the end of the file")
    func reading() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/file"
            let file = try OpenFile(writing: path, existing: .fail)
            try file.append([1, 2, 3].span)
            try file.append([4, 5].span)
            try file.sync()
            let again = try OpenFile(reading: path)
            #expect(try again.size == 5)
            #expect(try again.read(at: 1, count: 3) == [2, 3, 4])
            #expect(try again.read(at: 3, count: 100) == [4, 5])
            #expect(try again.read(at: 5, count: 1) == [])
        }
    }

    @Test("a file's lock is exclusive until the file is closed")
    func locking() throws {
        try Checkout.withFolder { folder in
            for name in ["file", "other"] { _ = try OpenFile(writing: "\(folder)/\(name)", existing: .fail) }
            var file: OpenFile? = try OpenFile(reading: folder + "/file")
            let again = try OpenFile(reading: folder + "/./file")
            let other = try OpenFile(reading: folder + "/other")
            #expect(file?.tryLockExclusively() == true && other.tryLockExclusively())
            #expect(file?.isSame(as: again) == true && file?.isSame(as: other) == false)
            #expect(!again.tryLockExclusively())
            file = nil
            #expect(again.tryLockExclusively())
        }
    }

    @Test("a removed file stays readable while it is open")
    func removing() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/file"
            try OpenFile(writing: path, existing: .fail).append([7].span)
            let file = try OpenFile(reading: path)
            try FileSystem.remove(path)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try file.read(at: 0, count: 1) == [7])
        }
    }

    @Test("a new file has the given permissions from the start")
    func permissions() throws {
        try Checkout.withFolder { folder in
            let file = try OpenFile(writing: folder + "/private", existing: .fail, permissions: 0o600)
            #expect(try file.permissions == 0o600)
            // Those of an existing file stay.
            try file.setPermissions(0o640)
            let again = try OpenFile(writing: folder + "/private", existing: .truncate, permissions: 0o600)
            #expect(try again.permissions == 0o640)
        }
    }

    @Test("an existing file is emptied or refused, as requested")
    func existing() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/file"
            try OpenFile(writing: path, existing: .truncate).append([7, 8].span)
            #expect(throws: FileError(.inTheWay, "a folder or a file is in its way", path: path)) {
                try OpenFile(writing: path, existing: .fail)
            }
            #expect(try OpenFile(writing: path, existing: .truncate).size == 0)
        }
    }

    @Test("an open folder finds only files below it, by plain names and not through links")
    func below() throws {
        try Checkout.withFolder { folder in
            try OpenFolder.make(folder + "/public")
            try OpenFolder.make(folder + "/public/styles")
            try OpenFile(writing: folder + "/secret", existing: .fail).append([1].span)
            try OpenFile(writing: folder + "/public/styles/page.css", existing: .fail).append([2, 3].span)
            let manager = FileManager.default
            try manager.createSymbolicLink(atPath: folder + "/public/link", withDestinationPath: folder + "/secret")
            try manager.createSymbolicLink(atPath: folder + "/public/up", withDestinationPath: folder)
            let open = try OpenFolder(folder + "/public")
            let file = try open.file(["styles", "page.css"])
            #expect(try file.read(at: 0, count: 10) == [2, 3])
            #expect(try file.state.size == 2)
            #expect(try file.state == open.file(["styles", "page.css"]).state)
            for names in [
                [], [""], ["."], [".."], ["..", "secret"], ["styles", "..", "styles", "page.css"], ["styles/page.css"],
                ["styles\0"], [String(repeating: "a", count: 256)], ["none"], ["styles"], ["link"], ["up", "secret"],
                ["styles", "page.css", "x"],
            ] {
                let error = #expect(throws: FileError.self, "\(names)") { try open.file(names) }
                #expect(error?.code == .missing || error?.code == .inTheWay, "\(names)")
            }
        }
    }

    @Test("an exclusive lock excludes shared ones, and shared locks don't exclude each other")
    func locks() throws {
        try Checkout.withFolder { folder in
            var first: OpenFolder? = try OpenFolder(folder)
            let (second, third) = (try OpenFolder(folder), try OpenFolder(folder))
            try first?.lockShared()
            try second.lockShared()
            #expect(!third.tryLockExclusively())
            first = nil
            #expect(second.tryLockExclusively())
            #expect(!third.tryLockExclusively())
        }
    }

    @Test("a path with a NUL or in a missing folder is refused")
    func paths() throws {
        try Checkout.withFolder { folder in
            #expect(throws: FileError(.other, "its path has a NUL in it", path: folder + "/a\0b")) {
                try OpenFile(writing: folder + "/a\0b", existing: .truncate)
            }
            #expect(throws: FileError(.missing, "its folder doesn't exist", path: folder + "/none/file")) {
                try OpenFile(writing: folder + "/none/file", existing: .truncate)
            }
            #expect(throws: FileError.self) { try OpenFolder.make(folder + "/none/folder") }
            try OpenFolder.make(folder + "/new")
            try OpenFolder.make(folder + "/new")
        }
    }
}
