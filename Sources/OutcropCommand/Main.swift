// SPDX-License-Identifier: Apache-2.0

// Where the program starts: words in, text and exit code out.

import Glibc

@main
enum Main {
    static func main() {
        let result = Program.run(Array(CommandLine.arguments.dropFirst()), on: .standardOutput)
        write(result.output, to: stdout)
        write(result.errors, to: stderr)
        exit(result.status.rawValue)
    }

    private static func write(_ text: String, to stream: UnsafeMutablePointer<FILE>) {
        guard !text.isEmpty else { return }
        unsafe fputs(text.hasSuffix("\n") ? text : text + "\n", stream)
    }
}
