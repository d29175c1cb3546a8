// SPDX-License-Identifier: Apache-2.0
// What RFC 8259 has as valid, what it refuses, and what it leaves to a reader, category by category.

import JSON
import Testing

/// One category: what is read, and as what; what is refused, and for which reason; and how what is left to a reader is decided.
struct ConformanceCategory: Sendable, CustomTestStringConvertible {
    /// Bytes, and the compact text of the value that they are.
    typealias Accepted = (bytes: [UInt8], text: String)
    typealias Refused = (bytes: [UInt8], code: JSONError.Code)

    let name: String
    var valid: [Accepted] = []
    var invalid: [Refused] = []
    /// Valid by the grammar, or beyond it by leave of the RFC.
    var accepted: [Accepted] = []
    var refused: [Refused] = []

    var testDescription: String { name }
}

@Suite("A JSON text") struct ConformanceTests {
    @Test("that is valid is read as what it says", arguments: ConformanceCategory.all)
    func valid(category: ConformanceCategory) throws {
        try expect(category.valid)
    }

    @Test("that is invalid is refused for the right reason", arguments: ConformanceCategory.all)
    func invalid(category: ConformanceCategory) throws {
        try expect(category.invalid)
    }

    @Test("that the RFC leaves to readers is taken or refused as was decided", arguments: ConformanceCategory.all)
    func implementationDefined(category: ConformanceCategory) throws {
        try expect(category.accepted)
        try expect(category.refused)
    }

    @Test("has something valid and something invalid in each category")
    func completeness() {
        for category in ConformanceCategory.all {
            #expect(!category.valid.isEmpty && !category.invalid.isEmpty, "\(category.name)")
        }
    }

    private func expect(_ accepted: [ConformanceCategory.Accepted]) throws {
        for (bytes, text) in accepted {
            let value = try? JSONValue(parsing: bytes)
            #expect(value?.serialized() == text, "\(String(decoding: bytes, as: UTF8.self))")
            // What was written is read as the same.
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
