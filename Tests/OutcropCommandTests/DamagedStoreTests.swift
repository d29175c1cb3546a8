// SPDX-License-Identifier: Apache-2.0

// `outcrop store check` of damaged files.

import FoundationEssentials
import JSON
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Checks of damaged stores")
struct DamagedStoreTests {
    /// Makes a store of some pages and damages its file.
    private static func withStore(
        isLogged: Bool,
        damaging damage: (inout Data) -> Void,
        _ body: (_ store: String) throws -> Void
    ) throws {
        try Checkout.withFolder { folder in
            let store = folder + "/a.db"
            let words = ["demo-data", store, "--model", Files.demo, "--count", "300"]
            try #require(Program.run(words, on: .plain).status == .fine)
            try {
                let connection = try Connection(path: store)
                try connection.checkpoint(.truncate)
                if !isLogged { try connection.set("journal_mode", to: "delete") }
            }()
            var bytes = try Data(contentsOf: URL(filePath: store))
            damage(&bytes)
            try bytes.write(to: URL(filePath: store))
            try body(store)
        }
    }

    private static func expectFindings(_ store: String, _ words: String) throws {
        let text = outcrop("store", "check", store)
        #expect(text.status == .problems && text.errors.isEmpty, "\(text)")
        #expect(text.output.contains(words), "\(text)")
        #expect(text.output.contains("sqlite3 \(store) .recover | sqlite3 \(store)-recovered"))
        #expect(!text.output.contains("outcrop store check"))
        let json = outcrop("store", "check", store, "--json").json
        let findings = try #require(json?["findings"]?.array)
        #expect((1...20).contains(findings.count) && findings.allSatisfy { $0["code"]?.string == "store.damaged" })
        #expect(json?["error"] == nil && json?["hint"]?.string?.contains(".recover") == true)
    }

    @Test("the check of a file that was cut to a part names the missing pages, and a remedy", arguments: [true, false])
    func truncated(isLogged: Bool) throws {
        try Self.withStore(isLogged: isLogged) { bytes in
            bytes = bytes.prefix(bytes.count / 2 / 4096 * 4096)
        } _: { store in
            try Self.expectFindings(store, "invalid page number")
        }
    }

    @Test("the check of a file with overwritten pages names them, and a remedy", arguments: [true, false])
    func overwritten(isLogged: Bool) throws {
        try Self.withStore(isLogged: isLogged) { bytes in
            for start in stride(from: 4096 * 8, to: bytes.count, by: 4096 * 4) {
                bytes.replaceSubrange(start..<start + 64, with: repeatElement(0xFF, count: 64))
            }
        } _: { store in
            try Self.expectFindings(store, "age ")
        }
    }
}
