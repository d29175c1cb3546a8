// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Stores with the same name except for the extension")
struct StorePlaceTests {
    @Test("a store next to another of the same name removes no files of large values")
    func collection() throws {
        try Checkout.withFolder { folder in
            let stray = try Gallery(folder).dataFolder + "/0F0E0D0C-0B0A-0908-0706-050403020100"
            let neighbor = folder + "/My.Store.db"
            try FileManager.default.createDirectory(
                atPath: URL(filePath: stray).deletingLastPathComponent().path,
                withIntermediateDirectories: true
            )
            try Data("SQLite format 3\0".utf8).write(to: URL(filePath: neighbor))
            try Data([7]).write(to: URL(filePath: stray))
            let gallery = try Gallery(folder)
            #expect(try gallery.store.removeOrphanedFiles() == 0)
            #expect(FileManager.default.fileExists(atPath: stray))
            try FileManager.default.removeItem(atPath: neighbor)
            // A file of the same name may not be a database.
            try Data("<store ".utf8).write(to: URL(filePath: folder + "/My.Store.xml"))
            // The store's own check in the background may have been faster.
            _ = try gallery.store.removeOrphanedFiles()
            #expect(!FileManager.default.fileExists(atPath: stray))
        }
    }

    @Test("a copy next to a store of the same name is refused")
    func making() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.insert(["photo": .bytes(7, 100)])
            for make in [
                { try gallery.store.backUp(to: folder + "/My.Store.db") },
                { try SQLiteStore.backUp(folder + "/My.Store.sqlite", to: folder + "/My.Store.db") },
                {
                    let model = try Gallery.model.get()
                    try SQLiteStore.make(path: folder + "/My.Store.db", model: model, copying: gallery.store)
                },
            ] {
                let error = #expect(throws: StoreError.self) { try make() }
                #expect(error?.code == .exists)
                #expect(!FileManager.default.fileExists(atPath: folder + "/My.Store.db"))
            }
            #expect(try gallery.named() == gallery.files && gallery.files.count == 1)
        }
    }
}
