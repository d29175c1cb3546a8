// SPDX-License-Identifier: Apache-2.0

// Where the program starts: words in, text and exit code out.

import Glibc

@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let result = Program.run(Array(CommandLine.arguments.dropFirst()), on: .standardOutput)
        write(result.output, to: STDOUT_FILENO)
        write(result.errors, to: STDERR_FILENO)
        exit(result.status.rawValue)
    }

    /// Writes all of a text and a line's end. Whoever closed the other end of a pipe wants no more, which is no error.
    private static func write(_ text: String, to descriptor: Int32) {
        guard !text.isEmpty else { return }
        let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            written += count
        }
    }
}
