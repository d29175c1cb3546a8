// SPDX-License-Identifier: Apache-2.0

// The large values that are being saved, in files before a row names them.

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

/// The files that the columns of rows are to name, by objects and places of columns. What isn't in it stands in its row.
typealias ExternalPlaces = [ManagedObjectID: [Int: ExternalFileName]]

/// A value that may be too large for the column of an object's row.
typealias ExternalColumnValue = (objectID: ManagedObjectID, column: Int, data: Data)

/// Files that a save or a batch has written, those that it lets go of, and what becomes of both.
//
//     place() ──▶ written ── sync() ──▶ for good ── willCommit() ──▶ in doubt ── settle() ──▶ kept, others released
//                    │                     │                            │
//                    └─────────────────────┴──── settle() fails ────────┴──▶ given back, and removed if they weren't staged;
//                                                                            in doubt: kept
final class ExternalPlacement: Sendable {
    private let files: ExternalFiles
    private let state = Mutex(State())

    private struct State {
        var new: [NewExternalFile] = []
        var lock: OpenFolder?
        var released: [ExternalFileName] = []
        /// Whether all is written that a commit would keep.
        var isWritten = false
    }

    init(_ files: ExternalFiles) {
        self.files = files
    }

    deinit {
        for file in state.withLock({ $0.new }) { file.giveBack() }
    }

    /// Writes a value that is too large for its row into a file that one column may name; nil for others.
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

    /// How many files there are, to come back to.
    var count: Int { state.withLock { $0.new.count } }

    /// Gives back those that came after there were so many.
    func giveBack(from count: Int) {
        let dropped = state.withLock { state in
            defer { state.new.removeSubrange(count...) }
            return state.new[count...]
        }
        for file in dropped { file.giveBack() }
    }

    /// Has the files in their folder for good.
    func sync() throws(FileError) { try state.withLock { $0.lock }?.sync() }

    /// Lets go of files once all is committed.
    func release(_ names: [ExternalFileName]) { state.withLock { $0.released += names } }

    /// Says that the writing, which may have begun anew, has begun.
    func willWrite() {
        state.withLock { state in
            state.released = []
            state.isWritten = false
        }
    }

    /// Says that all is written.
    func willCommit() { state.withLock { $0.isWritten = true } }

    /// Does a save or a batch to the end of its commit.
    func settle<Result>(_ save: () throws -> Result) throws -> Result {
        do {
            let result = try save()
            files.release(end(isKept: state.withLock { $0.isWritten }))
            return result
        } catch {
            // A commit that failed for another reason than room may be found on the disk after a crash.
            _ = end(isKept: state.withLock { $0.isWritten } && (error as? StoreError)?.code != .full)
            throw error
        }
    }

    /// What is let go of.
    private func end(isKept: Bool) -> [ExternalFileName] {
        let (new, released) = state.withLock { state in
            defer { state = State() }
            return (state.new, state.released)
        }
        for file in new {
            if isKept { file.keep() } else { file.giveBack() }
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

// MARK: What a save writes, and lets go of

extension StoreSaveRequest {
    /// The values that it writes into columns that may name files. Derived ones, which aren't known yet, stand in their rows
    /// whatever their size.
    func externalValues(_ tables: StoreTables) -> [ExternalColumnValue] {
        let rows =
            insertions.map { ($0.objectID, $0.row, Array($0.row.attributes.indices)) }
            + updates.map { ($0.objectID, $0.row, $0.attributes) }
        return rows.flatMap { objectID, row, slots in
            tables.externalValues(of: row, objectID, slots.filter { !objectID.entity.attributes[$0].isDerived })
        }
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

extension StoreTables {
    /// The values of a row in columns that may name files.
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
    /// The places of those columns that may name files.
    var externalColumns: [Int] {
        switch self {
        case .value(let place, .externalData): [place]
        case .none, .value: []
        case .composite(_, let elements): elements.flatMap(\.columns.externalColumns)
        }
    }

    /// The bytes of a value that those columns are to hold.
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
