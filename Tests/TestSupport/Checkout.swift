// SPDX-License-Identifier: Apache-2.0

// The project's own files, for tests.

import FoundationEssentials

public enum Checkout {
    /// The folder of `Package.swift`.
    public static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The compiler's options for the modules of C libraries, which importing modules need.
    public static let systemModules = ["CLibSSL", "CSQLite", "CZlib"].flatMap { ["-I", path + "/Sources/" + $0] }

    /// Whether the code under test is optimized.
    public static let isOptimized = {
        #if DEBUG
        false
        #else
        true
        #endif
    }()

    /// The text of a file, by its path in the checkout.
    public static func text(of file: String) throws -> String {
        try String(contentsOfFile: path + "/" + file, encoding: .utf8)
    }

    /// Removes a file.
    public static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Passes a new folder to a test, and removes it afterwards.
    public static func withFolder<T>(_ body: (String) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }
}
