// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Custom file formats")
struct OwnFormatTests {
    /// A binary file with its bytes in reverse.
    struct Backwards: AtomicFileFormat {
        let storeType = "Backwards"

        func read(_ bytes: [UInt8], model: ManagedObjectModel) throws(StoreFileError) -> StoreContent {
            try BinaryStoreFormat().read(bytes.reversed(), model: model)
        }

        func write(_ content: StoreContent, model: ManagedObjectModel) throws(StoreFileError) -> [UInt8] {
            try BinaryStoreFormat().write(content, model: model).reversed()
        }
    }

    @Test("a format written outside the library makes a working store")
    func own() throws {
        let model = try Fixture.small.get()
        try Checkout.withFolder { folder in
            let path = folder + "/Notes"
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(AtomicStore(path: path, format: Backwards(), model: model))
            try coordinator.withContext { context in
                _ = try context.insert("Note")
                try context.save()
            }
            let again = PersistentStoreCoordinator(model: model)
            let store = try AtomicStore(path: path, format: Backwards(), model: model, mustExist: true)
            try again.add(store)
            #expect(store.metadata.values[StoreMetadata.typeKey] == "Backwards")
            #expect(try again.withContext { try $0.count(FetchRequest<ManagedObject>("Note")) } == 1)
            #expect(throws: StoreFileError.self) { try AtomicStore(path: path, format: .binary, model: model) }
        }
    }
}
