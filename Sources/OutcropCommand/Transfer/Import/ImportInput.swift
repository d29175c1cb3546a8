// SPDX-License-Identifier: Apache-2.0

// The rows of several files, read in order in bounded memory.

import Basics
import CSV
import Files
import JSON
import ObjectGraph
import SourceText

/// Reads the rows of files.
final class ImportInput {
    /// The total size in bytes, and the number of bytes read.
    let size: Int
    private(set) var readBytes = 0
    /// Stops reading, if set.
    var interruption: Interruption?

    let files: [(path: String, file: OpenFile, format: TransferFormat)]
    private let mapping: [ColumnMapping]
    private let entity: EntityDescription?
    private let model: ManagedObjectModel
    private var index = 0
    /// The files whose text has no `_id`, as far as known.
    private var filesWithoutName: Set<Int> = []
    var number: Int64 = 0
    private var source: (() throws -> ImportRow?)?

    /// - Parameter isAlone: Whether to lock the files against other imports.
    init(
        _ paths: [String],
        _ format: TransferFormat?,
        _ mapping: [ColumnMapping],
        _ entity: EntityDescription?,
        _ model: ManagedObjectModel,
        isAlone: Bool
    ) throws {
        self.mapping = mapping
        self.entity = entity
        self.model = model
        var files: [(path: String, file: OpenFile, format: TransferFormat)] = []
        for path in paths {
            let file: OpenFile
            do throws(FileError) { file = try Self.open(path) } catch { throw Self.failure(error, path) }
            // A file that is given twice is locked once.
            let isKnown = files.contains { $0.file.isSame(as: file) }
            if isAlone, !isKnown, !file.tryLockExclusively() { throw Self.taken(path) }
            let name = path == "-" ? "standard input" : path
            files.append((name, file, format ?? TransferFormat(extensionOf: path) ?? .ndjson))
        }
        self.files = files
        size = try files.reduce(0) { $0 + (try $1.file.size) }
    }

    private static func open(_ path: String) throws(FileError) -> OpenFile {
        guard path == "-" || !FileSystem.isFile(path) else { return try OpenFile(reading: path) }
        return try OpenFile(copying: path == "-" ? "/dev/stdin" : path)
    }

    private static func failure(_ error: FileError, _ path: String) -> Failure {
        let folder = FileSystem.temporaryFolder
        guard error.path == folder, path != folder else {
            let reason = error.code == .missing ? "the file doesn't exist" : error.reason
            return Failure("The file can't be read: \(reason).", code: "import.file", file: path)
        }
        let reason = error.code == .missing ? "there is no such folder" : error.reason
        return Failure(
            "The input can't be copied to the temporary folder: \(reason).",
            hint: "The variable TMPDIR sets that folder.",
            code: "import.file",
            file: folder
        )
    }

    private static func taken(_ path: String) -> Failure {
        Failure(
            "Another import of \(path) is running.",
            hint: "Wait until it has ended and repeat this one, or import a copy of the file.",
            code: "import.running",
            file: nil
        )
    }

    /// A new reader of the same rows.
    func again() -> ImportInput { ImportInput(self) }

    private init(_ other: ImportInput) {
        files = other.files
        size = other.size
        mapping = other.mapping
        filesWithoutName = other.filesWithoutName
        interruption = other.interruption
        entity = other.entity
        model = other.model
    }

    /// The next row; nil at the end of the last file.
    func next() throws -> ImportRow? {
        while true {
            if source == nil {
                guard index < files.count else { return nil }
                // A table with an unreadable first line is skipped after its error is reported.
                defer { index += 1 }
                source = try files[index].format == .csv ? cells(of: index) : objects(of: index)
            }
            do {
                if let row = try source?() { return row }
            } catch {
                // The rest of the file can't be parsed.
                source = nil
                throw error
            }
            source = nil
        }
    }

    /// Whether any row has an `_id`. Malformed rows are reported when they are imported.
    func hasNames() throws -> Bool { try again().findsName() }

    private func findsName() throws -> Bool {
        for index in files.indices {
            do {
                let isTable = files[index].format == .csv
                if try isTable ? table(index).cells?.hasNames == true : objectsHaveName(index) { return true }
            } catch is BadLines {
                continue
            }
        }
        return false
    }

    private func objectsHaveName(_ index: Int) throws -> Bool {
        if mapping.isEmpty, filesWithoutName.contains(index) { return false }
        let next = try objects(of: index)
        while let row = try next() {
            if row.mayHaveName, (try? JSONValue(parsing: row.bytes))?["_id"] != nil { return true }
        }
        return false
    }

    /// A hash of the files' contents. It makes `hasNames()` fast.
    func fingerprint() throws -> UInt64 {
        var hash = FNV1a()
        for (index, (path, file, _)) in files.enumerated() {
            let next = pieces(of: file, path, counted: false)
            var last: UInt64 = 0
            var mayHaveName = false
            while let piece = try next() {
                for byte in piece {
                    hash.add(byte)
                    last = last &<< 8 | UInt64(byte)
                    if last & 0xFF_FFFF_FFFF == Self.name || last & 0xFFFF_FFFF == Self.escape { mayHaveName = true }
                }
            }
            if !mayHaveName { filesWithoutName.insert(index) }
            hash.add(0xFF)
        }
        return hash.value
    }

    /// The bytes of `"_id"`, and those of an escape that may be part of it.
    private static let name: UInt64 = 0x22_5F69_6422
    private static let escape: UInt64 = 0x5C75_3030

    func pieces(of file: OpenFile, _ path: String, counted: Bool = true) -> () throws -> [UInt8]? {
        var offset = 0
        return { [weak self] in
            try self?.interruption?.check()
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

    func lines(of index: Int) -> () throws -> ImportRow? {
        let (path, file, _) = files[index]
        let next = pieces(of: file, path)
        var buffer: [UInt8] = []
        var start = 0
        var line = 0
        var isComplete = false
        return { [unowned self] in
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

    /// The line with columns renamed to properties. Malformed JSON is reported later.
    func mapped(_ text: [UInt8]) -> [UInt8] {
        guard !mapping.isEmpty, let object = (try? JSONValue(parsing: text))?.object else { return text }
        return JSONValue.object(mapping.applied(to: object)).serializedBytes()
    }

    static let lineLimit = 64 << 20

    private static func tooLong(_ path: String, _ line: Int) -> BadLine {
        BadLine(file: path, line: line, code: "json", message: "The line has more than \(lineLimit) bytes.")
    }

    // MARK: Cells

    private func cells(of index: Int) throws -> () throws -> ImportRow? {
        let path = files[index].path
        var (reader, cells) = try table(index)
        guard let cells else { return { nil } }
        return { [unowned self] in
            let read: [CSVCell]?
            do {
                read = try reader.next()
            } catch let error as CSVError where error.affectsOneRow {
                number += 1
                let badLine = BadLine(error, path)
                return ImportRow(number: number, file: path, line: badLine.line, bytes: [], badLine: badLine)
            } catch let error as CSVError {
                throw BadLines(lines: [BadLine(error, path)])
            }
            guard let found = read else { return nil }
            number += 1
            let line = reader.start.line
            func bad(_ code: String, _ message: String, _ property: String? = nil) -> ImportRow {
                let bad = BadLine(file: path, line: line, property: property, code: code, message: message)
                return ImportRow(number: number, file: path, line: line, bytes: [], badLine: bad)
            }
            guard found.dropFirst(cells.width).allSatisfy(\.isMissing) else {
                return bad("csv", "The line has \(found.count) cells, but there are \(cells.width) columns.")
            }
            if let column = cells.unnamedColumn(of: found) {
                return bad("csv", "Column \(column) has a value but no name; name it in the first line of the file.")
            }
            do throws(CellError) {
                let text = JSONValue.object(try cells.object(found)).serializedBytes()
                return ImportRow(number: number, file: path, line: line, bytes: text)
            } catch {
                return bad("type", error.message, error.property)
            }
        }
    }

    /// A reader after the first line of a table; without a cell reader if the table is empty.
    private func table(_ index: Int) throws -> (reader: CSVReader, cells: CellReader?) {
        let (path, file, _) = files[index]
        var reader = CSVReader(nextBytes: pieces(of: file, path))
        let header: [CSVCell]?
        do { header = try reader.next() } catch let error as CSVError {
            throw BadLines(lines: [BadLine(error, path)])
        }
        guard let header else { return (reader, nil) }
        let separator = reader.separator ?? .comma
        let cells = try CellReader(header: header, separator: separator, mapping, entity, model, file: path)
        return (reader, cells)
    }
}

extension BadLine {
    /// Creates an error for malformed CSV.
    fileprivate init(_ error: CSVError, _ path: String) {
        let message = "column \(error.position.column): \(error.message)"
        self.init(file: path, line: error.position.line, code: "csv", message: message)
    }
}

enum ReservedKeys {
    /// The members of objects that aren't properties.
    static let own = ["_id", "_entity", "_version"]
}
