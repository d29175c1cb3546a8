// SPDX-License-Identifier: Apache-2.0

// Truncated, mangled or invented input is read or refused, without harm.

import ObjectModel
import TestSupport
import Testing

@Suite("Hostile models")
struct HostileModelTests {
    @Test("truncated XML is refused at any length")
    func truncatedXML() {
        let bytes = Array(everything.utf8)
        for count in 0..<bytes.count {
            #expect(throws: ModelError.self) { try ModelVersion(contents: Array(bytes.prefix(count))) }
        }
    }

    @Test("truncated JSON is refused at any length")
    func truncatedJSON() throws {
        let bytes = try ModelVersion(contents: Array(everything.utf8)).model.json()
        for count in 0..<bytes.count - 1 {
            #expect(throws: ModelError.self) { try ModelFile(json: Array(bytes.prefix(count))) }
        }
    }

    @Test("XML with mangled bytes is refused or read into a model that can be written again", arguments: 1...20)
    func mangledXML(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            guard let version = try? ModelVersion(contents: mangled(Array(everything.utf8), &generator)) else {
                continue
            }
            guard let written = try? version.model.contents() else { continue }
            #expect(try ModelVersion(contents: written).model == version.model, "seed \(seed)")
        }
    }

    @Test("JSON with mangled bytes is refused or read into a model that can be written again", arguments: 1...20)
    func mangledJSON(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = try ModelVersion(contents: Array(everything.utf8)).model.json()
        for _ in 0..<50 {
            guard let file = try? ModelFile(json: mangled(bytes, &generator)), file.current.issues.isEmpty else {
                continue
            }
            #expect(try read(json: file.current.model.jsonText()).model == file.current.model, "seed \(seed)")
        }
    }

    @Test("a model with 20,000 attributes is read and written")
    func many() throws {
        let attributes = (0..<20_000).map { "<attribute name='a\($0)' attributeType='String' x='y'/>" }.joined()
        let version = try read(contents: "<entity name='E'>\(attributes)</entity>")
        #expect(version.model.entities[0].attributes.count == 20_000)
        #expect(version.issues.count == 20_000)
        #expect(try read(json: version.model.jsonText()).model == version.model)
    }

    private func mangled(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<3, using: &generator) {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0x20..<0x7F, using: &generator)
            case 1: bytes.remove(at: index)
            default: bytes.insert(UInt8.random(in: 0x20..<0x7F, using: &generator), at: index)
            }
        }
        return bytes
    }
}
