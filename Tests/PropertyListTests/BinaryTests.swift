// SPDX-License-Identifier: Apache-2.0

// The binary format of property lists.

import PropertyList
import TestSupport
import Testing

@Suite("Binary property lists")
struct BinaryTests {
    @Test("a binary property list is read back as written", arguments: SeededGenerator.seeds(200))
    func roundTrip(seed: UInt64) throws {
        var random = RandomPropertyList(seed: seed)
        let value = random.value()
        #expect(try PropertyListValue(parsing: value.binary()) == value)
    }

    @Test(
        "integers of all widths are read back as written",
        arguments: [
            0, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, Int128(Int64.max), Int128(Int64.max) + 1,
            Int128(UInt64.max), -1, Int128(Int64.min), .max, .min,
        ] as [Int128]
    )
    func integers(value: Int128) throws {
        #expect(try PropertyListValue(parsing: PropertyListValue.integer(value).binary()) == .integer(value))
    }

    @Test("the bytes of a binary property list are stable across versions")
    func knownBytes() throws {
        let list: PropertyListValue = ["on": true, "é": ["on", 300]]
        let bytes: [UInt8] =
            Array("bplist00".utf8)
            + [0xD2, 1, 2, 3, 4]  // two entries
            + [0x52, 0x6F, 0x6E]  // on
            + [0x61, 0x00, 0xE9]  // é
            + [0x09]  // true
            + [0xA2, 1, 5]  // on again, and
            + [0x11, 0x01, 0x2C]  // 300
            + [8, 13, 16, 19, 20, 23]
            + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 26]
        #expect(list.binary() == bytes)
        #expect(try PropertyListValue(parsing: bytes) == list)
    }

    @Test("reals of four bytes and texts with an explicit length are read")
    func otherForms() throws {
        #expect(try Self.read([0x22, 0x3F, 0xC0, 0, 0]) == 1.5)
        #expect(try Self.read([0x5F, 0x10, 0x01, 0x61]) == "a")
    }

    @Test(
        "a damaged binary property list is refused with the position of the damage",
        arguments: [
            ([0x00], 8, "No kind of value begins with the byte 0x0."),
            ([0x15], 8, "No kind of value begins with the byte 0x15."),
            ([0x51, 0x80], 9, "The byte isn't an ASCII character."),
            ([0x61, 0xD8, 0x00], 9, "The text isn't valid UTF-16."),
            ([0x13, 0, 0], 9, "The value continues after the end of the objects."),
            (
                [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 18,
                "The value continues after the end of the objects."
            ),
            ([0xAF, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], 9, "The count is larger than the file."),
            ([0xAF, 0x20], 9, "A count is expected here."),
            ([0xA1, 0], 8, "The container contains itself."),
            ([0xA1, 1], 9, "The object number is out of range."),
            ([0xD1, 0, 0], 8, "The container contains itself."),
        ] as [([UInt8], Int, String)]
    )
    func damage(object: [UInt8], offset: Int, message: String) {
        let error = #expect(throws: PropertyListError.self) { try Self.read(object) }
        #expect(error?.description == "byte \(offset): \(message)")
    }

    @Test("a huge object offset is refused")
    func largeOffset() {
        let bytes: [UInt8] =
            Array("bplist00".utf8) + [0x08] + Array(repeating: 0xFF, count: 8) + [0, 0, 0, 0, 0, 0, 8, 1]
            + [[1], [0], [9]].flatMap { Array(repeating: 0, count: 7) + $0 }
        let error = #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: bytes) }
        #expect(error?.description == "byte 9: The offset of object 0 is out of range.")
    }

    @Test("dictionary keys that aren't texts or occur twice are refused")
    func keys() {
        let number = #expect(throws: PropertyListError.self) { try Self.read([0xD1, 1, 1], [0x10, 1]) }
        #expect(number?.message == "A key of the dictionary isn't a string.")
        let twice = #expect(throws: PropertyListError.self) { try Self.read([0xD2, 1, 1, 1, 1], [0x51, 0x61]) }
        #expect(twice?.message == "The dictionary has the key “a” twice.")
    }

    @Test("a container that contains itself through others is refused")
    func loop() {
        let error = #expect(throws: PropertyListError.self) { try Self.read([0xA1, 1], [0xA1, 2], [0xA1, 0]) }
        #expect(error?.code == .loop)
    }

    @Test("a shared value can be used twice, but not to exceed the size limit")
    func sharing() throws {
        #expect(try Self.read([0xA2, 1, 1], [0xA1, 2], [0x10, 7]) == [[7], [7]])
        let doubling = (1...60).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x10, 7]]
        let error = #expect(throws: PropertyListError.self) { try Self.read(objects: doubling) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("nesting is limited in depth, for shared containers as well")
    func depth() throws {
        func nested(_ count: Int) -> [[UInt8]] { (1..<count).map { [0xA1, UInt8($0)] } + [[0xA0]] }
        _ = try Self.read(objects: nested(100))
        let error = #expect(throws: PropertyListError.self) { try Self.read(objects: nested(102)) }
        #expect(error?.code == .limitExceeded)
        // The deep container has already been read when it is used at a greater depth.
        let late: [[UInt8]] = [[0xA2, 90, 1]] + Array(nested(150).dropFirst())
        #expect(throws: PropertyListError.self) { try Self.read(objects: late) }
    }

    @Test("a binary property list truncated at any byte is refused")
    func endsEarly() {
        let bytes = (["key": [1, 2.5, "text"]] as PropertyListValue).binary()
        for count in bytes.indices {
            #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: Array(bytes.prefix(count))) }
        }
    }

    @Test(
        "a randomly damaged binary property list is refused, or read as a value that can be written",
        arguments: SeededGenerator.seeds(50)
    )
    func mutations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var lists = RandomPropertyList(seed: seed)
        let original = lists.value().binary()
        for _ in 0..<100 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let value = try? PropertyListValue(parsing: bytes, limits: PropertyListLimits(size: 100_000)) else {
                continue
            }
            // Compared as bytes, since NaN isn't equal to itself.
            #expect(try PropertyListValue(parsing: value.binary()).binary() == value.binary())
        }
    }

    private static func read(_ objects: [UInt8]...) throws -> PropertyListValue { try read(objects: objects) }

    /// Reads a file of these objects, of which the first is the root.
    private static func read(objects: [[UInt8]]) throws -> PropertyListValue {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let offset = bytes.count
        bytes += table + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [objects.count, 0, offset] {
            bytes += [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)]
        }
        return try PropertyListValue(parsing: bytes)
    }
}
