// SPDX-License-Identifier: Apache-2.0

// Writes the binary format. Containers are written breadth-first, so that deep nesting needs no recursion.

struct BinaryWriter {
    private enum Object {
        case scalar([UInt8])
        /// A marker and the indexes of the members; for a dictionary, the keys first.
        case container(marker: UInt8, [Int])
    }

    private var objects: [Object] = []
    /// The indexes of scalars by their bytes.
    private var scalars: [[UInt8]: Int] = [:]
    private var waiting: [(index: Int, value: PropertyListValue)] = []

    mutating func bytes(of value: PropertyListValue) -> [UInt8] {
        _ = index(of: value)
        var next = 0
        while next < waiting.count {
            let (index, value) = waiting[next]
            next += 1
            switch value {
            case .array(let members): objects[index] = .container(marker: 0xA0, members.map { self.index(of: $0) })
            case .dictionary(let dictionary):
                let keys = dictionary.entries.map { self.index(of: .string($0.key)) }
                objects[index] = .container(marker: 0xD0, keys + dictionary.entries.map { self.index(of: $0.value) })
            default: break
            }
        }
        return file()
    }

    private mutating func index(of value: PropertyListValue) -> Int {
        switch value {
        case .array, .dictionary:
            objects.append(.container(marker: 0, []))
            waiting.append((objects.count - 1, value))
        default:
            let bytes = Self.bytes(ofScalar: value)
            if let index = scalars[bytes] { return index }
            scalars[bytes] = objects.count
            objects.append(.scalar(bytes))
        }
        return objects.count - 1
    }

    private func file() -> [UInt8] {
        let referenceWidth = Self.width(of: objects.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let scalar): bytes += scalar
            case .container(let marker, let members):
                bytes += Self.head(marker, count: marker == 0xD0 ? members.count / 2 : members.count)
                for member in members { bytes.append(bigEndian: UInt128(member), width: referenceWidth) }
            }
        }
        let table = bytes.count
        let offsetWidth = Self.width(of: table)
        for offset in offsets { bytes.append(bigEndian: UInt128(offset), width: offsetWidth) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        for number in [objects.count, 0, table] { bytes.append(bigEndian: UInt128(number), width: 8) }
        return bytes
    }

    private static func bytes(ofScalar value: PropertyListValue) -> [UInt8] {
        switch value {
        case .boolean(let value): return [value ? 0x09 : 0x08]
        case .integer(let value): return bytes(of: value)
        case .real(let value): return bytes(0x23, value.bitPattern)
        case .date(let value): return bytes(0x33, value.bitPattern)
        case .data(let data): return head(0x40, count: data.count) + data
        case .string(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }) { return head(0x50, count: text.utf8.count) + Array(text.utf8) }
            var bytes = head(0x60, count: text.utf16.count)
            for unit in text.utf16 { bytes.append(bigEndian: UInt128(unit), width: 2) }
            return bytes
        case .uid(let uid):
            let width = width(of: UInt128(uid))
            var bytes = [0x80 | UInt8(width - 1)]
            bytes.append(bigEndian: UInt128(uid), width: width)
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
        bytes.append(bigEndian: UInt128(bits), width: 8)
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
    fileprivate mutating func append(bigEndian value: UInt128, width: Int) {
        for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> UInt128(shift)))
        }
    }
}
