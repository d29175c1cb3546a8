// SPDX-License-Identifier: Apache-2.0

// Reads the binary format: objects, a table with the offset of each, and a trailer with the offset of the table.

import SourceText

/// Reads each object once, however often it is referenced.
struct BinaryReader {
    private struct Known {
        var value: PropertyListValue
        /// The number of values that it expands to, including itself.
        var size: Int
        /// The number of levels of containers in it.
        var height: Int
    }

    private let bytes: [UInt8]
    private let limits: PropertyListLimits
    private let trailer: BinaryTrailer
    private var known: [Known?]
    private var open: Set<Int> = []

    init(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
        self.bytes = bytes
        self.limits = limits
        trailer = try BinaryTrailer(bytes)
        known = Array(repeating: nil, count: trailer.objectCount)
    }

    mutating func root() throws(PropertyListError) -> PropertyListValue {
        try object(trailer.rootIndex, depth: 0).value
    }

    private mutating func object(_ index: Int, depth: Int) throws(PropertyListError) -> Known {
        if let known = known[index] { return known }
        guard depth <= limits.depth else { throw .tooDeep(limits.depth) }
        let entry = trailer.tableOffset + index * trailer.offsetWidth
        guard let offset = Int(exactly: unsigned(at: entry, width: trailer.offsetWidth)),
            offset >= BinaryTrailer.headerLength, offset < trailer.tableOffset
        else {
            throw .damaged("The offset of object \(index) is out of range.", at: entry)
        }
        let marker = bytes[offset]
        let result: Known
        switch marker >> 4 {
        case 0xA, 0xD:
            guard open.insert(index).inserted else { throw .loop(at: offset) }
            result = try container(at: offset, depth: depth)
            open.remove(index)
        default:
            let value = try scalar(marker, at: offset)
            result = Known(value: value, size: 1 + value.byteCount / 8, height: 0)
        }
        guard result.size <= limits.size else { throw .tooLarge(limits.size).placed(at: offset) }
        guard result.height <= limits.depth else { throw .tooDeep(limits.depth).placed(at: offset) }
        known[index] = result
        return result
    }

    private mutating func container(at offset: Int, depth: Int) throws(PropertyListError) -> Known {
        let isDictionary = bytes[offset] >> 4 == 0xD
        let (start, count) = try extent(at: offset, unit: trailer.referenceWidth * (isDictionary ? 2 : 1))
        var size = 1
        var height = 0
        func member(_ place: Int, _ reader: inout BinaryReader) throws(PropertyListError) -> PropertyListValue {
            let known = try reader.object(try reader.reference(at: start, place), depth: depth + 1)
            size += known.size
            height = max(height, known.height)
            // Checked for each member, so that the sum can't overflow.
            guard size <= reader.limits.size else { throw .tooLarge(reader.limits.size).placed(at: offset) }
            return known.value
        }
        if isDictionary {
            var dictionary = PropertyListDictionary()
            for place in 0..<count {
                guard case .string(let key) = try member(place, &self) else {
                    throw .damaged("A key of the dictionary isn't a string.", at: offset)
                }
                guard dictionary[key] == nil else {
                    throw .damaged("The dictionary has the key “\(key.printable())” twice.", at: offset)
                }
                dictionary[key] = try member(count + place, &self)
            }
            return Known(value: .dictionary(dictionary), size: size, height: height + 1)
        }
        var array: [PropertyListValue] = []
        array.reserveCapacity(count)
        for place in 0..<count { array.append(try member(place, &self)) }
        return Known(value: .array(array), size: size, height: height + 1)
    }

    private func reference(at start: Int, _ place: Int) throws(PropertyListError) -> Int {
        let offset = start + place * trailer.referenceWidth
        guard let index = Int(exactly: unsigned(at: offset, width: trailer.referenceWidth)),
            index < trailer.objectCount
        else { throw .damaged("The object number is out of range.", at: offset) }
        return index
    }

    private func scalar(_ marker: UInt8, at offset: Int) throws(PropertyListError) -> PropertyListValue {
        switch (marker >> 4, marker & 0xF) {
        case (0x0, 0x8): return .boolean(false)
        case (0x0, 0x9): return .boolean(true)
        case (0x1, 0...4):
            let width = 1 << Int(marker & 0xF)
            let start = try room(for: width, at: offset + 1)
            let value = unsigned(at: start, width: width)
            // Short integers are unsigned; those of eight or more bytes are signed.
            return .integer(width == 8 ? Int128(Int64(bitPattern: UInt64(value))) : Int128(truncatingIfNeeded: value))
        case (0x2, 2):
            let start = try room(for: 4, at: offset + 1)
            return .real(Double(Float(bitPattern: UInt32(unsigned(at: start, width: 4)))))
        case (0x2, 3): return .real(try double(at: offset + 1))
        case (0x3, 3): return .date(try double(at: offset + 1))
        case (0x4, _):
            let (start, count) = try extent(at: offset, unit: 1)
            return .data(Array(bytes[start..<start + count]))
        case (0x5, _): return .string(try asciiText(at: offset))
        case (0x6, _): return .string(try wideText(at: offset))
        case (0x8, 0...7):
            let width = Int(marker & 0xF) + 1
            let start = try room(for: width, at: offset + 1)
            return .uid(UInt64(unsigned(at: start, width: width)))
        default:
            throw .damaged("No kind of value begins with the byte 0x\(String(marker, radix: 16)).", at: offset)
        }
    }

    private func asciiText(at offset: Int) throws(PropertyListError) -> String {
        let (start, count) = try extent(at: offset, unit: 1)
        let text = bytes[start..<start + count]
        if let index = text.firstIndex(where: { $0 >= 0x80 }) {
            throw .damaged("The byte isn't an ASCII character.", at: index)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func wideText(at offset: Int) throws(PropertyListError) -> String {
        let (start, count) = try extent(at: offset, unit: 2)
        let units = (0..<count).map { UInt16(unsigned(at: start + $0 * 2, width: 2)) }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw .damaged("The text isn't valid UTF-16.", at: start)
        }
        return text
    }

    private func double(at offset: Int) throws(PropertyListError) -> Double {
        let start = try room(for: 8, at: offset)
        return Double(bitPattern: UInt64(unsigned(at: start, width: 8)))
    }

    /// The offset and the count of an object's contents, which are checked to be within the objects.
    private func extent(at offset: Int, unit: Int) throws(PropertyListError) -> (start: Int, count: Int) {
        let short = Int(bytes[offset] & 0xF)
        var start = offset + 1
        var count = short
        if short == 0xF {
            _ = try room(for: 1, at: start)
            let marker = bytes[start]
            guard marker >> 4 == 1, marker & 0xF <= 3 else {
                throw .damaged("A count is expected here.", at: start)
            }
            let width = 1 << Int(marker & 0xF)
            _ = try room(for: width, at: start + 1)
            guard let long = Int(exactly: unsigned(at: start + 1, width: width)) else {
                throw .damaged("The count is larger than the file.", at: start)
            }
            start += 1 + width
            count = long
        }
        let (length, overflows) = count.multipliedReportingOverflow(by: unit)
        guard !overflows else { throw .damaged("The count is larger than the file.", at: offset) }
        return (try room(for: length, at: start), count)
    }

    /// Returns the offset if a number of bytes after it are within the objects.
    private func room(for length: Int, at offset: Int) throws(PropertyListError) -> Int {
        guard offset <= trailer.tableOffset, length <= trailer.tableOffset - offset else {
            throw .damaged("The value continues after the end of the objects.", at: offset)
        }
        return offset
    }

    private func unsigned(at offset: Int, width: Int) -> UInt128 {
        bytes.bigEndian(at: offset, width: width)
    }
}

extension PropertyListValue {
    /// The size of text or data.
    var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        default: 0
        }
    }
}

extension [UInt8] {
    func bigEndian(at offset: Int, width: Int) -> UInt128 {
        self[offset..<offset + width].reduce(0) { $0 << 8 | UInt128($1) }
    }
}
