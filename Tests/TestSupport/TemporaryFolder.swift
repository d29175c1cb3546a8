// SPDX-License-Identifier: Apache-2.0

// A folder for tests that can't use a closure.

import FoundationEssentials

/// A new folder, which is removed with its last reference.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
