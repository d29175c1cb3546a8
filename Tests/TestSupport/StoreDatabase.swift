// SPDX-License-Identifier: Apache-2.0

// The contents of a store's file, read with the program sqlite3 if it is installed.

import Foundation

/// A copy of a store, for reading with SQL.
public struct StoreDatabase {
    private static let program = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    public static var isReadable: Bool { program != nil }

    private let path: String

    /// Passes a copy of a store and its log to a test.
    public static func withCopy<T>(of path: String, _ body: (StoreDatabase) throws -> T) throws -> T {
        try Checkout.withFolder { folder in
            let copy = folder + "/Store.sqlite"
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            return try body(StoreDatabase(path: copy))
        }
    }

    /// The rows of a query, as text.
    public func rows(_ sql: String) throws -> [[String]] {
        let process = Process()
        process.executableURL = URL(filePath: Self.program ?? "/usr/bin/sqlite3")
        process.arguments = ["-batch", "-noheader", "-separator", "\u{1F}", path, sql]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = Pipe()
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map {
            $0.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// The compiled model of the store, or nil.
    public func modelCache() throws -> [UInt8]? {
        guard try !rows("SELECT 1 FROM sqlite_master WHERE name = 'Z_MODELCACHE'").isEmpty else { return nil }
        return try bytes("Z_CONTENT", in: "Z_MODELCACHE")
    }

    /// The property list of the store's metadata.
    public func metadata() throws -> [UInt8]? { try bytes("Z_PLIST", in: "Z_METADATA") }

    private func bytes(_ column: String, in table: String) throws -> [UInt8]? {
        guard let digits = try rows("SELECT hex(\(column)) FROM \(table)").first?.first?.utf8, !digits.isEmpty else {
            return nil
        }
        let values = digits.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x37) }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
