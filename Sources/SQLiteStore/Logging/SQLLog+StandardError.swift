// SPDX-License-Identifier: Apache-2.0

// The default destination of a log.

import Glibc

extension SQLLog {
    /// Writes the lines of one event to standard error in one piece. Errors are ignored.
    public static let standardError: Sink = { lines in
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
