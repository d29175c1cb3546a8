// SPDX-License-Identifier: Apache-2.0

// The trailer of a binary property list: the location of the table of objects, and the widths of its numbers.

/// A validated trailer: the table is within the file, and the root is one of the objects.
struct BinaryTrailer {
    static let headerLength = 8
    static let length = 32

    let offsetWidth: Int
    let referenceWidth: Int
    let objectCount: Int
    let rootIndex: Int
    let tableOffset: Int

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.starts(with: "bplist00".utf8) else {
            throw .damaged("The version of the binary property list isn't 00.", at: 6)
        }
        let start = bytes.count - Self.length
        guard start > Self.headerLength else {
            throw .damaged("The file ends before its trailer.", at: bytes.count)
        }
        func number(at offset: Int) throws(PropertyListError) -> Int {
            guard let number = Int(exactly: bytes.bigEndian(at: start + offset, width: 8)), number < bytes.count else {
                throw .damaged("The number in the trailer is larger than the file.", at: start + offset)
            }
            return number
        }
        offsetWidth = Int(bytes[start + 6])
        referenceWidth = Int(bytes[start + 7])
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else {
            throw .damaged("The trailer has a number size other than 1 to 8 bytes.", at: start + 6)
        }
        objectCount = try number(at: 8)
        rootIndex = try number(at: 16)
        tableOffset = try number(at: 24)
        guard rootIndex < objectCount else { throw .damaged("The root isn't one of the objects.", at: start + 16) }
        guard tableOffset > Self.headerLength, tableOffset <= start,
            objectCount <= (start - tableOffset) / offsetWidth
        else { throw .damaged("The table of objects is out of range.", at: start + 24) }
    }
}
