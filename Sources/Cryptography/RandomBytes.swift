// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// Random bytes for keys, tokens and salts.
package enum RandomBytes {
    /// Traps if the system has no randomness, since nothing that is secret can be made then.
    package static func make(count: Int) -> [UInt8] {
        Library.prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe RAND_bytes(&bytes, CInt(count))
        precondition(result == 1, "OpenSSL has no random numbers")
        return bytes
    }
}
