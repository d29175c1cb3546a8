// SPDX-License-Identifier: Apache-2.0

// A row of the input, and its errors.

import Basics
import JSON
import SourceText

/// An object as JSON text, with its location.
struct ImportRow {
    /// Counted over all files, from 1.
    let number: Int64
    let file: String
    let line: Int
    let bytes: [UInt8]
    /// An error found while reading it.
    var badLine: BadLine?

    /// Whether it may have an `_id`: the text contains the name, or an escape that may be part of it.
    var mayHaveName: Bool {
        var before = UInt8(ascii: " ")
        for (offset, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "_") where before == UInt8(ascii: "\""):
                if bytes[offset...].starts(with: Self.name) { return true }
            case UInt8(ascii: "\\"):
                if bytes[offset...].starts(with: Self.writtenAsNumber) { return true }
            default: break
            }
            before = byte
        }
        return false
    }

    private static let name = Array("_id\"".utf8)
    private static let writtenAsNumber = Array("\\u00".utf8)
}

/// An error in a line of the input.
struct BadLine: Hashable {
    let file: String
    let line: Int
    var property: String?
    let code: String
    let message: String

    var text: String { "\(file):\(line): \(property.map { "\($0): " } ?? "")\(message) (\(code))" }

    var json: JSONValue {
        var json: JSONObject = ["file": .string(file), "line": .integer(line)]
        json["property"] = property.map(JSONValue.string)
        json["code"] = .string(code)
        json["message"] = .string(message)
        return .object(json)
    }
}

extension BadLine {
    init(_ row: ImportRow, _ code: String, _ message: String, property: String? = nil) {
        self.init(file: row.file, line: row.line, property: property, code: code, message: message)
    }

    /// Creates an error for malformed JSON.
    init(_ row: ImportRow, _ error: JSONError) {
        self.init(row, "json", "column \(error.position.column): \(error.message)")
    }
}

/// The errors that stop an import.
struct BadLines: Error {
    let lines: [BadLine]
}

extension [BadLine] {
    /// Without duplicates, in the order of the input.
    func arranged(_ files: [String]) -> [BadLine] {
        var seen: Set<BadLine> = []
        let places = Dictionary(keepingFirst: files.enumerated().map { ($1, $0) })
        let once = filter { seen.insert($0).inserted }.enumerated()
        return once.sorted { one, other in
            let file = places[one.element.file] ?? 0
            let otherFile = places[other.element.file] ?? 0
            return (file, one.element.line, one.offset) < (otherFile, other.element.line, other.offset)
        }.map(\.element)
    }
}
