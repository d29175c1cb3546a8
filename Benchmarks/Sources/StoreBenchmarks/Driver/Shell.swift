// SPDX-License-Identifier: Apache-2.0

// Other programs.

import Glibc

/// Runs a command line, and gives what it prints.
func shell(_ command: String) throws -> String {
    fflush(nil)
    guard let pipe = popen(command, "r") else { throw BenchError("\(command) can't be run.") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = fread(&chunk, 1, chunk.count, pipe)
        if count == 0 { break }
        bytes += chunk[..<count]
    }
    guard pclose(pipe) == 0 else { throw BenchError("\(command) has failed.") }
    return String(decoding: bytes, as: UTF8.self)
}
