// SPDX-License-Identifier: Apache-2.0

// The rows of some files, one after the other, in little memory.

import CSV
import Files
import JSON
import ObjectGraph
import SourceText

/// Reads files of objects.
final class ImportInput {
    /// How many bytes there are, and how many of them have been read.
    let size: Int
    private(set) var readBytes = 0

    private let files: [(path: String, file: OpenFile, format: TransferFormat)]
    private let mapping: [ColumnMapping]
    private let entity: EntityDescription?
    private let model: ManagedObjectModel
    private var index = 0
    private var number: Int64 = 0
    private var source: (() throws -> ImportRow?)?

    init(
        _ paths: [String],
        _ format: TransferFormat?,
        _ mapping: [ColumnMapping],
        _ entity: EntityDescription?,
        _ model: ManagedObjectModel
    ) throws {
        (self.mapping, self.entity, self.model) = (mapping, entity, model)
        files = try paths.map { path in
            do throws(FileError) {
                let isRead = path != "-" && FileSystem.isFile(path)
                let file =
                    isRead ? try OpenFile(reading: path) : try OpenFile(copying: path == "-" ? "/dev/stdin" : path)
                let name = path == "-" ? "standard input" : path
                return (name, file, format ?? TransferFormat(extensionOf: path) ?? .ndjson)
            } catch {
                let reason = error.code == .missing ? "there is no such file" : error.reason
                throw Failure("The file can't be read: \(reason).", code: "import.file", file: path)
            }
        }
        size = try files.reduce(0) { $0 + (try $1.file.size) }
    }

    /// The same rows from the beginning.
    func again() -> ImportInput { ImportInput(self) }

    private init(_ other: ImportInput) {
        (files, size, mapping) = (other.files, other.size, other.mapping)
        (entity, model) = (other.entity, other.model)
    }

    /// The next row; nil at the end of the last file.
    func next() throws -> ImportRow? {
        while true {
            if source == nil {
                guard index < files.count else { return nil }
                source = files[index].format == .csv ? try cells(of: index) : lines(of: index)
                index += 1
            }
            if let row = try source?() { return row }
            source = nil
        }
    }

    /// What tells the files from others.
    func fingerprint() throws -> UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for (path, file, _) in files {
            let next = pieces(of: file, path, counted: false)
            while let piece = try next() {
                for byte in piece { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
            }
            sum = (sum ^ 0xFF) &* 0x100_0000_01b3
        }
        return sum
    }

    private func pieces(of file: OpenFile, _ path: String, counted: Bool = true) -> () throws -> [UInt8]? {
        var offset = 0
        return { [weak self] in
            let piece: [UInt8]
            do throws(FileError) {
                piece = try file.read(at: offset, count: 256 << 10)
            } catch {
                throw Failure("The file can't be read: \(error.reason).", code: "import.file", file: path)
            }
            offset += piece.count
            if counted { self?.readBytes += piece.count }
            return piece.isEmpty ? nil : piece
        }
    }

    // MARK: Lines

    private func lines(of index: Int) -> () throws -> ImportRow? {
        let (path, file, _) = files[index]
        let next = pieces(of: file, path)
        var (buffer, start, line, isComplete): ([UInt8], Int, Int, Bool) = ([], 0, 0, false)
        return { [self] in
            while true {
                var end = buffer[start...].firstIndex(of: UInt8(ascii: "\n"))
                while end == nil, !isComplete {
                    let searched = buffer.count - start
                    buffer.removeSubrange(..<start)
                    start = 0
                    guard let more = try next() else {
                        isComplete = true
                        break
                    }
                    if line == 0, buffer.isEmpty, more.starts(with: [0xEF, 0xBB, 0xBF]) {
                        buffer = Array(more.dropFirst(3))
                    } else {
                        buffer += more
                    }
                    guard buffer.count <= Self.lineLimit else {
                        throw BadLines(lines: [Self.tooLong(path, line + 1)])
                    }
                    end = buffer[min(searched, buffer.count)...].firstIndex(of: UInt8(ascii: "\n"))
                }
                guard start < buffer.count else { return nil }
                line += 1
                var text = buffer[start..<(end ?? buffer.count)]
                start = end.map { $0 + 1 } ?? buffer.count
                if text.last == UInt8(ascii: "\r") { text.removeLast() }
                if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                number += 1
                return ImportRow(number: number, file: path, line: line, bytes: mapped(Array(text)))
            }
        }
    }

    /// The same with columns under the names of properties. What is no JSON is told when it is read as such.
    private func mapped(_ text: [UInt8]) -> [UInt8] {
        guard !mapping.isEmpty, let object = (try? JSONValue(parsing: text))?.object else { return text }
        return JSONValue.object(mapping.applied(to: object)).serializedBytes()
    }

    private static let lineLimit = 64 << 20

    private static func tooLong(_ path: String, _ line: Int) -> BadLine {
        BadLine(file: path, line: line, code: "json", message: "The line has more than \(lineLimit) bytes.")
    }

    // MARK: Cells

    private func cells(of index: Int) throws -> () throws -> ImportRow? {
        let (path, file, _) = files[index]
        var reader = CSVReader(nextBytes: pieces(of: file, path))
        func row() throws -> [CSVCell]? {
            do {
                return try reader.next()
            } catch let error as CSVError {
                let message = "column \(error.position.column): \(error.message)"
                throw BadLines(lines: [BadLine(file: path, line: error.position.line, code: "csv", message: message)])
            }
        }
        guard let header = try row() else { return { nil } }
        let cells = try CellReader(
            header: header,
            separator: reader.separator ?? .comma,
            mapping,
            entity,
            model,
            file: path
        )
        return { [self] in
            guard let found = try row() else { return nil }
            number += 1
            let line = reader.start.line
            func bad(_ code: String, _ message: String, _ property: String? = nil) -> ImportRow {
                let bad = BadLine(file: path, line: line, property: property, code: code, message: message)
                return ImportRow(number: number, file: path, line: line, bytes: [], badLine: bad)
            }
            guard found.dropFirst(header.count).allSatisfy(\.isMissing) else {
                return bad("csv", "The line has \(found.count) cells, and there are \(header.count) columns.")
            }
            do throws(CellError) {
                let text = JSONValue.object(try cells.object(found)).serializedBytes()
                return ImportRow(number: number, file: path, line: line, bytes: text)
            } catch {
                return bad("type", error.message, error.property)
            }
        }
    }
}

enum ImportNames {
    /// What objects have besides their properties.
    static let own = ["_id", "_entity", "_version"]
}
