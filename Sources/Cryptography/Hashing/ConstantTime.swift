// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// Comparisons whose duration tells nothing about the bytes, for secrets.
package enum ConstantTime {
    /// Whether the bytes are the same. Only a difference in length shortens the comparison.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
