// SPDX-License-Identifier: Apache-2.0

// Rows that are written and read again.

import CSV
import TestSupport
import Testing

@Suite struct CSVWriterTests {
    @Test("only ambiguous cells and empty texts are quoted")
    func text() {
        var writer = CSVWriter()
        writer.write(["a b", "say \"hi\"", "1,5", "1;5", nil, ""])
        writer.write(["two\nlines"])
        writer.write([nil])
        let text = "a b,\"say \"\"hi\"\"\",\"1,5\",\"1;5\",,\"\"\r\n\"two\nlines\"\r\n\"\"\r\n"
        #expect(String(decoding: writer.drain(), as: UTF8.self) == text)
        #expect(writer.bytes.isEmpty)
    }

    @Test("written rows are read back unchanged", arguments: SeededGenerator.seeds(20))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = ["a", "\"", ",", ";", "\t", "\r\n", "\n", "\r", " ", "ß", "\u{FEFF}", "🙂"]
        let rows: [[String?]] = (0..<20).map { _ in
            (0..<Int.random(in: 2...6, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? nil
                    : (0..<Int.random(in: 0...5, using: &random)).map { _ in
                        parts.randomElement(using: &random) ?? ""
                    }.joined()
            }
        }
        for separator in CSVSeparator.allCases {
            var writer = CSVWriter(separator: separator)
            for row in rows { writer.write(row) }
            let read = try CSVReaderTests.read(writer.bytes, piece: 3, separator: separator)
            #expect(read.map { $0.map { $0.isMissing ? nil : $0.text } } == rows, "seed \(seed)")
        }
    }
}
