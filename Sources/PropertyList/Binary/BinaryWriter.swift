// SPDX-License-Identifier: Apache-2.0

// Writes the binary format. Containers are written breadth-first, so that deep nesting needs no recursion.

/// It takes little more memory than the bytes that it writes, however many objects they have.
struct BinaryWriter {
    /// The range of a scalar in `scalars`, or a container's marker and the range of its members in `members`; for a
    /// dictionary, the keys first.
    private struct Object {
        var marker: UInt8?
        var range = 0..<0
    }

    private var objects: [Object] = []
    private var scalars: [UInt8] = []
    private var members: [Int] = []
    /// The indexes of scalars by their bytes, and of UIDs by their values.
    private var indexes: [[UInt8]: Int] = [:]
    private var places: [UInt64: Int] = [:]
    private var waiting: [(index: Int, value: PropertyListValue)] = []

    mutating func bytes(of value: PropertyListValue) -> [UInt8] {
        _ = index(of: value)
        while !waiting.isEmpty {
            let level = waiting
            waiting = []
            for (index, value) in level { addMembers(of: value, at: index) }
        }
        return file()
    }

    private mutating func addMembers(of value: PropertyListValue, at index: Int) {
        let start = members.count
        switch value {
        case .array(let values):
            for value in values { members.append(self.index(of: value)) }
        case .dictionary(let dictionary):
            for entry in dictionary.entries { members.append(self.index(of: .string(entry.key))) }
            for entry in dictionary.entries { members.append(self.index(of: entry.value)) }
        default: break
        }
        objects[index].range = start..<members.count
    }

    private mutating func index(of value: PropertyListValue) -> Int {
        let index = objects.count
        switch value {
        case .array, .dictionary:
            objects.append(Object(marker: value.array == nil ? 0xD0 : 0xA0))
            waiting.append((index, value))
            return index
        case .uid(let uid):
            if let known = places[uid] { return known }
            places[uid] = index
            append(scalar: Self.bytes(ofScalar: value))
            return index
        default:
            let bytes = Self.bytes(ofScalar: value)
            if let known = indexes[bytes] { return known }
            indexes[bytes] = index
            append(scalar: bytes)
            return index
        }
    }

    private mutating func append(scalar bytes: [UInt8]) {
        objects.append(Object(marker: nil, range: scalars.count..<scalars.count + bytes.count))
        scalars += bytes
    }

    private func file() -> [UInt8] {
        let referenceWidth = Self.width(of: objects.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        offsets.reserveCapacity(objects.count)
        for object in objects {
            offsets.append(bytes.count)
            guard let marker = object.marker else {
                bytes += scalars[object.range]
                continue
            }
            bytes += Self.head(marker, count: marker == 0xD0 ? object.range.count / 2 : object.range.count)
            for member in members[object.range] { bytes.append(bigEndian: UInt64(member), width: referenceWidth) }
        }
        let table = bytes.count
        let offsetWidth = Self.width(of: table)
        for offset in offsets { bytes.append(bigEndian: UInt64(offset), width: offsetWidth) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        for number in [objects.count, 0, table] { bytes.append(bigEndian: UInt64(number), width: 8) }
        return bytes
    }

    /// The encoding of a value that isn't a container.
    static func bytes(ofScalar value: PropertyListValue) -> [UInt8] {
        switch value {
        case .boolean(let value): return [value ? 0x09 : 0x08]
        case .integer(let value): return bytes(of: value)
        case .real(let value): return bytes(0x23, value.bitPattern)
        case .date(let value): return bytes(0x33, value.bitPattern)
        case .data(let data): return head(0x40, count: data.count) + data
        case .string(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }) { return head(0x50, count: text.utf8.count) + Array(text.utf8) }
            var bytes = head(0x60, count: text.utf16.count)
            for unit in text.utf16 { bytes.append(bigEndian: unit, width: 2) }
            return bytes
        case .uid(let uid):
            let width = width(of: uid)
            var bytes = [0x80 | UInt8(width - 1)]
            bytes.append(bigEndian: uid, width: width)
            return bytes
        case .array, .dictionary: return []
        }
    }

    /// The shortest form; negative numbers need eight bytes.
    private static func bytes(of value: Int128) -> [UInt8] {
        let width = Int64(exactly: value) == nil ? 16 : value < 0 ? 8 : width(of: UInt128(value))
        var bytes = [0x10 | UInt8(width.trailingZeroBitCount)]
        bytes.append(bigEndian: UInt128(truncatingIfNeeded: value), width: width)
        return bytes
    }

    private static func bytes(_ marker: UInt8, _ bits: UInt64) -> [UInt8] {
        var bytes = [marker]
        bytes.append(bigEndian: bits, width: 8)
        return bytes
    }

    private static func head(_ marker: UInt8, count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0xF] + bytes(of: Int128(count))
    }

    private static func width(of number: some BinaryInteger) -> Int {
        [1, 2, 4].first { number < UInt64(1) << (UInt64($0) * 8) } ?? 8
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger, width: Int) {
        for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
