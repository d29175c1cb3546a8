// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// The keyed hash of RFC 2104 with SHA-256.
package enum HMACSHA256 {
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.count)
        let result = unsafe HMAC(
            MessageDigest.sha256.pointer,
            key,
            CInt(key.count),
            message,
            message.count,
            &code,
            nil
        )
        precondition(unsafe result != nil, "OpenSSL has no memory")
        return code
    }
}
