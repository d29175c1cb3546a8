// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Streaming of large values")
struct ValueStreamingTests {
    @Test("a value that is staged in pieces is saved in the row's file and can be read in pieces")
    func roundTrip() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let photo = try gallery.attribute("photo")
            let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let count = 16
            let writer = try gallery.coordinator.stageValue(for: photo, of: gallery.entity())
            for place in 1...count {
                try writer.append(piece.span)
                // The bytes are written at once, none stays in memory.
                #expect(try gallery.contents(gallery.files[0]).count == place * piece.count)
            }
            let staged = try writer.finish()
            let files = gallery.files
            #expect(files.count == 1)
            let id = try gallery.insert(["photo": staged.value])
            // The save neither copies nor renames the file.
            #expect(gallery.files == files)
            let reader = try #require(try gallery.coordinator.openValue(of: photo, object: id))
            #expect(reader.size == count * piece.count)
            for place in 0..<count {
                #expect(try reader.read(place * piece.count..<(place + 1) * piece.count) == piece)
            }
            #expect(try reader.read(reader.size - 1..<reader.size + 10) == [piece[65_535]])
            #expect(try reader.read(reader.size + 5..<reader.size + 10) == [])
        }
    }

    @Test("a small value, or one of an attribute without external storage, needs no file")
    func small() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            for (name, count) in [("photo", 10), ("thumbnail", 1000)] {
                let writer = try gallery.store.stageValue(for: gallery.attribute(name))
                for byte in 0..<count { try writer.append([UInt8(truncatingIfNeeded: byte)].span) }
                let staged = try writer.finish()
                #expect(gallery.files == [])
                let id = try gallery.insert([name: staged.value])
                let reader = try #require(
                    try gallery.store.openValue(of: gallery.attribute(name), object: id, at: nil)
                )
                #expect(reader.size == count)
                #expect(try reader.read(3..<5) == [3, 4])
                #expect(try reader.read(count - 1..<count + 9) == [UInt8(truncatingIfNeeded: count - 1)])
            }
        }
    }

    @Test("an unfinished or unsaved value leaves no file")
    func dropped() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let photo = try gallery.attribute("photo")
            var writer: (any ValueWriter)? = try gallery.store.stageValue(for: photo)
            try writer?.append([UInt8](repeating: 1, count: 100).span)
            #expect(gallery.files.count == 1)
            writer = nil
            #expect(gallery.files == [])
            writer = try gallery.store.stageValue(for: photo)
            try writer?.append([UInt8](repeating: 1, count: 100).span)
            var staged = try writer?.finish()
            writer = nil
            #expect(gallery.files.count == 1)
            let value = try #require(staged?.value)
            staged = nil
            #expect(gallery.files == [])
            // The bytes are still readable, and saved like any other value.
            let id = try gallery.insert(["photo": value])
            #expect(try gallery.value("photo", of: id) == .bytes(1, 100))
            #expect(staged == nil && writer == nil)
        }
    }

    @Test("a staged value that is set for two objects has a file for each")
    func shared() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let writer = try gallery.store.stageValue(for: gallery.attribute("photo"))
            try writer.append([UInt8](repeating: 1, count: 100).span)
            let staged = try writer.finish()
            let first = try gallery.insert(["photo": staged.value, "back": staged.value], as: "Painting")
            #expect(gallery.files.count == 2)
            let second = try gallery.insert(["photo": staged.value])
            #expect(gallery.files.count == 3)
            try gallery.delete(first)
            #expect(try gallery.value("photo", of: second) == .bytes(1, 100))
            #expect(try gallery.named() == gallery.files)
        }
    }

    @Test("a staged value can be saved after a conflict")
    func conflict() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.insert(["name": .string("a")])
            let writer = try gallery.store.stageValue(for: gallery.attribute("photo"))
            try writer.append([UInt8](repeating: 1, count: 100).span)
            let staged = try writer.finish()
            let files = gallery.files
            #expect(throws: GraphError.self) {
                try gallery.insert(["name": .string("a"), "photo": staged.value])
            }
            #expect(gallery.files == files)
            let id = try gallery.insert(["name": .string("b"), "photo": staged.value])
            #expect(gallery.files == files)
            #expect(try gallery.value("photo", of: id) == .bytes(1, 100))
        }
    }

    @Test("an open value is readable to its end despite later saves, and a generation opens its old value")
    func isolation() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let photo = try gallery.attribute("photo")
            let id = try gallery.insert(["photo": .bytes(1, 100)])
            let reader = try #require(try gallery.store.openValue(of: photo, object: id, at: nil))
            let token = try gallery.coordinator.currentQueryGeneration()
            try gallery.delete(id)
            #expect(try reader.read(0..<100) == Array(repeating: 1, count: 100))
            #expect(try gallery.coordinator.openValue(of: photo, object: id) == nil)
            let older = try #require(try gallery.coordinator.openValue(of: photo, object: id, at: token))
            #expect(try older.read(99..<100) == [1])
        }
    }

    @Test(
        "a large inline value is read in the requested pieces only, from the state in which it was opened",
        arguments: ["photo", "thumbnail"]
    )
    func inRow(name: String) throws {
        try Checkout.withFolder { folder in
            let files = FaultyFileSystem()
            var options = files.options
            options.externalStorageThreshold = .max
            let model = try Gallery.model.get()
            let (piece, count) = (64 * 1024, 64)
            let bytes = (0..<piece * count).map { UInt8(truncatingIfNeeded: $0 / 251) }
            let store = try SQLiteStore(path: folder + "/Store.sqlite", model: model, options: options)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let id = try coordinator.withContext { context in
                let object = try context.insert("Picture")
                try object.setValue(.data(Data(bytes)), forKey: name)
                try context.save()
                return object.objectID
            }
            let attribute = try #require(model.entity(named: "Picture")?.attribute(named: name))
            var before = files.bytesRead
            let reader = try #require(try store.openValue(of: attribute, object: id, at: nil))
            #expect(files.bytesRead - before < 2 * piece)
            #expect(reader.size == bytes.count)
            try coordinator.withContext { context in
                try context.object(with: id).setValue(.bytes(1, 100), forKey: name)
                try context.save()
            }
            #expect(try store.openValue(of: attribute, object: id, at: nil)?.size == 100)
            for place in [0, count - 1] + Array(0..<count) {
                before = files.bytesRead
                let range = place * piece..<(place + 1) * piece
                #expect(try reader.read(range).elementsEqual(bytes[range]))
                #expect(files.bytesRead - before < 4 * piece, "\(place)")
            }
            #expect(try reader.read(bytes.count - 2..<bytes.count + 9) == Array(bytes.suffix(2)))
            #expect(try reader.read(bytes.count + 5..<bytes.count + 9) == [])
        }
    }

    @Test("large inline values can be read concurrently", arguments: [true, false])
    func inRowTogether(sharesGeneration: Bool) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let thumbnail = try gallery.attribute("thumbnail")
            let ids = try (0..<4).map { try gallery.insert(["thumbnail": .bytes($0, 300_000)]) }
            let generation = sharesGeneration ? try gallery.store.currentGeneration() : nil
            DispatchQueue.concurrentPerform(iterations: 4) { place in
                #expect(throws: Never.self) {
                    for id in ids {
                        let reader = try gallery.store.openValue(of: thumbnail, object: id, at: generation)
                        for start in stride(from: 0, to: 300_000, by: 30_000 + place) {
                            let piece = try reader?.read(start..<start + 10) ?? []
                            #expect(piece.count == 10 || start > 299_990)
                            #expect(Set(piece).count == 1)
                        }
                    }
                }
            }
        }
    }

    @Test("attributes of other types can't be streamed")
    func types() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let name = try gallery.attribute("name")
            let id = try gallery.insert(["name": .string("a")])
            #expect(throws: GraphError.self) { try gallery.store.openValue(of: name, object: id, at: nil) }
            #expect(throws: GraphError.self) { try gallery.store.stageValue(for: name) }
        }
    }
}

extension Gallery {
    fileprivate func entity() throws -> EntityDescription { try #require(Self.model.get().entity(named: "Picture")) }
}
