// SPDX-License-Identifier: Apache-2.0

// The kind of store that the engine is tested over: in memory, or what OUTCROP_TEST_STORE says, `xml` or `binary`.

import AtomicStores
import FoundationEssentials
import ObjectGraph

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
    static func make(_ model: ManagedObjectModel) throws -> AtomicStore {
        switch kind {
        case nil: return InMemoryStore(model: model)
        case "xml": return try AtomicStore(path: path(), format: .xml, model: model)
        case "binary": return try AtomicStore(path: path(), format: .binary, model: model)
        case let kind?: throw UnknownKind(kind: kind)
        }
    }

    private static func path() throws -> String { try folder.get() + "/" + UUID().uuidString }
}
