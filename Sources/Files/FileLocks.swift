// SPDX-License-Identifier: Apache-2.0

// Finds the processes that hold locks on a file.

import Glibc

extension FileSystem {
    /// The numbers of other processes that hold a lock on a file, as far as the system shows them.
    ///
    /// Opening the file to ask for its locks isn't possible: closing it again would release those of this process.
    ///
    /// - Parameter isWriting: Whether only locks for writing count.
    package static func lockHolders(of path: String, isWriting: Bool = false) -> [Int] {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return [] }
        let numbers = [major(of: status.st_dev), minor(of: status.st_dev)]
        let file = numbers.map(hexadecimal).joined(separator: ":") + ":\(status.st_ino)"
        // 3: FLOCK  ADVISORY  WRITE 4711 fe:00:16262515 0 EOF
        return processText(at: "/proc/locks").split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(where: { $0 == "WRITE" || $0 == "READ" && !isWriting }),
                words.indices.contains(place + 2), words[place + 2] == file, let number = Int(words[place + 1]),
                number > 0, number != getpid()
            else { return nil }
            return number
        }
    }

    /// The major number of a device, as the system's macros compute it.
    private static func major(of device: dev_t) -> dev_t { device >> 8 & 0xFFF | device >> 32 & ~0xFFF }

    private static func minor(of device: dev_t) -> dev_t { device & 0xFF | device >> 12 & ~0xFF & 0xFFFF_FFFF }

    private static func hexadecimal(_ number: dev_t) -> String {
        (number < 16 ? "0" : "") + String(number, radix: 16)
    }

    /// The text of a file in /proc, whose size is unknown; empty if it can't be read.
    package static func processText(at path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += piece[..<count]
        }
    }
}
