// SPDX-License-Identifier: Apache-2.0

// Bytes compressed and decompressed.

import Compression
import TestSupport
import Testing

@Suite("Compression")
struct CompressionTests {
    @Test(
        "inflating deflated bytes returns the original bytes",
        arguments: CompressionFormat.allCases,
        SeededGenerator.seeds(10)
    )
    func roundTrip(format: CompressionFormat, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = Self.bytes(Int.random(in: 0...300_000, using: &random), &random)
        let deflated = try bytes.deflated(format, level: Int.random(in: 1...9, using: &random))
        #expect(try deflated.inflated(format, limit: bytes.count) == bytes)
    }

    @Test(
        "inflating bytes deflated in pieces returns the original bytes",
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

    @Test("raw deflate data of other programs can be inflated")
    func knownBytes() throws {
        // A stored block: the last one, of three bytes.
        let stored: [UInt8] = [0x01, 0x03, 0x00, 0xFC, 0xFF, 0x61, 0x62, 0x63]
        #expect(try stored.inflated(limit: 3) == Array("abc".utf8))
    }

    @Test("deflating is deterministic and shrinks repetitive bytes")
    func isDeterministic() throws {
        let bytes = Array(repeating: Array("outcrop ".utf8), count: 1000).flatMap(\.self)
        let deflated = try bytes.deflated()
        #expect(try bytes.deflated() == deflated)
        #expect(deflated.count < 100)
    }

    @Test("inflating stops at the limit")
    func limit() throws {
        let deflated = try [UInt8](repeating: 0, count: 5_000_000).deflated()
        let error = #expect(throws: CompressionError.self) { try deflated.inflated(limit: 1000) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "The decompressed bytes exceed the limit of 1000.")
    }

    @Test("truncated bytes are refused at any length", arguments: CompressionFormat.allCases)
    func endsEarly(format: CompressionFormat) throws {
        let deflated = try Array("One text, and one text more.".utf8).deflated(format)
        for count in deflated.indices {
            let error = #expect(throws: CompressionError.self) {
                try Array(deflated.prefix(count)).inflated(format, limit: 1000)
            }
            #expect(error?.code == .unexpectedEnd, "\(count) bytes")
        }
    }

    @Test("bytes after the end are refused")
    func goesOn() throws {
        let deflated = try Array("text".utf8).deflated()
        let error = #expect(throws: CompressionError.self) { try (deflated + [0]).inflated(limit: 1000) }
        #expect(error?.code == .damaged)
        #expect(error?.offset == deflated.count)
    }

    @Test("damaged bytes never inflate beyond the limit", arguments: SeededGenerator.seeds(20))
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

    /// Partly repetitive bytes, which can be compressed.
    private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { index in random.chance(30) ? .random(in: 0...255, using: &random) : UInt8(index / 7 % 50) }
    }
}
