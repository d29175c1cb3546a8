// SPDX-License-Identifier: Apache-2.0

// The kind of store that the engine is tested over: in memory, or what OUTCROP_TEST_STORE says, `xml`, `binary` or
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

    /// A new store, empty.
    static func make(_ model: ManagedObjectModel) throws -> any PersistentStore {
        switch kind {
        case nil: return InMemoryStore(model: model)
        case "xml": return try AtomicStore(path: path(), format: .xml, model: model)
        case "binary": return try AtomicStore(path: path(), format: .binary, model: model)
        case "sqlite": return try SQLiteStore(path: path(), model: model)
        case let kind?: throw UnknownKind(kind: kind)
        }
    }

    private static func path() throws -> String { try folder.get() + "/" + UUID().uuidString }
}
