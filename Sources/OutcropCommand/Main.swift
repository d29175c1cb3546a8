// SPDX-License-Identifier: Apache-2.0

// Where the program starts: words in, text and exit code out.

import Glibc

@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let result = Program.run(Array(CommandLine.arguments.dropFirst()), on: .standardOutput)
        let failure = write(result.output, to: STDOUT_FILENO)
        _ = write(result.errors, to: STDERR_FILENO)
        if let failure { _ = write("outcrop: The output can't be written: \(failure).", to: STDERR_FILENO) }
        exit(failure == nil ? result.status.rawValue : ReportStatus.problems.rawValue)
    }

    /// Writes all of a text and a line's end, and returns why that could not be done. Whoever closed the other end of a
    /// pipe wants no more, which is no failure.
    private static func write(_ text: String, to descriptor: Int32) -> String? {
        guard !text.isEmpty else { return nil }
        let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
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
            case EPIPE: return nil
            case EBADF: return "it is closed"
            case ENOSPC, EDQUOT: return "the disk is full"
            case EFBIG: return "the file would be larger than is allowed"
            case let code: return "the system refuses it (error \(code))"
            }
        }
        return nil
    }
}
