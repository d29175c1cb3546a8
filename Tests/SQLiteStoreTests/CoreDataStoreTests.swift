// SPDX-License-Identifier: Apache-2.0

// Stores that applications have written, with many versions of the framework.

import ObjectGraph
import ObjectModel
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("Stores of applications", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct CoreDataStoreTests {
    @Test(
        "a store opens by its own model and has the objects that plain SQL finds",
        arguments: Turn.part(of: Corpus.stores)
    )
    func reading(path: String) throws {
        try StoreCopy.of(path) { path in
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            let plain = try PlainTables(path: path)
            guard try plain.carriesModel else {
                let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path, options: options) }
                #expect(error?.code == .noModel)
                return
            }
            let store = try SQLiteStore(path: path, options: options)
            let coordinator = PersistentStoreCoordinator(model: store.model)
            try coordinator.add(store)
            for entity in store.model.entities where !entity.isAbstract {
                try coordinator.withContext { (context) throws in
                    let plain = try PlainTables(path: path)
                    var request = FetchRequest<ManagedObject>(entity.name)
                    request.includesSubentities = false
                    let objects = try context.fetch(request)
                    #expect(try plain.count(of: entity, in: store.model) == objects.count, "\(entity.name)")
                    for object in objects { try plain.check(object, in: store.model) }
                }
            }
        }
    }

    @Test(
        "a store opens with its own model after that was removed from the file",
        arguments: Turn.part(of: Corpus.stores)
    )
    func withoutModel(path: String) throws {
        try StoreCopy.of(path) { path in
            guard try PlainTables(path: path).carriesModel else { return }
            let model = try SQLiteStore(path: path).model
            let connection = try Connection(path: path)
            try connection.execute("DELETE FROM Z_MODELCACHE")
            _ = try SQLiteStore(path: path, model: model)
        }
    }

    @Test("a store fits the model that wrote it and no other", arguments: Turn.part(of: Corpus.storesWithModels))
    func fitting(pair: Corpus.StoreWithModel) throws {
        try StoreCopy.of(pair.store) { path in
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            let own = try SQLiteStore(path: path, options: options).model.model
            for file in pair.models {
                let version = try ModelFile.read(path: file).current
                let diff = ModelDiff(from: own, to: version.model)
                #expect(!diff.changesStorage, "\(diff)")
                _ = try SQLiteStore(path: path, model: ManagedObjectModel(version.model), options: options)
            }
            var other = own
            other.entities[0].attributes.append(Attribute(name: "neverThere", type: .string, isOptional: true))
            let model = try ManagedObjectModel(other)
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(path: path, model: model, options: options)
            }
            #expect(error?.code == .otherModel)
            #expect(error?.message.contains("neverThere") == true)
        }
    }
}
