// SPDX-License-Identifier: Apache-2.0

// Public files in memory.

import Cryptography
package import Files

/// Serves files that are in memory, such as those embedded in the program.
package struct PublicFiles: Pages {
    private let files: [String: PublicFile]

    /// - Parameter files: The content of each file by its path, with “/” between names.
    package init(_ files: [String: [UInt8]]) {
        self.files = files.mapValues { bytes in
            PublicFile(length: bytes.count, tag: Self.tag(of: bytes), read: { range in Array(bytes[range]) })
        }
    }

    package func file(_ names: [String]) throws(FileError) -> PublicFile {
        let path = names.joined(separator: "/")
        // A name with a slash isn't a path.
        guard let file = files[path], !names.contains(where: { $0.contains("/") }) else {
            throw FileError(.missing, "there is no such file", path: path)
        }
        return file
    }

    /// Half of the digest, which is long enough to be unique.
    private static func tag(of bytes: [UInt8]) -> String {
        SHA256.digest(of: bytes).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
