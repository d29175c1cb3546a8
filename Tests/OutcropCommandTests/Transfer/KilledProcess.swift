// SPDX-License-Identifier: Apache-2.0

// The program in a process that is killed.

import Foundation
import TestSupport

final class KilledProcess {
    private let process = Process()

    init(_ path: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.endsWithoutBacktrace()
        try process.run()
    }

    /// Kills it after some microseconds, unless it has already ended.
    func kill(after time: UInt32) throws {
        usleep(time)
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
