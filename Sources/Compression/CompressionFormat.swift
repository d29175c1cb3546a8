// SPDX-License-Identifier: Apache-2.0

// Containers of deflated bytes.

/// The formats of compressed bytes, all of which use deflate.
package enum CompressionFormat: CaseIterable, Hashable, Sendable {
    /// Without a container, as stores cache their models.
    case raw
    /// With a header and a CRC, as in HTTP responses.
    case gzip
    /// With a short header and a checksum.
    case zlib

    /// zlib's code of the format, with the largest window.
    var windowBits: Int32 {
        switch self {
        case .raw: -15
        case .gzip: 15 + 16
        case .zlib: 15
        }
    }
}
