// SPDX-License-Identifier: Apache-2.0

// Opens single values for reading in pieces.

import Files
import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// A value that exists.
enum FoundValue: Sendable {
    case reader(any ValueReader)
    /// A value that is too large to read at once.
    case inRow(ValuePlace)
}

/// The location of a value.
struct ValuePlace: Sendable {
    let table: String
    let column: String
    let key: Int64
    /// The number of bytes in the column before the value.
    let start: Int
}

extension StoreReader {
    /// The size up to which a value is read at once.
    private static let largestPiece = 64 * 1024

    /// Nil if the object doesn't exist or has no value.
    func openValue(of attribute: String, _ objectID: ManagedObjectID) throws -> FoundValue? {
        guard let key = tables.key(of: objectID), let table = schema.table(of: objectID.entity) else { return nil }
        let row: SQL = "FROM \(identifier: table.name) WHERE Z_PK = \(value: .integer(key))"
        guard let number = try connection.first("SELECT Z_ENT \(row)", { $0.int64(0) }) else { return nil }
        let layout = table.layout(number: number) ?? table.layouts[0]
        guard layout.entity.isKind(of: objectID.entity), let slot = layout.entity.attribute(named: attribute)?.slot,
            case .value(let place, let encoding) = layout.attributes[slot]
        else { return nil }
        let column = table.name(ofColumn: place)
        // SQLite knows the type and length without reading the value.
        let limit = SQL.literal(.integer(Int64(Self.largestPiece)))
        let stored = try connection.first(
            """
            SELECT typeof(\(identifier: column)) = 'blob', \
            CASE WHEN length(\(identifier: column)) <= \(limit) THEN \(identifier: column) END \(row)
            """
        ) { (isBlob: $0.int64(0) != 0, bytes: $0.isNull(1) ? nil : $0.bytes(1)) }
        guard let stored, stored.isBlob else { return nil }
        guard let bytes = stored.bytes else {
            let blob = try connection.readBlob(table: table.name, column: column, row: key)
            let start = encoding == .externalData ? 1 : 0
            guard try start == 0 || blob.read(at: 0, count: 1) == [ExternalDataMark.inline] else { return nil }
            return .inRow(ValuePlace(table: table.name, column: column, key: key, start: start))
        }
        guard encoding == .externalData else { return .reader(DataReader(Data(bytes))) }
        switch ExternalValue(stored: bytes) {
        case .inline(let value): return .reader(DataReader(Data(value)))
        case .file(let name): return try file(name, attribute, objectID).map(FoundValue.reader)
        case nil: return nil
        }
    }

    private func file(
        _ name: ExternalFileName,
        _ attribute: String,
        _ objectID: ManagedObjectID
    ) throws -> (any ValueReader)? {
        guard let path = tables.files?.folder.path(of: name) else { return nil }
        do throws(FileError) {
            let file = try OpenFile(reading: path)
            return FileReader(file: file, size: try file.size)
        } catch {
            guard error.code == .missing else { throw error }
            throw StoreError.missingFile(path, attribute, objectID)
        }
    }
}

/// Reads a value's file, which may be removed meanwhile.
private struct FileReader: ValueReader {
    let file: OpenFile
    let size: Int

    func read(_ range: Range<Int>) throws -> [UInt8] {
        let range = range.clamped(to: 0..<size)
        do throws(FileError) {
            return try file.read(at: range.lowerBound, count: range.count)
        } catch {
            throw StoreError.wrapping(error, file.path)
        }
    }
}

/// Reads a value in a row, in one state of the database.
struct StoredValueReader: ValueReader {
    private let blob: SnapshotBlob
    /// Keeps the state alive.
    private let generation: SQLiteGeneration
    private let start: Int
    private let path: String

    init(_ place: ValuePlace, _ generation: SQLiteGeneration, _ path: String) throws {
        blob = try generation.snapshot.blob(table: place.table, column: place.column, row: place.key)
        self.generation = generation
        start = place.start
        self.path = path
    }

    var size: Int { blob.count - start }

    var holdsState: Bool { true }

    func read(_ range: Range<Int>) throws -> [UInt8] {
        let range = range.clamped(to: 0..<size)
        do {
            return try blob.read(at: start + range.lowerBound, count: range.count)
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension StoreError {
    static func missingFile(_ path: String, _ attribute: String, _ objectID: ManagedObjectID) -> StoreError {
        var error = missingFile(path)
        error.hint = "It has “\(attribute)” of \(objectID)."
        return error
    }

    static func missingFile(_ path: String) -> StoreError {
        StoreError(.missingFile, "The file \(path) of a large value doesn't exist.")
    }
}
