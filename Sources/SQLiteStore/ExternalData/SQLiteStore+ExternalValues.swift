// SPDX-License-Identifier: Apache-2.0

// Large values that are read and written piece by piece, and the files that they are in.

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
            // What is read later has to stay as it is.
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

/// A file that has a value of some object.
public struct ExternalFile: Hashable, Sendable {
    /// Its name, by which the object's row knows it.
    public let name: String
    public let path: String
    /// Nil where the file isn't there.
    public let size: Int?
}

extension SQLiteStore {
    /// The folder of a store's large values, which goes wherever the store does.
    public static func externalFolder(ofStoreAt path: String) -> String { ExternalFolder(store: path).path }

    /// The name of the folder beside a store that has that one in it.
    package static func supportName(ofStoreAt path: String) -> String { ExternalFolder.supportName(ofStoreAt: path) }

    /// The files that a state of the store names, in the order of their names. They are there as long as the generation is held,
    /// and so can be copied with that state.
    public func externalFiles(at generation: (any StoreGeneration)? = nil) throws -> [ExternalFile] {
        let folder = ExternalFolder(store: path)
        return try reading(generation) { reader in
            var names: Set<ExternalFileName> = []
            try reader.connection.allExternalNames { names.insert($0) }
            return names.map(folder.file).sorted { $0.name < $1.name }
        }
    }

    /// Removes the files that nobody names and that are older than the opening of the store, as a crash leaves them. That happens
    /// after opening by itself; nothing is done while somebody has files that are yet to be named.
    ///
    /// - Returns: How many were removed.
    @discardableResult
    public func removeOrphanedFiles() throws -> Int {
        guard !isReadOnly, let files = tables.files else { return 0 }
        return try naming { try OrphanCollection(files: files, database: database).run() }
    }

    /// Whoever opens a store isn't to wait for it.
    func collectOrphansInBackground() {
        guard !isReadOnly, let files = tables.files, FileManager.default.fileExists(atPath: files.folder.path) else {
            return
        }
        DispatchQueue.global(qos: .utility).async { [weak database, background] in
            background.run {
                guard let database else { return }
                // What can't be removed now is there at the next opening still.
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
