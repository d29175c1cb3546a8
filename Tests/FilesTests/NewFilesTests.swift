// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import TestSupport
import Testing

@Suite("New files that appear together")
struct NewFilesTests {
    private static func write(_ byte: UInt8, to path: String) throws {
        try OpenFile(writing: path, existing: .fail).append([byte].span)
    }

    private static func read(_ path: String) throws -> [UInt8] { try OpenFile(reading: path).read(at: 0, count: 9) }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// Creates a file and a folder that replace existing ones.
    private static func make(_ folder: String) throws {
        let new = try NewFiles(beside: folder + "/a")
        try write(2, to: new.folder + "/a")
        try OpenFolder.make(new.folder + "/b")
        try write(2, to: new.folder + "/b/c")
        try new.moveIntoPlace(["b", "a", "none"], replacing: ["a", "b", "old", "none"])
    }

    @Test("new files replace the existing ones and leave nothing else behind")
    func replacing() throws {
        try Checkout.withFolder { folder in
            try Self.make(folder)
            try Self.write(1, to: folder + "/old")
            try Self.make(folder)
            #expect(try Self.names(folder) == ["a", "b"])
            #expect(try Self.read(folder + "/a") == [2])
            #expect(try Self.read(folder + "/b/c") == [2])
        }
    }

    @Test("unused new files are removed, and nothing is overwritten unless asked")
    func dropping() throws {
        try Checkout.withFolder { folder in
            try Self.write(1, to: folder + "/a")
            do {
                let new = try NewFiles(beside: folder + "/a")
                try Self.write(2, to: new.folder + "/a")
                #expect(throws: FileError(.inTheWay, "a file is in its way", path: folder + "/a")) {
                    try new.moveIntoPlace(["a"])
                }
            }
            #expect(try Self.names(folder) == ["a"])
            #expect(try Self.read(folder + "/a") == [1])
            let error = #expect(throws: FileError.self) { try NewFiles(beside: folder + "/none/a") }
            #expect(error?.path == folder + "/none/a")
        }
    }

    @Test("the existing files are kept when an operation fails")
    func faults() throws {
        let files = FailingFiles()
        for n in 1... {
            var hasFailed = false
            try Checkout.withFolder { folder in
                try Self.write(1, to: folder + "/a")
                try Self.write(1, to: folder + "/old")
                files.fail(n)
                do {
                    try files.run { try Self.make(folder) }
                    #expect(try Self.names(folder) == ["a", "b"], "\(n)")
                } catch {
                    #expect(try Self.names(folder) == ["a", "old"], "\(n)")
                    #expect(try Self.read(folder + "/a") == [1], "\(n)")
                }
                hasFailed = files.mend() > 0
            }
            guard hasFailed else { break }
        }
    }

    @Test("no file is lost when the rollback also fails")
    func lastingFaults() throws {
        try Checkout.withFolder { folder in
            try Self.write(1, to: folder + "/a")
            let files = FailingFiles()
            // The existing file has been moved by then, after two renames.
            files.fail(3, .rename, lasts: true)
            #expect(throws: FileError.self) { try files.run { try Self.make(folder) } }
            let left = try Self.names(folder)
            #expect(left.count == 1)
            #expect(try Self.read("\(folder)/\(left[0])/replaced/a") == [1])
        }
    }

    @Test("a copy has the bytes and permissions of its file, and a failed copy leaves no file")
    func copying() throws {
        try Checkout.withFolder { folder in
            let (path, copy) = (folder + "/a", folder + "/b")
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let file = try OpenFile(writing: path, existing: .fail)
            try file.append(bytes.span)
            try file.setPermissions(0o640)
            let files = FailingFiles()
            for n in 1... {
                files.fail(n)
                try? files.run { try FileSystem.copy(path, to: copy) }
                guard files.mend() > 0 else { break }
                #expect(!FileSystem.exists(copy), "\(n)")
            }
            let copied = try OpenFile(reading: copy)
            #expect(try copied.permissions == 0o640)
            #expect(try copied.read(at: 0, count: 4_000_000) == bytes)
            #expect(throws: FileError.self) { try FileSystem.copy(path, to: copy) }
        }
    }

    @Test("an exclusive lock is released when its folder is closed")
    func locks() throws {
        try Checkout.withFolder { folder in
            var first: OpenFolder? = try OpenFolder(folder)
            let second = try OpenFolder(folder)
            try first?.lockExclusively()
            #expect(!second.tryLockShared())
            first = nil
            #expect(second.tryLockShared())
            #expect(first == nil)
        }
    }
}
