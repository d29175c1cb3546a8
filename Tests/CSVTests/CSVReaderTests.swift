// SPDX-License-Identifier: Apache-2.0

// Rows that are read while their text arrives.

import CSV
import SourceText
import TestSupport
import Testing

@Suite struct CSVReaderTests {
    static func read(
        _ text: some Sequence<UInt8>,
        piece: Int = 64 << 10,
        separator: CSVSeparator? = nil,
        limits: CSVLimits = .default
    ) throws -> [[CSVCell]] {
        let bytes = Array(text)
        var offset = 0
        var reader = CSVReader(separator: separator, limits: limits) {
            guard offset < bytes.count else { return nil }
            defer { offset += piece }
            return Array(bytes[offset..<min(offset + piece, bytes.count)])
        }
        var rows: [[CSVCell]] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    static let texts: [(text: String, rows: [[String]])] = [
        ("", []),
        ("\r\n\n\r", []),
        ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
        ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ("\u{FEFF}a;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
        ("a\tb\n1\t2\n", [["a", "b"], ["1", "2"]]),
        ("\"a;;b\",c\n", [["a;;b", "c"]]),
        ("sep=;\r\na,b;c\r\n", [["a,b", "c"]]),
        ("\u{FEFF}SEP=\t\na;b,c\td\n", [["a;b,c", "d"]]),
        ("sep=,", []),
        ("sep=|\na|b\n", [["sep=|"], ["a|b"]]),
        ("a;sep=;\n", [["a", "sep=", ""]]),
        ("a,,\n,\n", [["a", "", ""], ["", ""]]),
        ("\"say \"\"hi\"\"\",\"two\r\nlines\"\n", [["say \"hi\"", "two\r\nlines"]]),
        ("a\n\n\nb\n", [["a"], ["b"]]),
        ("Grüße,日本\n", [["Grüße", "日本"]]),
        (" a , b \n", [[" a ", " b "]]),
    ]

    @Test("the rows don't depend on how the text is split into pieces", arguments: texts.indices)
    func rows(index: Int) throws {
        let (text, rows) = Self.texts[index]
        for piece in [1, 2, 3, 7, 100] {
            #expect(try Self.read(text.utf8, piece: piece).map { $0.map(\.text) } == rows)
        }
    }

    @Test("an empty quoted cell differs from an empty unquoted one")
    func emptyCells() throws {
        let row = try #require(try Self.read("\"\",,x\n".utf8).first)
        #expect(row == [CSVCell("", isQuoted: true), CSVCell(""), CSVCell("x")])
        #expect(row.map(\.isMissing) == [false, true, false])
    }

    @Test("a given separator isn't detected from the text")
    func givenSeparator() throws {
        #expect(try Self.read("a,b;c\n".utf8, separator: .semicolon).map { $0.map(\.text) } == [["a,b", "c"]])
        #expect(try Self.read("sep=;\n".utf8, separator: .comma).map { $0.map(\.text) } == [["sep=;"]])
    }

    @Test("a row's position is the line in which it begins")
    func places() throws {
        var text: [UInt8]? = Array("a,\"x\ny\r\nz\"\r\n\r\nb,c\n".utf8)
        var reader = CSVReader {
            defer { text = nil }
            return text
        }
        #expect(try reader.next() != nil)
        #expect(reader.start == TextPosition(line: 1, column: 1))
        #expect(try reader.next() != nil)
        #expect(reader.start == TextPosition(line: 5, column: 1))
        #expect(reader.separator == .comma)
    }

    @Test("a line that declares the separator counts as a line")
    func placeBehindSeparator() throws {
        var text: [UInt8]? = Array("sep=;\na,b\n".utf8)
        var reader = CSVReader {
            defer { text = nil }
            return text
        }
        #expect(try reader.next()?.map(\.text) == ["a,b"])
        #expect(reader.start == TextPosition(line: 2, column: 1))
        #expect(reader.separator == .semicolon)
    }

    static let refused: [(bytes: [UInt8], code: CSVError.Code, line: Int, column: Int)] = [
        (Array("a,b\"c\n".utf8), .strayQuote, 1, 4),
        (Array("a\nü,\"b\" ,c\n".utf8), .afterQuote, 2, 6),
        (Array("a\n\"b\nc".utf8), .unclosedQuote, 2, 1),
        (Array("a,\"b\nc\"\"".utf8), .unclosedQuote, 1, 3),
        (Array("a,".utf8) + [0xFF, 0x0A], .invalidUTF8, 1, 3),
    ]

    @Test("malformed CSV is refused at its position, however the text is split", arguments: refused.indices)
    func refusals(index: Int) throws {
        let (bytes, code, line, column) = Self.refused[index]
        for piece in [1, 2, 100] {
            let error = #expect(throws: CSVError.self) { try Self.read(bytes, piece: piece) }
            #expect(error?.code == code)
            #expect(error?.position == TextPosition(line: line, column: column))
            #expect(error?.description.hasPrefix("\(line):\(column): ") == true)
        }
    }

    @Test("a row with invalid UTF-8 is refused once, and the next row is read")
    func flawedRows() throws {
        let bytes = Array("a,".utf8) + [0xFF] + Array(",\"".utf8) + [0xFC] + Array("\"\nb,c\n".utf8)
        for piece in [1, 2, 100] {
            var rest = bytes[...]
            var reader = CSVReader {
                let next = rest.prefix(piece)
                rest = rest.dropFirst(piece)
                return next.isEmpty ? nil : Array(next)
            }
            let error = #expect(throws: CSVError.self) { try reader.next() }
            #expect(error?.affectsOneRow == true)
            #expect(error?.position == TextPosition(line: 1, column: 3))
            #expect(try reader.next()?.map(\.text) == ["b", "c"])
            #expect(reader.start == TextPosition(line: 2, column: 1))
            #expect(try reader.next() == nil)
        }
    }

    @Test("cells, rows and the number of cells are limited")
    func limits() throws {
        let limits = CSVLimits(cellBytes: 4, rowBytes: 6, cells: 3)
        #expect(try Self.read("abcd,ef,\n".utf8, limits: limits).count == 1)
        for text in ["abcde\n", "\"ab\"\"de\"\n", "abc,def,g\n", "a,b,c,d\n", "\"a\n\n\n\n\n\""] {
            let error = #expect(throws: CSVError.self) { try Self.read(text.utf8, limits: limits) }
            #expect(error?.code == .limitExceeded, "\(text)")
        }
    }
}
