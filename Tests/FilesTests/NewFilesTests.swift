// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import TestSupport
import Testing

@Suite("Files that appear together")
struct NewFilesTests {
    private static func write(_ byte: UInt8, to path: String) throws {
        try OpenFile(writing: path, existing: .isAnError).append([byte].span)
    }

    private static func read(_ path: String) throws -> [UInt8] { try OpenFile(reading: path).read(at: 0, count: 9) }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// Has a file and a folder made that replace others.
    private static func make(_ folder: String) throws {
        let new = try NewFiles(beside: folder + "/a")
        try write(2, to: new.folder + "/a")
        try OpenFolder.make(new.folder + "/b")
        try write(2, to: new.folder + "/b/c")
        try new.appear(["b", "a", "none"], replacing: ["a", "b", "old", "none"])
    }

    @Test("they replace what was there, and leave nothing else behind")
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

    @Test("those that aren't to appear are removed, and nothing is overwritten unasked")
    func dropping() throws {
        try Checkout.withFolder { folder in
            try Self.write(1, to: folder + "/a")
            do {
                let new = try NewFiles(beside: folder + "/a")
                try Self.write(2, to: new.folder + "/a")
                #expect(throws: FileError(.inTheWay, "a file is in its way", path: folder + "/a")) {
                    try new.appear(["a"])
                }
            }
            #expect(try Self.names(folder) == ["a"])
            #expect(try Self.read(folder + "/a") == [1])
            let error = #expect(throws: FileError.self) { try NewFiles(beside: folder + "/none/a") }
            #expect(error?.path == folder + "/none/a")
        }
    }

    @Test("what was there stays where an operation fails")
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

    @Test("nothing is lost where moving back fails as well")
    func lastingFaults() throws {
        try Checkout.withFolder { folder in
            try Self.write(1, to: folder + "/a")
            let files = FailingFiles()
            // The file that was there has been moved by then, which takes asking twice.
            files.fail(3, .rename, lasts: true)
            #expect(throws: FileError.self) { try files.run { try Self.make(folder) } }
            let left = try Self.names(folder)
            #expect(left.count == 1)
            #expect(try Self.read("\(folder)/\(left[0])/replaced/a") == [1])
        }
    }

    @Test("a copy has the bytes and the permissions, and there is none where copying fails")
    func copying() throws {
        try Checkout.withFolder { folder in
            let (path, copy) = (folder + "/a", folder + "/b")
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let file = try OpenFile(writing: path, existing: .isAnError)
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

    @Test("who waits for a lock alone has it once nobody else has one")
    func locks() throws {
        try Checkout.withFolder { folder in
            var first: OpenFolder? = try OpenFolder(folder)
            let second = try OpenFolder(folder)
            try first?.lockAlone()
            #expect(!second.tryLockTogether())
            first = nil
            #expect(second.tryLockTogether())
            #expect(first == nil)
        }
    }
}
