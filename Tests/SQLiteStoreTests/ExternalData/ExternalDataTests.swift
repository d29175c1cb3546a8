// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("External storage of large values")
struct ExternalDataTests {
    @Test("a value up to the threshold is inline with a marker byte, and a larger one is in a file named by the row")
    func layout() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(7, 10), "thumbnail": .bytes(8, 20)])
            #expect(try gallery.stored("ZPHOTO") == .blob([1] + Array(repeating: 7, count: 10)))
            #expect(try gallery.stored("ZTHUMBNAIL") == .blob(Array(repeating: 8, count: 20)))
            #expect(gallery.files == [])
            try gallery.update(id, ["photo": .bytes(9, 11)])
            let name = try #require(gallery.files.first)
            #expect(try gallery.stored("ZPHOTO") == .blob([2] + Array(name.utf8) + [0]))
            #expect(try gallery.contents(name) == Array(repeating: 9, count: 11))
            #expect(UUID(uuidString: name)?.uuidString == name)
            #expect(try gallery.value("photo", of: id) == .bytes(9, 11))
            #expect(try gallery.stored("ZTHUMBNAIL") == .blob(Array(repeating: 8, count: 20)))
        }
    }

    @Test("an empty value is stored as its marker byte, and nil as NULL")
    func empty() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(0, 0)])
            #expect(try gallery.stored("ZPHOTO") == .blob([1]))
            #expect(try gallery.value("photo", of: id) == .bytes(0, 0))
            try gallery.update(id, ["photo": .null])
            #expect(try gallery.stored("ZPHOTO") == .null)
        }
    }

    @Test("composite elements and attributes of subentities can have files")
    func elements() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let scan = Value.dictionary(["bytes": .bytes(1, 30), "label": .string("x")])
            let id = try gallery.insert(["scan": scan, "back": .bytes(2, 40)], as: "Painting")
            #expect(gallery.files.count == 2)
            #expect(try gallery.value("scan", of: id) == scan)
            #expect(try gallery.value("back", of: id) == .bytes(2, 40))
            try gallery.delete(id)
            #expect(gallery.files == [])
        }
    }

    @Test("an update writes only the changed value and removes the old value's file")
    func updating() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 20), "back": .bytes(2, 20)], as: "Painting")
            let before = Set(gallery.files)
            try gallery.update(id, ["name": .string("a")])
            #expect(Set(gallery.files) == before)
            try gallery.update(id, ["photo": .bytes(3, 20)])
            let after = Set(gallery.files)
            #expect(after.count == 2)
            #expect(after.intersection(before).count == 1)
            #expect(try gallery.value("back", of: id) == .bytes(2, 20))
            #expect(try gallery.named() == gallery.files)
            try gallery.update(id, ["photo": .bytes(3, 2), "back": .null])
            #expect(gallery.files == [])
        }
    }

    @Test("a conflicting save changes neither rows nor files")
    func conflict() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 20), "name": .string("a")])
            let before = gallery.files
            let row = try #require(try gallery.store.snapshots(of: [id], at: nil)[0]).row
            let slot = try gallery.attribute("photo").slot
            var changed = row
            changed.attributes[slot] = .bytes(2, 20)
            var request = StoreSaveRequest()
            request.updates = [.init(objectID: id, version: 17, row: changed, attributes: [slot], toOnes: [])]
            guard case .conflicts = try gallery.store.save(request) else {
                Issue.record("The save went through.")
                return
            }
            #expect(gallery.files == before)
            #expect(throws: GraphError.self) { try gallery.insert(["photo": .bytes(3, 20), "name": .string("a")]) }
            #expect(gallery.files == before)
            #expect(try gallery.value("photo", of: id) == .bytes(1, 20))
        }
    }

    @Test("a save that fails in the database leaves no files")
    func failure() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.store.database.write {
                try $0.execute(
                    "CREATE TRIGGER t BEFORE INSERT ON ZPICTURE BEGIN SELECT RAISE(ABORT, 'no'); END"
                )
            }
            #expect(throws: GraphError.self) { try gallery.insert(["photo": .bytes(3, 20)]) }
            #expect(gallery.files == [])
        }
    }

    @Test(
        "a full disk at any step is reported, and the save leaves nothing",
        arguments: [FileOperation.make, .write, .sync, .syncFolder]
    )
    func full(step: FileOperation) throws {
        try Checkout.withFolder { folder in
            let disk = FailingFiles()
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 20)])
            let before = gallery.files
            disk.fail(1, step, lasts: true)
            let error = #expect(throws: GraphError.self) {
                try disk.run { try gallery.update(id, ["photo": .bytes(2, 20), "name": .string("new")]) }
            }
            #expect((error?.underlying as? StoreError)?.code == .full)
            #expect(gallery.files == before)
            #expect(try gallery.value("name", of: id) == .null)
            #expect(disk.mend() > 0)
            try gallery.update(id, ["photo": .bytes(2, 20)])
            #expect(try gallery.value("photo", of: id) == .bytes(2, 20))
            #expect(gallery.files.count == 1)
        }
    }

    @Test("a generation keeps its files until it is released")
    func generations() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 20)])
            var first: (any StoreGeneration)? = try gallery.store.currentGeneration()
            try gallery.update(id, ["photo": .bytes(2, 20)])
            var second: (any StoreGeneration)? = try gallery.store.currentGeneration()
            try gallery.delete(id)
            #expect(gallery.files.count == 2)
            #expect(try gallery.store.removeOrphanedFiles() == 0)
            #expect(try gallery.value("photo", of: id, at: first) == .bytes(1, 20))
            #expect(try gallery.value("photo", of: id, at: second) == .bytes(2, 20))
            #expect(try gallery.store.externalFiles(at: first).count == 1)
            second = nil
            // The first generation is older, so it keeps the files of both.
            #expect(gallery.files.count == 2)
            first = nil
            #expect(gallery.files == [])
            #expect(first == nil && second == nil)
        }
    }

    @Test("a value that was read stays valid after its file is removed")
    func mapping() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 300_000)])
            let value = try gallery.value("photo", of: id)
            try gallery.delete(id)
            #expect(gallery.files == [])
            #expect(value == .bytes(1, 300_000))
        }
    }

    @Test("orphaned files of a crash are removed after the next opening for writing, and no others")
    func orphans() throws {
        try Checkout.withFolder { folder in
            let orphan = "6AF6E2A5-1B5C-4C2B-9B0C-0D0F3C5E7A11"
            let others = ["notes.txt", orphan.lowercased()]
            let id: ManagedObjectID
            let named: [String]
            do {
                let gallery = try Gallery(folder)
                id = try gallery.insert(["photo": .bytes(1, 20)])
                named = gallery.files
                // References from another program's table count too.
                let foreign = "7AF6E2A5-1B5C-4C2B-9B0C-0D0F3C5E7A12"
                try gallery.store.database.write { connection in
                    try connection.execute("CREATE TABLE ZOTHER (ZDATA BLOB)")
                    let bytes = [2] + Array(foreign.utf8) + [0]
                    try connection.execute("INSERT INTO ZOTHER VALUES (\(value: .blob(bytes)))")
                }
                for name in [orphan, foreign] + others {
                    try Data([1]).write(to: URL(filePath: gallery.dataFolder + "/" + name))
                }
                #expect(try Gallery(folder, isReadOnly: true).store.removeOrphanedFiles() == 0)
                #expect(try gallery.store.removeOrphanedFiles() == 0)
                #expect(gallery.files.count == 5)
            }
            // Opening also removes orphaned files, and holds the lock meanwhile.
            let again = try Gallery(folder)
            try again.removeOrphanedFiles { !again.files.contains(orphan) }
            #expect(again.files.count == 4)
            #expect(again.files.contains(named[0]))
            #expect(try again.value("photo", of: id) == .bytes(1, 20))
        }
    }

    @Test("closing the store closes the file despite background work")
    func closing() throws {
        try Checkout.withFolder { folder in
            for _ in 0..<30 {
                do {
                    let gallery = try Gallery(folder)
                    try gallery.insert(["photo": .bytes(1, 20)])
                    let orphan = gallery.dataFolder + "/" + UUID().uuidString
                    try OpenFile(writing: orphan, existing: .fail).append([1].span)
                }
                // Closing the last connection to a file removes its log.
                #expect(!FileSystem.exists(folder + "/My.Store.sqlite-wal"))
            }
        }
    }

    @Test("a staged file is not an orphan before its save")
    func staging() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let writer = try gallery.store.stageValue(for: gallery.attribute("photo"))
            try writer.append([UInt8](repeating: 4, count: 50).span)
            let staged = try writer.finish()
            let other = try Gallery(folder)
            #expect(try other.store.removeOrphanedFiles() == 0)
            #expect(gallery.files.count == 1)
            let id = try gallery.insert(["photo": staged.value])
            #expect(try other.value("photo", of: id) == .bytes(4, 50))
        }
    }

    @Test("a read-only store reads files and creates no folder")
    func readOnly() throws {
        try Checkout.withFolder { folder in
            let id = try Gallery(folder).insert(["photo": .bytes(1, 20)])
            let gallery = try Gallery(folder, isReadOnly: true)
            #expect(try gallery.value("photo", of: id) == .bytes(1, 20))
            #expect(throws: StoreError.self) { try gallery.store.stageValue(for: gallery.attribute("photo")) }
        }
        try Checkout.withFolder { folder in
            try Gallery(folder).insert(["photo": .bytes(1, 2)])
            _ = try Gallery(folder, isReadOnly: true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasSuffix("SUPPORT") })
        }
    }

    @Test("a value without its file reads as nil, fails to open, and is listed as missing")
    func missing() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 20), "name": .string("a")])
            let name = gallery.files[0]
            try FileSystem.remove(gallery.dataFolder + "/" + name)
            #expect(try gallery.value("photo", of: id) == .null)
            #expect(try gallery.value("name", of: id) == .string("a"))
            let photo = try gallery.attribute("photo")
            let error = #expect(throws: StoreError.self) { try gallery.store.openValue(of: photo, object: id, at: nil) }
            #expect(error?.code == .missingFile)
            #expect(
                error?.message
                    == "The file \(gallery.dataFolder)/\(name) of a large value doesn't exist."
            )
            #expect(error?.hint == "It has “photo” of \(id).")
            let listed = ExternalFile(name: name, path: gallery.dataFolder + "/" + name, size: nil)
            #expect(try gallery.store.externalFiles() == [listed])
            try gallery.delete(id)
            #expect(try gallery.store.externalFiles() == [])
        }
    }

    @Test(
        "an invalid file name in a row reads as nil",
        arguments: ["", "\u{2}", "\u{2}../../../../../../../../../../etc/passwd\0", "\u{3}abc"]
    )
    func hostile(stored: String) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert([:])
            try gallery.store.database.write {
                try $0.execute("UPDATE ZPICTURE SET ZPHOTO = \(value: .blob(Array(stored.utf8)))")
            }
            #expect(try gallery.value("photo", of: id) == .null)
            #expect(try gallery.store.openValue(of: gallery.attribute("photo"), object: id, at: nil) == nil)
            try gallery.delete(id)
        }
    }

    @Test("the statements that find file names read no other values")
    func statements() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 20), "back": .bytes(1, 2)], as: "Painting")
            let seen = Mutex<[String]>([])
            gallery.store.database.tracer = { event in seen.withLock { $0.append(event.sql) } }
            try gallery.delete(id)
            gallery.store.database.tracer = nil
            #expect(
                seen.withLock { $0 }.filter { $0.contains("length") } == [
                    """
                    SELECT Z_PK, CASE WHEN length(ZPHOTO) = 38 THEN ZPHOTO END, CASE WHEN length(ZSCAN_BYTES) = 38 \
                    THEN ZSCAN_BYTES END, CASE WHEN length(ZBACK) = 38 THEN ZBACK END FROM ZPICTURE WHERE Z_PK IN (?)
                    """
                ]
            )
        }
    }
}
