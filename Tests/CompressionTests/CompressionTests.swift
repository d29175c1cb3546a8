// SPDX-License-Identifier: Apache-2.0

// Compressed bytes, there and back.

import Compression
import TestSupport
import Testing

@Suite("Compression")
struct CompressionTests {
    @Test("gives back what was deflated", arguments: CompressionFormat.allCases, SeededGenerator.seeds(10))
    func roundTrip(format: CompressionFormat, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = Self.bytes(Int.random(in: 0...300_000, using: &random), &random)
        let deflated = try bytes.deflated(format, level: Int.random(in: 1...9, using: &random))
        #expect(try deflated.inflated(format, limit: bytes.count) == bytes)
    }

    @Test(
        "gives back what was deflated piece by piece",
        arguments: CompressionFormat.allCases,
        SeededGenerator.seeds(10)
    )
    func pieces(format: CompressionFormat, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = Self.bytes(Int.random(in: 0...300_000, using: &random), &random)
        var deflater = try Deflater(format, level: Int.random(in: 1...9, using: &random))
        var deflated: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...100_000, using: &random))
            deflated += try deflater.deflate(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        deflated += try deflater.finish()
        #expect(try deflated.inflated(format, limit: bytes.count) == bytes)
    }

    @Test("knows raw deflate as others write it")
    func knownBytes() throws {
        // A block that is stored as it is: the last one, of three bytes.
        let stored: [UInt8] = [0x01, 0x03, 0x00, 0xFC, 0xFF, 0x61, 0x62, 0x63]
        #expect(try stored.inflated(limit: 3) == Array("abc".utf8))
    }

    @Test("writes the same bytes each time, which are fewer where there is something to save")
    func isDeterministic() throws {
        let bytes = Array(repeating: Array("outcrop ".utf8), count: 1000).flatMap(\.self)
        let deflated = try bytes.deflated()
        #expect(try bytes.deflated() == deflated)
        #expect(deflated.count < 100)
    }

    @Test("stops where there would be more bytes than are allowed")
    func limit() throws {
        let deflated = try [UInt8](repeating: 0, count: 5_000_000).deflated()
        let error = #expect(throws: CompressionError.self) { try deflated.inflated(limit: 1000) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "Inflated, the bytes are more than the 1000 that are allowed.")
    }

    @Test("refuses bytes that end early, wherever that is", arguments: CompressionFormat.allCases)
    func endsEarly(format: CompressionFormat) throws {
        let deflated = try Array("One text, and one text more.".utf8).deflated(format)
        for count in deflated.indices {
            let error = #expect(throws: CompressionError.self) {
                try Array(deflated.prefix(count)).inflated(format, limit: 1000)
            }
            #expect(error?.code == .unexpectedEnd, "\(count) bytes")
        }
    }

    @Test("refuses what stands after the end")
    func goesOn() throws {
        let deflated = try Array("text".utf8).deflated()
        let error = #expect(throws: CompressionError.self) { try (deflated + [0]).inflated(limit: 1000) }
        #expect(error?.code == .damaged)
        #expect(error?.offset == deflated.count)
    }

    @Test("takes damaged bytes for no more than they are", arguments: SeededGenerator.seeds(20))
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for format in CompressionFormat.allCases {
            var deflated = try Self.bytes(1000, &random).deflated(format)
            for _ in 0..<3 {
                deflated[Int.random(in: deflated.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            let inflated = (try? deflated.inflated(format, limit: 2000)) ?? []
            #expect(inflated.count <= 2000)
        }
    }

    /// Bytes that are partly alike, so that there is something to find in them.
    private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { index in random.chance(30) ? .random(in: 0...255, using: &random) : UInt8(index / 7 % 50) }
    }
}
