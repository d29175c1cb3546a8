// SPDX-License-Identifier: Apache-2.0

// What may stand around deflated bytes.

/// The formats of compressed bytes, all of which are deflated within.
public enum CompressionFormat: CaseIterable, Hashable, Sendable {
    /// Nothing around them, as stores keep their models.
    case raw
    /// A header with a date and a name, and a checksum at the end, as in answers of web servers.
    case gzip
    /// A short header and a checksum.
    case zlib

    /// How zlib is told of it, together with the largest window.
    var windowBits: Int32 {
        switch self {
        case .raw: -15
        case .gzip: 15 + 16
        case .zlib: 15
        }
    }
}
