// SPDX-License-Identifier: Apache-2.0

// The reading end of a named pipe, for tests of code that writes to one.

import Glibc

/// Reads the available bytes without waiting.
final class PipeReader {
    private let descriptor: CInt

    /// Makes a pipe at a path, or returns nil.
    init?(makingPipeAt path: String) {
        guard unsafe mkfifo(path, 0o600) == 0 else { return nil }
        descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    func available() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
