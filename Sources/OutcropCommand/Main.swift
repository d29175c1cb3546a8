// SPDX-License-Identifier: Apache-2.0

// The entry point of the process: arguments in, text and exit code out.

import Glibc

@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var result = Program.run(Array(CommandLine.arguments.dropFirst()), on: .standardOutput) {
            try write($0, to: STDOUT_FILENO)
        }
        do throws(OutputFailure) {
            try write(Program.ended(result.output), to: STDOUT_FILENO)
        } catch {
            if error.reason != nil { result.status = .problems }
            result.errors += (result.errors.isEmpty ? "" : "\n") + error.message
        }
        try? write(Program.ended(result.errors), to: STDERR_FILENO)
        exit(result.status.rawValue)
    }

    /// Writes a complete text.
    private static func write(_ text: String, to descriptor: Int32) throws(OutputFailure) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: throw OutputFailure(reason: nil)
            case EBADF: throw OutputFailure(reason: "it is closed")
            case ENOSPC, EDQUOT: throw OutputFailure(reason: "the disk is full")
            case EFBIG: throw OutputFailure(reason: "the file would exceed the size limit")
            case let code: throw OutputFailure(reason: "the system reports error \(code)")
            }
        }
    }
}

/// Why the output can't be written. A closed pipe has no reason, since it isn't a failure.
struct OutputFailure: Error {
    let reason: String?

    var message: String { reason.map { "outcrop: The output can't be written: \($0)." } ?? "" }
}
