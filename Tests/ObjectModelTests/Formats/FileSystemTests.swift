// SPDX-License-Identifier: Apache-2.0

// The wording of file system errors.

import FoundationEssentials
import Glibc
import Testing

@testable import ObjectModel

@Suite("File system errors")
struct FileSystemTests {
    @Test(
        "a file system error has a plain reason",
        arguments: [
            (CocoaError.Code.fileReadNoPermission, "permission is denied"),
            (.fileWriteNoPermission, "permission is denied"),
            (.fileWriteOutOfSpace, "the disk is full"),
            (.fileWriteVolumeReadOnly, "the disk is read-only"),
            (.fileWriteInvalidFileName, "its name is too long"),
            (.fileWriteUnknown, "the system denies it"),
        ]
    )
    func sentences(code: CocoaError.Code, reason: String) {
        let error = ModelError.fileSystem("It can't be done", CocoaError(code), "/a")
        #expect(error.code == .fileSystem && error.place.file == "/a")
        #expect(error.message == "It can't be done: \(reason).")
    }

    @Test("an error names the obstacle that the system doesn't name")
    func obstacles() throws {
        try withTemporaryDirectory { directory in
            try "".write(toFile: directory + "/file", atomically: false, encoding: .utf8)
            for (path, reason) in [
                (directory, "it is a folder"), (directory + "/no/x", "the folder “\(directory)/no” doesn't exist"),
                (directory + "/file/x", "“\(directory)/file” isn't a folder"),
            ] {
                let error = #expect(throws: ModelError.self) { try ModelFileSystem.write([1], to: path) }
                #expect(error?.message == "The file can't be written: \(reason).")
            }
        }
    }

    @Test(
        "an inaccessible folder is reported differently from a missing one",
        .enabled(if: geteuid() != 0, "root may enter any folder")
    )
    func closedFolder() throws {
        try withTemporaryDirectory { directory in
            let folder = directory + "/closed.xcdatamodel"
            let manager = FileManager.default
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try "<model/>".write(toFile: folder + "/contents", atomically: false, encoding: .utf8)
            try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: folder)
            defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
            for path in [folder, folder + "/contents", folder + "/M.json"] {
                let error = #expect(throws: ModelError.self) { try ModelFile.read(path: path) }
                #expect(error?.message == "The file can't be read: permission is denied.", "\(path)")
            }
        }
    }
}
