// SPDX-License-Identifier: Apache-2.0

// The web console, embedded in the program.

import CConsole

enum Console {
    /// The content of each file by its path.
    static let files = Dictionary(uniqueKeysWithValues: (0..<outcrop_console_file_count()).map(file))

    private static func file(at index: Int) -> (path: String, bytes: [UInt8]) {
        let file = unsafe outcrop_console_file_at(index)
        // The bytes are constants of the program.
        let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.length)
        return unsafe (String(cString: file.path), Array(bytes))
    }
}
