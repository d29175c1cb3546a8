// SPDX-License-Identifier: Apache-2.0

// Rows of JSON: lines, or the elements of one array.

import Files
import JSON
import SourceText

extension ImportInput {
    /// A reader of the rows of a file that isn't a table.
    func objects(of index: Int) throws -> () throws -> ImportRow? {
        try isArray(index) ? elements(of: index) : lines(of: index)
    }

    /// Whether a file begins with a bracket, as a line that is an object can't.
    private func isArray(_ index: Int) throws -> Bool {
        let (path, file, _) = files[index]
        do throws(FileError) {
            let start = try file.read(at: 0, count: 4096)
            return start.first { !$0.isJSONBlank && !Self.byteOrderMark.contains($0) } == UInt8(ascii: "[")
        } catch {
            throw Failure("The file can't be read: \(error.reason).", code: "import.file", file: path)
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private func elements(of index: Int) -> () throws -> ImportRow? {
        let (path, file, _) = files[index]
        var elements = ArrayElements(limit: Self.lineLimit, nextBytes: pieces(of: file, path))
        return { [unowned self] in
            do {
                guard let element = try elements.next() else { return nil }
                return row(element, path)
            } catch let error as ArrayElements.Malformed {
                throw BadLines(lines: [BadLine(file: path, line: error.line, code: "json", message: error.message)])
            }
        }
    }

    /// The row of an element. One that isn't a line of its own is parsed, to become one, or to say where it is malformed.
    private func row(_ element: ArrayElements.Element, _ path: String) -> ImportRow {
        number += 1
        let start = element.start
        var bytes = element.bytes
        if start.column > 1 || bytes.contains(UInt8(ascii: "\n")) {
            do throws(JSONError) {
                bytes = try JSONValue(parsing: bytes).serializedBytes()
            } catch {
                let line = start.line + error.position.line - 1
                let column = error.position.column + (error.position.line == 1 ? start.column - 1 : 0)
                let message = "column \(column): \(error.message)"
                let badLine = BadLine(file: path, line: line, code: "json", message: message)
                return ImportRow(number: number, file: path, line: line, bytes: [], badLine: badLine)
            }
        }
        return ImportRow(number: number, file: path, line: start.line, bytes: mapped(bytes))
    }
}
