// SPDX-License-Identifier: Apache-2.0

// Single values, opened to be read piece by piece.

import Files
import FoundationEssentials
import ObjectGraph
import SQLiteDriver

extension StoreReader {
    /// Nil where the object isn't there or has no value.
    func openValue(of attribute: String, _ objectID: ManagedObjectID) throws -> (any ValueReader)? {
        guard let key = tables.key(of: objectID), let table = schema.table(of: objectID.entity) else { return nil }
        let row: SQL = "FROM \(identifier: table.name) WHERE Z_PK = \(value: .integer(key))"
        guard let number = try connection.first("SELECT Z_ENT \(row)", { $0.int64(0) }) else { return nil }
        let layout = table.layout(number: number) ?? table.layouts[0]
        guard layout.entity.isKind(of: objectID.entity), let slot = layout.entity.attribute(named: attribute)?.slot,
            case .value(let place, let encoding) = layout.attributes[slot],
            let stored = try connection.first(
                "SELECT \(identifier: table.columns[place].name) \(row)",
                { $0.value(0) }
            ),
            case .blob(let bytes) = stored
        else { return nil }
        guard encoding == .externalData else { return DataReader(Data(bytes)) }
        switch ExternalValue(stored: bytes) {
        case .inline(let value): return DataReader(Data(value))
        case .file(let name): return try file(name, attribute, objectID)
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

/// The bytes of a value that is in a file, which may be removed meanwhile.
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

extension StoreError {
    static func missingFile(_ path: String, _ attribute: String, _ objectID: ManagedObjectID) -> StoreError {
        var error = missingFile(path)
        error.hint = "It has “\(attribute)” of \(objectID)."
        return error
    }

    static func missingFile(_ path: String) -> StoreError {
        StoreError(.missingFile, "The file \(path) of a large value isn't there.")
    }
}
