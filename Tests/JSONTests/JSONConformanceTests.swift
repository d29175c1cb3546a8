// SPDX-License-Identifier: Apache-2.0
// What RFC 8259 defines as valid, what it refuses, and what it leaves to implementations, category by category.

import JSON
import Testing

/// A category: accepted texts with their values, refused texts with their reasons, and implementation-defined texts.
struct ConformanceCategory: Sendable, CustomTestStringConvertible {
    /// Bytes, and the compact text of their value.
    typealias Accepted = (bytes: [UInt8], text: String)
    typealias Refused = (bytes: [UInt8], code: JSONError.Code)

    let name: String
    var valid: [Accepted] = []
    var invalid: [Refused] = []
    /// Valid by the grammar, or an extension that the RFC allows.
    var accepted: [Accepted] = []
    var refused: [Refused] = []

    var testDescription: String { name }
}

@Suite("JSON conformance") struct JSONConformanceTests {
    @Test("a valid JSON text is read as its value", arguments: ConformanceCategory.all)
    func valid(category: ConformanceCategory) throws {
        try expect(category.valid)
    }

    @Test("an invalid JSON text is refused with the right code", arguments: ConformanceCategory.all)
    func invalid(category: ConformanceCategory) throws {
        try expect(category.invalid)
    }

    @Test(
        "an implementation-defined JSON text is accepted or refused as documented",
        arguments: ConformanceCategory.all
    )
    func implementationDefined(category: ConformanceCategory) throws {
        try expect(category.accepted)
        try expect(category.refused)
    }

    @Test("each category has valid and invalid texts")
    func completeness() {
        for category in ConformanceCategory.all {
            #expect(!category.valid.isEmpty && !category.invalid.isEmpty, "\(category.name)")
        }
    }

    private func expect(_ accepted: [ConformanceCategory.Accepted]) throws {
        for (bytes, text) in accepted {
            let value = try? JSONValue(parsing: bytes)
            #expect(value?.serialized() == text, "\(String(decoding: bytes, as: UTF8.self))")
            // Written text is read back as the same value.
            #expect(try JSONValue(parsing: text) == value)
        }
    }

    private func expect(_ refused: [ConformanceCategory.Refused]) throws {
        for (bytes, code) in refused {
            let text = String(decoding: bytes, as: UTF8.self)
            let error = #expect(throws: JSONError.self, "\(text)") { try JSONValue(parsing: bytes) }
            #expect(error?.code == code, "\(text): \(error?.description ?? "")")
        }
    }
}
