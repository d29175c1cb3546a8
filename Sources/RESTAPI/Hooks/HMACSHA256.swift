// SPDX-License-Identifier: Apache-2.0

// The keyed hash of RFC 2104 with SHA-256.

import ObjectModel

enum HMACSHA256 {
    static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockSize ? digest([key]) : key
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        let inner = digest([block.map { $0 ^ 0x36 }, message])
        return digest([block.map { $0 ^ 0x5C }, inner])
    }

    private static let blockSize = 64

    private static func digest(_ parts: [[UInt8]]) -> [UInt8] {
        var hash = SHA256()
        for part in parts { hash.add(part) }
        return hash.digest
    }
}
