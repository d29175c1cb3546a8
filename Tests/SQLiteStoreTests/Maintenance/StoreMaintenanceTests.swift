// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("Store maintenance")
struct StoreMaintenanceTests {
    @Test("a summary needs no model")
    func summary() throws {
        try Society.withStore { path in
            try Society.run(["DELETE FROM Z_MODELCACHE"], on: path)
            let summary = try StoreSummary(path: path)
            #expect(summary.model == nil)
            #expect(summary.entities.map(\.name) == ["Passport", "Person", "Employee", "Place", "Tag", "Visit"])
            #expect(summary.entities.map(\.objects) == [1, 2, 1, 2, 1, 1])
            #expect(summary.entities.map(\.parent) == [nil, nil, "Person", nil, nil, nil])
            #expect(summary.fileSize > 0)
            #expect(summary.historyTransactions ?? 0 > 0)
            #expect(throws: StoreError.self) { try SQLiteStore.embeddedModel(path: path) }
        }
    }

    @Test("the model in a store is read without opening the store")
    func embeddedModel() throws {
        try Society.withStore { path in
            let model = try SQLiteStore.embeddedModel(path: path)
            #expect(model.versionHashes() == Society.model.versionHashes())
        }
    }

    @Test("a backup has all rows and no orphaned files, and overwrites nothing")
    func backup() throws {
        try Society.withStore { path in
            let folder = URL(filePath: path).deletingLastPathComponent().path
            let (name, files) = ("0F0E0D0C-0B0A-0908-0706-050403020100", "/_EXTERNAL_DATA/")
            try FileManager.default.createDirectory(
                atPath: folder + "/.Society_SUPPORT" + files,
                withIntermediateDirectories: true
            )
            try Data([7]).write(to: URL(filePath: folder + "/.Society_SUPPORT" + files + name))
            // Opening a store for writing would remove orphaned files.
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            let store = try SQLiteStore(path: path, options: options)
            let copy = folder + "/Copy.sqlite"
            try store.backUp(to: copy)
            #expect(!FileManager.default.fileExists(atPath: folder + "/.Copy_SUPPORT"))
            let (one, other) = (try StoreSummary(path: path), try StoreSummary(path: copy))
            #expect(one.entities == other.entities)
            #expect(one.identifier == other.identifier)
            #expect(throws: (any Error).self) { try SQLiteStore.backUp(path, to: copy) }
            #expect(try store.check().map(\.code) == [.fileOrphaned])
            #expect(try SQLiteStore(path: copy, options: options).check() == [])
        }
    }

    @Test("a store made from another one has the same objects")
    func copying() throws {
        try Society.withStore { path in
            try Self.expectSameCopy(of: path)
        }
    }

    @Test(
        "a store made from an application's store has the same objects",
        .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"),
        arguments: Turn.part(of: Corpus.stores)
    )
    func copyingApps(path: String) throws {
        try StoreCopy.of(path) { path in
            guard (try? SQLiteStore.embeddedModel(path: path)) != nil else { return }
            try Self.expectSameCopy(of: path)
        }
    }

    private static func expectSameCopy(of path: String) throws {
        var options = SQLiteStoreOptions()
        options.isReadOnly = true
        let store = try SQLiteStore(path: path, options: options)
        let copyPath = URL(filePath: path).deletingLastPathComponent().path + "/Made.sqlite"
        try SQLiteStore.make(path: copyPath, model: store.model, copying: store)
        let copy = try SQLiteStore(path: copyPath, model: store.model, options: options)
        #expect(copy.identifier == store.identifier)
        for entity in store.model.entities {
            let request = StoreFetchRequest(entity: entity, includesSubentities: false)
            guard case .snapshots(let rows) = try store.fetch(request, at: nil),
                case .snapshots(let copied) = try copy.fetch(request, at: nil)
            else { continue }
            #expect(rows.map(\.objectID) == copied.map(\.objectID), "\(entity)")
            for (one, other) in zip(rows, copied) {
                #expect(one.row == other.row, "\(one.objectID)")
                #expect(one.version == other.version, "\(one.objectID)")
            }
            for relationship in entity.toManys where !relationship.isTransient {
                let owners = rows.map(\.objectID)
                #expect(
                    try store.members(of: relationship, owners: owners, at: nil)
                        == copy.members(of: relationship, owners: owners, at: nil),
                    "\(entity).\(relationship)"
                )
            }
        }
    }
}
