// SPDX-License-Identifier: Apache-2.0

// Bytes as text, as in published vectors.

extension [UInt8] {
    var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
