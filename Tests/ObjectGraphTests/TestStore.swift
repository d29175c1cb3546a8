// SPDX-License-Identifier: Apache-2.0

// The kind of store that the engine is tested with: in memory, or as OUTCROP_TEST_STORE says, `xml`, `binary` or
// `sqlite`.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import SQLiteStore

enum TestStore {
    private static let kind = ProcessInfo.processInfo.environment["OUTCROP_TEST_STORE"]

    /// The folder of this run's files, removed when the next run starts with the same number.
    private static let folder = Result {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "outcrop-stores-\(ProcessInfo.processInfo.processIdentifier)"
        )
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    struct UnknownKind: Error {
        let kind: String
    }

    /// All kinds of stores, for behaviour that must be the same on each.
    static let kinds: [String?] = [nil, "xml", "binary", "sqlite"]

    /// A new, empty store.
    static func make(_ model: ManagedObjectModel) throws -> any PersistentStore { try make(model, kind: kind) }

    /// A new, empty store of a kind, or in memory if the kind is nil.
    static func make(_ model: ManagedObjectModel, kind: String?) throws -> any PersistentStore {
        try kind.map { try open(path(), model, kind: $0) } ?? InMemoryStore(model: model)
    }

    /// The store of a kind at a path, which may already exist.
    static func open(_ path: String, _ model: ManagedObjectModel, kind: String) throws -> any PersistentStore {
        switch kind {
        case "xml": try AtomicStore(path: path, format: .xml, model: model)
        case "binary": try AtomicStore(path: path, format: .binary, model: model)
        case "sqlite": try SQLiteStore(path: path, model: model)
        default: throw UnknownKind(kind: kind)
        }
    }

    private static func path() throws -> String { try folder.get() + "/" + UUID().uuidString }
}
