// SPDX-License-Identifier: Apache-2.0

// The binary format: small, fast to read, and protected by a checksum.

public import ObjectGraph

extension AtomicFileFormat where Self == BinaryStoreFormat {
    /// A compact format with a checksum that detects corruption.
    public static var binary: BinaryStoreFormat { BinaryStoreFormat() }
}

/// The format of binary stores.
///
///     8 bytes   OUTCROP and a zero
///     4 bytes   the version of the format
///     8 bytes   the number of bytes after the checksum
///     4 bytes   the CRC-32 of these bytes
///     the head, the names of each entity's properties, then the objects by entity
///
/// Numbers of fixed size are little-endian; all others, including counts, are varints.
public struct BinaryStoreFormat: AtomicFileFormat {
    public var storeType: String { "Binary" }

    static let magic: [UInt8] = Array("OUTCROP\0".utf8)
    static let version: UInt32 = 1
    static let headerSize = 24
    /// The nesting of values.
    static let depthLimit = 48

    public init() {}

    public func read(_ bytes: [UInt8], model: ManagedObjectModel) throws(StoreFileError) -> StoreContent {
        var reader = ByteReader(bytes)
        guard bytes.starts(with: Self.magic) else { throw .otherType(storeType, at: .offset(0)) }
        reader.offset = Self.magic.count
        let version = try reader.fixed(UInt32.self)
        guard version == Self.version else {
            throw .newerFormat("\(version)", known: Int(Self.version), at: .offset(Self.magic.count))
        }
        let count = try reader.fixed(UInt64.self)
        guard count == UInt64(bytes.count - min(bytes.count, Self.headerSize)) else {
            throw .damaged("The file's length isn't the recorded one.", at: .offset(bytes.count))
        }
        guard try reader.fixed(UInt32.self) == CRC32.checksum(of: bytes[Self.headerSize...]) else {
            throw .damaged("The checksum doesn't match the content.", at: .offset(Self.headerSize - 4))
        }
        var content = BinaryStoreReader(model: model, bytes: reader)
        return try content.content()
    }

    public func write(_ content: StoreContent, model: ManagedObjectModel) throws(StoreFileError) -> [UInt8] {
        var writer = BinaryStoreWriter()
        try writer.write(content, model: model)
        var header = ByteWriter()
        header.bytes = Self.magic
        header.fixed(Self.version)
        header.fixed(UInt64(writer.output.bytes.count))
        header.fixed(CRC32.checksum(of: writer.output.bytes[...]))
        return header.bytes + writer.output.bytes
    }
}

/// The type of a value, written before it.
enum ValueTag: UInt8 {
    case null
    case no
    case yes
    case integer
    case double
    case decimal
    case string
    case date
    case data
    case uuid
    case uri
    case reference
    case array
    case dictionary
}
