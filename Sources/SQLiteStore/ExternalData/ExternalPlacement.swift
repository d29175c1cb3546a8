// SPDX-License-Identifier: Apache-2.0

// Writes the large values of a save into files before a row names them.

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

/// The files that columns of rows will name, by object and column. Other values are stored in their rows.
typealias ExternalPlaces = [ManagedObjectID: [Int: ExternalFileName]]

/// A value that may be too large for its column.
typealias ExternalColumnValue = (objectID: ManagedObjectID, column: Int, data: Data)

/// The files that a save or batch has written and those that it releases, until both are kept or removed.
//
//     place() ──▶ written ── sync() ──▶ durable ── willCommit() ──▶ in doubt ── finish() ──▶ kept, others released
//                    │                     │                           │
//                    └─────────────────────┴──── finish() fails ───────┴──▶ given back, and removed unless staged;
//                                                                           in doubt: kept
final class ExternalPlacement: Sendable {
    private let files: ExternalFiles
    private let state = Mutex(State())

    private struct State {
        var new: [NewExternalFile] = []
        var lock: OpenFolder?
        var released: [ExternalFileName] = []
        /// Whether everything that a commit would keep is written.
        var isWritten = false
    }

    init(_ files: ExternalFiles) {
        self.files = files
    }

    deinit {
        for file in state.withLock({ $0.new }) { file.unclaim() }
    }

    /// Writes a value that is too large for its row into a file that one column may name; nil for other values.
    func place(_ data: Data) throws(FileError) -> ExternalFileName? {
        guard data.count > files.threshold else { return nil }
        let known = state.withLock { $0.lock }
        let lock = if let known { known } else { try files.sharedLock() }
        let file = if let staged = files.claim(data) { staged } else { try files.write(data, lock) }
        state.withLock { state in
            state.lock = lock
            state.new.append(file)
        }
        return file.name
    }

    func place(_ values: [ExternalColumnValue]) throws(FileError) -> ExternalPlaces {
        var places: ExternalPlaces = [:]
        for value in values {
            if let name = try place(value.data) { places[value.objectID, default: [:]][value.column] = name }
        }
        return places
    }

    /// The files at a moment, for `revert(to:)`.
    struct Mark {
        fileprivate let new: Int
        fileprivate let released: Int
    }

    var mark: Mark { state.withLock { Mark(new: $0.new.count, released: $0.released.count) } }

    /// Gives back the files that were added since, and keeps those that were released since.
    func revert(to mark: Mark) {
        let dropped = state.withLock { state in
            defer { state.new.removeSubrange(mark.new...) }
            state.released.removeSubrange(mark.released...)
            return state.new[mark.new...]
        }
        for file in dropped { file.unclaim() }
    }

    /// Makes the files' entries in their folder durable.
    func sync() throws(FileError) { try state.withLock { $0.lock }?.sync() }

    /// Releases files after the commit.
    func release(_ names: [ExternalFileName]) { state.withLock { $0.released += names } }

    /// Records the beginning of writing, which may be a retry.
    func willWrite() {
        state.withLock { state in
            state.released = []
            state.isWritten = false
        }
    }

    /// Records that everything is written.
    func willCommit() { state.withLock { $0.isWritten = true } }

    /// Runs a save or batch including its commit, then keeps or gives back its files.
    func finish<Result>(_ save: () throws -> Result) throws -> Result {
        do {
            let result = try save()
            files.release(end(isKept: state.withLock { $0.isWritten }))
            return result
        } catch {
            // Unless the disk was full, a failed commit may still be found on the disk after a crash.
            _ = end(isKept: state.withLock { $0.isWritten } && (error as? StoreError)?.code != .full)
            throw error
        }
    }

    /// Keeps or gives back the new files, and returns the files to release.
    private func end(isKept: Bool) -> [ExternalFileName] {
        let (new, released) = state.withLock { state in
            defer { state = State() }
            return (state.new, state.released)
        }
        for file in new {
            if isKept { file.keep() } else { file.unclaim() }
        }
        return isKept ? released : []
    }
}

extension ExternalFiles {
    fileprivate func write(_ data: Data, _ lock: OpenFolder) throws(FileError) -> NewExternalFile {
        let (new, file) = try make(lock)
        _ = new.claim()
        try file.append(data.span)
        try file.sync()
        return new
    }
}

// MARK: Files of a save

extension StoreSaveRequest {
    /// The values for columns that may name files. Derived values aren't known yet and are stored in their rows,
    /// whatever their size.
    func externalValues(_ tables: StoreTables) -> [ExternalColumnValue] {
        let rows =
            insertions.map { ($0.objectID, $0.row, Array($0.row.attributes.indices)) }
            + updates.map { ($0.objectID, $0.row, $0.attributes) }
        return rows.flatMap { objectID, row, slots in
            tables.externalValues(of: row, objectID, slots.filter { !objectID.entity.attributes[$0].isDerived })
        }
    }

    /// The columns that may name files and that this save overwrites or deletes, by table and key.
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

extension StoreTables {
    /// The values of a row for columns that may name files.
    func externalValues(
        of row: Row,
        _ objectID: ManagedObjectID,
        _ slots: some Sequence<Int>
    ) -> [ExternalColumnValue] {
        guard let external = externalColumns[objectID.entity.index] else { return [] }
        return slots.flatMap { slot in
            (external[slot] ?? .none).externalValues(row.attributes[slot]).map { (objectID, $0.column, $0.data) }
        }
    }
}

extension AttributeColumns {
    /// The indexes of the columns that may name files.
    var externalColumns: [Int] {
        switch self {
        case .value(let place, .externalData): [place]
        case .none, .value: []
        case .composite(_, let elements): elements.flatMap(\.columns.externalColumns)
        }
    }

    /// The data of a value for each of those columns.
    fileprivate func externalValues(_ value: Value) -> [(column: Int, data: Data)] {
        switch (self, value) {
        case (.value(let place, .externalData), .data(let data)): [(place, data)]
        case (.composite(_, let elements), .dictionary(let members)):
            elements.flatMap { element, columns in columns.externalValues(members[element.name] ?? .null) }
        default: []
        }
    }
}

extension StoreSchema {
    /// The attributes with columns that may name files, by entity index and slot.
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
