// SPDX-License-Identifier: Apache-2.0

// Where a log goes of which nothing else is said.

import Glibc

extension SQLLog {
    /// Writes the lines to standard error, those of one event in one piece. What can't be written is lost.
    public static let standardError: Sink = { lines in
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
