// SPDX-License-Identifier: Apache-2.0

// Conversion between bytes and values.

extension PropertyListValue {
    /// Parses a property list in binary or XML format.
    package init(parsing bytes: [UInt8], limits: PropertyListLimits = .default) throws(PropertyListError) {
        if bytes.starts(with: "bplist".utf8) {
            var reader = try BinaryReader(bytes, limits: limits)
            self = try reader.root()
        } else if Self.looksLikeXML(bytes) {
            self = try XMLPropertyList.read(bytes, limits: limits)
        } else {
            throw .notAPropertyList
        }
    }

    /// The binary format. Equal values have equal bytes, and equal scalars are written once.
    package func binary() -> [UInt8] {
        var writer = BinaryWriter()
        return writer.bytes(of: self)
    }

    /// The XML format. Dates lose fractions of a second.
    package func xml() throws(PropertyListError) -> [UInt8] {
        try XMLPropertyList.written(self)
    }

    private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.dropFirst(bytes.starts(with: byteOrderMark) ? 3 : 0).first { $0 > 0x20 } == UInt8(ascii: "<")
    }
}
