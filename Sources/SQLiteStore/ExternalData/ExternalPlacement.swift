// SPDX-License-Identifier: Apache-2.0

// The large values of a save, in files before it is written.

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

/// The files that the columns of rows are to name, by objects and places of columns. What isn't in it stands in its row.
typealias ExternalPlaces = [ManagedObjectID: [Int: ExternalFileName]]

/// Files that a save has written, and what becomes of them.
final class ExternalPlacement: Sendable {
    let places: ExternalPlaces
    private let new: [NewExternalFile]
    /// Whether all is written that a commit would keep.
    private let isWritten = Mutex(false)

    private init(_ places: ExternalPlaces, _ new: [NewExternalFile]) {
        (self.places, self.new) = (places, new)
    }

    /// Writes what is too large for rows. Derived values, which aren't known yet, stand in their rows whatever their size.
    static func write(
        _ request: StoreSaveRequest,
        _ tables: StoreTables,
        _ files: ExternalFiles
    ) throws(FileError) -> ExternalPlacement {
        let large = request.externalValues(tables).filter { $0.data.count > files.threshold }
        guard !large.isEmpty else { return ExternalPlacement([:], []) }
        let lock = try files.sharedLock()
        var places: ExternalPlaces = [:]
        var new: [NewExternalFile] = []
        do throws(FileError) {
            for value in large {
                let staged = files.claim(value.data)
                let file = if let staged { staged } else { try files.write(value.data, lock) }
                new.append(file)
                places[value.objectID, default: [:]][value.column] = file.name
            }
            try files.sync(lock)
        } catch {
            for file in new { file.giveBack() }
            throw error
        }
        return ExternalPlacement(places, new)
    }

    /// Does the save, whose result tells whether rows name the files from now on.
    func settle(_ save: () throws -> StoreSaveResult) throws -> StoreSaveResult {
        do {
            let result = try save()
            end(isKept: isWritten.withLock { $0 })
            return result
        } catch {
            // A commit that failed for another reason than room may be found on the disk after a crash.
            end(isKept: isWritten.withLock { $0 } && (error as? StoreError)?.code != .full)
            throw error
        }
    }

    /// Says how far the writing has come, which may begin anew.
    func mark(isWritten: Bool) { self.isWritten.withLock { $0 = isWritten } }

    private func end(isKept: Bool) {
        for file in new {
            if isKept { file.keep() } else { file.giveBack() }
        }
    }
}

extension ExternalFiles {
    fileprivate func write(_ data: Data, _ lock: OpenFolder) throws(FileError) -> NewExternalFile {
        let (new, file) = try make(lock)
        _ = new.claim()
        try append(data.span, to: file)
        try sync(file)
        return new
    }
}

// MARK: What a save writes, and lets go of

extension StoreSaveRequest {
    /// The values that it writes into columns that may name files.
    fileprivate func externalValues(
        _ tables: StoreTables
    ) -> [(objectID: ManagedObjectID, column: Int, data: Data)] {
        let rows =
            insertions.map { ($0.objectID, $0.row, Array($0.row.attributes.indices)) }
            + updates.map { ($0.objectID, $0.row, $0.attributes) }
        var values: [(objectID: ManagedObjectID, column: Int, data: Data)] = []
        for (objectID, row, slots) in rows {
            guard let external = tables.externalColumns[objectID.entity.index] else { continue }
            for slot in slots where external[slot] != nil && !objectID.entity.attributes[slot].isDerived {
                for (column, data) in external[slot, default: .none].externalValues(row.attributes[slot]) {
                    values.append((objectID, column, data))
                }
            }
        }
        return values
    }

    /// The columns that may name files and that it writes or deletes, by their tables and keys.
    func releasedColumns(_ tables: StoreTables) -> [String: [Int64: Set<Int>]] {
        var released: [String: [Int64: Set<Int>]] = [:]
        func add(_ objectID: ManagedObjectID, _ slots: some Sequence<Int>) {
            guard let external = tables.externalColumns[objectID.entity.index], let key = tables.key(of: objectID),
                let table = tables.schema.table(of: objectID.entity)
            else { return }
            let columns = slots.flatMap { external[$0]?.externalColumns ?? [] }
            if !columns.isEmpty { released[table.name, default: [:]][key, default: []].formUnion(columns) }
        }
        for update in updates { add(update.objectID, update.attributes) }
        for deletion in deletions { add(deletion.objectID, deletion.objectID.entity.attributes.indices) }
        return released
    }
}

extension AttributeColumns {
    /// The places of those columns that may name files.
    var externalColumns: [Int] {
        switch self {
        case .value(let place, .externalData): [place]
        case .none, .value: []
        case .composite(_, let elements): elements.flatMap(\.columns.externalColumns)
        }
    }

    /// The bytes of a value that those columns are to hold.
    func externalValues(_ value: Value) -> [(column: Int, data: Data)] {
        switch (self, value) {
        case (.value(let place, .externalData), .data(let data)): [(place, data)]
        case (.composite(_, let elements), .dictionary(let members)):
            elements.flatMap { element, columns in columns.externalValues(members[element.name] ?? .null) }
        default: []
        }
    }
}

extension StoreSchema {
    /// By the place of an entity in the model and by slot, those attributes of which something may be in files.
    var externalColumns: [Int: [Int: AttributeColumns]] {
        var external: [Int: [Int: AttributeColumns]] = [:]
        for layout in tables.flatMap(\.layouts) {
            for (slot, columns) in layout.attributes.enumerated() where !columns.externalColumns.isEmpty {
                external[layout.entity.index, default: [:]][slot] = columns
            }
        }
        return external
    }
}
