// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import AtomicStores

@Suite("File formats of atomic stores")
struct FormatTests {
    let model: ManagedObjectModel
    let smallModel: ManagedObjectModel

    init() throws {
        model = try Fixture.model.get()
        smallModel = try Fixture.small.get()
    }

    @Test("random content is read back as written", arguments: FileFormat.allCases, SeededGenerator.seeds(20))
    func roundTrip(format: FileFormat, seed: UInt64) throws {
        let content = try Fixture.content(seed: seed, of: model)
        let bytes = try format.format.write(content, model: model)
        let read = try format.format.read(bytes, model: model)
        #expect(read.head == content.head)
        for (one, other) in zip(read.objects, content.objects) {
            for slot in one.attributes.indices { #expect(one.attributes[slot] == other.attributes[slot]) }
        }
        #expect(read.objects == content.objects)
        #expect(try format.format.write(read, model: model) == bytes)
    }

    @Test(
        "content loaded into memory is written as it was read",
        arguments: FileFormat.allCases,
        SeededGenerator.seeds(20)
    )
    func memory(format: FileFormat, seed: UInt64) throws {
        var content = try Fixture.content(seed: seed, of: model)
        content.objects = try AtomicState(content, in: model).objects(in: model)
        let read = try format.format.read(format.format.write(content, model: model), model: model)
        #expect(try AtomicState(read, in: model).objects(in: model) == content.objects)
    }

    @Test("writing a value that is nested too deeply fails", arguments: FileFormat.allCases)
    func depth(format: FileFormat) throws {
        var content = try Fixture.content(seed: 1, of: model)
        var value = Value.integer(1)
        for _ in 0..<46 { value = .array([value]) }
        content.head.metadata.values = ["deep": value]
        #expect(try format.format.read(format.format.write(content, model: model), model: model) == content)
        for _ in 0..<4000 { value = .array([value]) }
        content.head.metadata.values = ["deep": value]
        let error = #expect(throws: StoreFileError.self) { try format.format.write(content, model: model) }
        #expect(error?.code == .unwritable)
    }

    @Test("a truncated file is refused", arguments: FileFormat.allCases)
    func truncation(format: FileFormat) throws {
        let bytes = try small(format)
        let last = format == .xml ? bytes.count - 1 : bytes.count
        for count in 0..<last {
            #expect(throws: StoreFileError.self) { try format.format.read(Array(bytes[..<count]), model: smallModel) }
        }
    }

    @Test("any changed byte in a binary file is detected", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func changedByte(mask: UInt8) throws {
        let bytes = try small(.binary)
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] ^= mask
            let error = #expect(throws: StoreFileError.self) {
                try FileFormat.binary.format.read(damaged, model: smallModel)
            }
            #expect(error?.place != nil)
        }
    }

    @Test(
        "damaged bytes with a correct checksum are read or refused without a crash",
        arguments: SeededGenerator.seeds(2)
    )
    func hostileBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = try small(.binary)
        for offset in BinaryStoreFormat.headerSize..<bytes.count {
            var damaged = bytes
            damaged[offset] = UInt8.random(in: .min ... .max, using: &random)
            if random.chance(50) { damaged[min(offset + 1, bytes.count - 1)] = random.chance(50) ? 0xFF : 0x7F }
            let sum = CRC32.checksum(of: damaged[BinaryStoreFormat.headerSize...])
            for index in 0..<4 { damaged[20 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
            try readsOrRefuses(damaged, .binary)
        }
    }

    @Test("a changed character in an XML file is read or refused without a crash", arguments: SeededGenerator.seeds(2))
    func hostileText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = try small(.xml)
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] = "<>\"'&/-019 ax=".utf8.randomElement(using: &random) ?? 0
            try readsOrRefuses(damaged, .xml)
        }
    }

    @Test("the checksum is CRC-32")
    func checksum() {
        #expect(CRC32.checksum(of: Array("123456789".utf8)[...]) == 0xCBF4_3926)
    }

    @Test("contradictory content is refused with a message that names the contradiction", arguments: Contradiction.all)
    func contradictions(contradiction: Contradiction) throws {
        var content = try Fixture.content(seed: 3, of: model)
        let box = try #require(model.entity(named: "Box"))
        let item = try #require(model.entity(named: "Item"))
        let label = try #require(model.entity(named: "Label"))
        content.head.lastReference = 9
        content.objects = [
            FileObject(entity: item, reference: 1, version: 1), FileObject(entity: box, reference: 2, version: 1),
            FileObject(entity: label, reference: 3, version: 1),
        ]
        #expect(throws: Never.self) { try AtomicState(content, in: model) }
        contradiction.change(&content)
        let error = #expect(throws: StoreFileError.self) { try AtomicState(content, in: model) }
        #expect(error?.description == contradiction.message)
    }

    struct Contradiction: Sendable, CustomTestStringConvertible {
        let message: String
        let change: @Sendable (inout StoreContent) -> Void

        var testDescription: String { message }

        static let all = [
            Contradiction(message: "Two objects have the reference 2.") { $0.objects[0].reference = 2 },
            Contradiction(message: "Item 10 has a reference or a version that was never assigned.") {
                $0.objects[0].reference = 10
            },
            Contradiction(message: "Item 1 has a reference or a version that was never assigned.") {
                $0.objects[0].version = .max
            },
            Contradiction(message: "“box” of Item 1 refers to a Label.") { $0.objects[0].toOnes[0] = 3 },
            Contradiction(message: "“box” of Item 1 has a reference that was never assigned.") {
                $0.objects[0].toOnes[0] = 12
            },
            Contradiction(message: "“items” of Label 3 refers to the object 4, which doesn't exist.") {
                $0.objects[2].toManys[0] = [4]
            },
            Contradiction(message: "Box 4 has the same unique values as another object.") {
                $0.objects[1].attributes[0] = "same"
                var copy = $0.objects[1]
                copy.reference = 4
                $0.objects.append(copy)
            },
            Contradiction(message: "The last reference of the store is out of range.") { $0.head.lastReference = .max },
        ]
    }

    /// A small file with every kind of content.
    private func small(_ format: FileFormat) throws -> [UInt8] {
        try format.format.write(Fixture.content(seed: 5, of: smallModel), model: smallModel)
    }

    private func readsOrRefuses(_ bytes: [UInt8], _ format: FileFormat) throws {
        do throws(StoreFileError) {
            let content = try format.format.read(bytes, model: smallModel)
            let state = try AtomicState(content, in: smallModel)
            let again = StoreContent(head: content.head, objects: state.objects(in: smallModel))
            _ = try format.format.write(again, model: smallModel)
        } catch {
            #expect([.damaged, .otherModel, .otherType, .newerFormat].contains(error.code), "\(error)")
        }
    }
}
