// SPDX-License-Identifier: Apache-2.0

// Copies of stores' files to work on.

import Foundation

enum StoreCopy {
    /// Calls a test with the path of a copy, including its log and the files of large values.
    static func of<Result>(_ path: String, _ body: (String) throws -> Result) throws -> Result {
        try inFolder { folder in
            let (source, copy) = (URL(filePath: path), folder + "/" + URL(filePath: path).lastPathComponent)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            let support = ".\(source.deletingPathExtension().lastPathComponent)_SUPPORT"
            let files = source.deletingLastPathComponent().appending(path: support).path
            if FileManager.default.fileExists(atPath: files) {
                try FileManager.default.copyItem(atPath: files, toPath: folder + "/" + support)
            }
            return try body(copy)
        }
    }

    /// Calls a test with a folder that is removed afterwards.
    static func inFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }
}
