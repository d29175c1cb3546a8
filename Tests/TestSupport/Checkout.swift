// SPDX-License-Identifier: Apache-2.0

// The project's own files, as the tests find them.

import FoundationEssentials

public enum Checkout {
    /// The folder of `Package.swift`.
    public static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// What the compiler is told of where the modules of C libraries are, without which none that imports them can be.
    public static let systemModules = ["CSQLite", "CZlib"].flatMap { ["-I", path + "/Sources/" + $0] }

    /// The text of a file, by its path in the checkout.
    public static func text(of file: String) throws -> String {
        try String(contentsOfFile: path + "/" + file, encoding: .utf8)
    }

    /// Removes a file.
    public static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Hands a new folder to a test, and removes it afterwards.
    public static func withFolder<T>(_ body: (String) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }
}
