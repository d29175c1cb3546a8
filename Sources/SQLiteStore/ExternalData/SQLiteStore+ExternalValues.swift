// SPDX-License-Identifier: Apache-2.0

// Reads and writes large values in pieces, and lists their files.

import Dispatch
import FoundationEssentials
public import ObjectGraph
import ObjectModel
import SQLiteDriver

extension SQLiteStore {
    public func openValue(
        of attribute: AttributeDescription,
        object: ManagedObjectID,
        at generation: (any StoreGeneration)?
    ) throws -> (any ValueReader)? {
        try attribute.checkIsBinary()
        switch try reading(generation, { try $0.openValue(of: attribute.name, object) }) {
        case .reader(let reader): return reader
        case .inRow(let place):
            // The value must not change between reads.
            guard let generation = generation as? SQLiteGeneration else {
                return try openValue(of: attribute, object: object, at: currentGeneration())
            }
            return try naming { try StoredValueReader(place, generation, path) }
        case nil: return nil
        }
    }

    public func stageValue(for attribute: AttributeDescription) throws -> any ValueWriter {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        try attribute.checkIsBinary()
        guard let files = tables.files, attribute.attribute.allowsExternalStorage else { return DataWriter() }
        return ExternalValueWriter(files, path: path)
    }
}

/// A file that contains a value of an object.
public struct ExternalFile: Hashable, Sendable {
    /// Its name in the object's row.
    public let name: String
    public let path: String
    /// Its size in bytes, or nil if the file is missing.
    public let size: Int?
}

extension SQLiteStore {
    /// The folder of a store's large values, which must be moved and copied with the store.
    public static func externalFolder(ofStoreAt path: String) -> String { ExternalFolder(store: path).path }

    /// The name of the folder beside a store that contains its external folder.
    package static func supportName(ofStoreAt path: String) -> String { ExternalFolder.supportName(ofStoreAt: path) }

    /// The files that a state of the store names, sorted by name. They exist as long as the generation is held, so they
    /// can be copied with that state.
    public func externalFiles(at generation: (any StoreGeneration)? = nil) throws -> [ExternalFile] {
        let folder = ExternalFolder(store: path)
        return try reading(generation) { reader in
            var names: Set<ExternalFileName> = []
            try reader.connection.allExternalNames { names.insert($0) }
            return names.map(folder.file).sorted { $0.name < $1.name }
        }
    }

    /// Removes files that no row names and that are older than the opening of the store: remains of a crash.
    ///
    /// The store does this itself after opening. Nothing is removed while any process has files
    /// that rows don't name yet.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    public func removeOrphanedFiles() throws -> Int {
        guard !isReadOnly, let files = tables.files else { return 0 }
        return try naming { try OrphanCollection(files: files, database: database).run() }
    }

    /// Runs in the background so that opening a store doesn't wait for it.
    func collectOrphansInBackground() {
        guard !isReadOnly, let files = tables.files, FileManager.default.fileExists(atPath: files.folder.path) else {
            return
        }
        DispatchQueue.global(qos: .utility).async { [weak database, background] in
            background.run {
                guard let database else { return }
                // Files that can't be removed now are tried again at the next opening.
                _ = try? OrphanCollection(files: files, database: database, cancellation: background.cancellation).run()
            }
        }
    }
}

extension ExternalFolder {
    fileprivate func file(_ name: ExternalFileName) -> ExternalFile {
        ExternalFile(name: name.text, path: path(of: name), size: size(of: name))
    }
}
