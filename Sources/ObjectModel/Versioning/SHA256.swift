// SPDX-License-Identifier: Apache-2.0

// The SHA-256 digest of FIPS 180-4.

/// The digest of a message that is added whole or in pieces.
///
///     var hash = SHA256()
///     while let piece = try body.read() { hash.add(piece) }
///     let digest = hash.digest
package struct SHA256: Sendable {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var schedule = [UInt32](repeating: 0, count: 64)
    /// The bytes of an incomplete block.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    static func digest(of message: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.add(message)
        return hash.digest
    }

    /// Adds the next bytes of the message.
    package mutating func add(_ bytes: [UInt8]) {
        count += UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(64 - rest.count, bytes.count)
            rest += bytes[..<start]
            guard rest.count == 64 else { return }
            addBlock(rest, 0)
            rest.removeAll(keepingCapacity: true)
        }
        while bytes.count - start >= 64 {
            addBlock(bytes, start)
            start += 64
        }
        rest += bytes[start...]
    }

    /// The digest of the bytes so far; more can be added afterwards.
    package var digest: [UInt8] {
        var hash = self
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - rest.count) % 64)
        hash.add(padding + (count * 8).bigEndianBytes)
        return hash.state.flatMap(\.bigEndianBytes)
    }

    private mutating func addBlock(_ bytes: [UInt8], _ start: Int) {
        for t in 0..<16 {
            let place = start + t * 4
            schedule[t] =
                UInt32(bytes[place]) &<< 24 | UInt32(bytes[place + 1]) &<< 16 | UInt32(bytes[place + 2]) &<< 8
                | UInt32(bytes[place + 3])
        }
        for t in 16..<64 {
            let x = schedule[t - 15]
            let y = schedule[t - 2]
            let s0 = x.rotated(7) ^ x.rotated(18) ^ x &>> 3
            let s1 = y.rotated(17) ^ y.rotated(19) ^ y &>> 10
            schedule[t] = schedule[t - 16] &+ s0 &+ schedule[t - 7] &+ s1
        }

        var a = state[0]
        var b = state[1]
        var c = state[2]
        var d = state[3]
        var e = state[4]
        var f = state[5]
        var g = state[6]
        var h = state[7]
        for t in 0..<64 {
            let s1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let t1 = h &+ s1 &+ (e & f ^ ~e & g) &+ Self.constants[t] &+ schedule[t]
            let s0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let t2 = s0 &+ (a & b ^ a & c ^ b & c)
            h = g
            g = f
            f = e
            e = d &+ t1
            d = c
            c = b
            b = a
            a = t1 &+ t2
        }
        for (i, word) in [a, b, c, d, e, f, g, h].enumerated() {
            state[i] &+= word
        }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension FixedWidthInteger {
    /// The bytes of the number, most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}

extension UInt32 {
    /// Masking shifts by the same type are single instructions even in debug builds, where hashing megabytes would
    /// otherwise take seconds.
    fileprivate func rotated(_ count: UInt32) -> UInt32 {
        self &>> count | self &<< (32 &- count)
    }
}
