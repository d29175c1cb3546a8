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

@Suite("Large values in files of their own")
struct ExternalDataTests {
    @Test("a value up to the threshold stands behind a mark in its row, a larger one in a file that the row names")
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

    @Test("an empty value has its mark alone, and nil has none")
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

    @Test("elements of composites and attributes of subentities have files as well")
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

    @Test("an update writes the changed value alone, and removes the file of the old one")
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

    @Test("a save in conflict leaves neither rows nor files, and the old file stays")
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
        "a disk that is full at any step is told, and leaves nothing half",
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

    @Test("a generation keeps the files that it names, and nobody keeps them after it")
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
            // Whoever began earlier might have come upon what was let go of later, had it been there then.
            #expect(gallery.files.count == 2)
            first = nil
            #expect(gallery.files == [])
            #expect(first == nil && second == nil)
        }
    }

    @Test("a value that was read stays as it was when its file is gone")
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

    @Test("what a crash left is removed after the next opening for writing, and nothing else is")
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
                // A table of somebody else's counts, too.
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
            // The opening itself removes them as well, and has the lock meanwhile.
            let again = try Gallery(folder)
            for _ in 0..<10_000 where again.files.contains(orphan) { try again.store.removeOrphanedFiles() }
            #expect(again.files.count == 4)
            #expect(again.files.contains(named[0]))
            #expect(try again.value("photo", of: id) == .bytes(1, 20))
        }
    }

    @Test("the file is closed with the store, whatever is done in the background")
    func closing() throws {
        try Checkout.withFolder { folder in
            for _ in 0..<30 {
                do {
                    let gallery = try Gallery(folder)
                    try gallery.insert(["photo": .bytes(1, 20)])
                    let orphan = gallery.dataFolder + "/" + UUID().uuidString
                    try OpenFile(writing: orphan, existing: .isAnError).append([1].span)
                }
                // Whoever closes a file as the last one removes its log.
                #expect(!FileSystem.exists(folder + "/My.Store.sqlite-wal"))
            }
        }
    }

    @Test("files that are about to be named are nobody's orphans")
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

    @Test("a store that is read only reads files, and makes no folder")
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

    @Test("a value whose file is gone is nil, an error where it is opened, and told of in the list of files")
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
                    == "The file \(gallery.dataFolder)/\(name) of a large value isn't there."
            )
            #expect(error?.hint == "It has “photo” of \(id).")
            let listed = ExternalFile(name: name, path: gallery.dataFolder + "/" + name, size: nil)
            #expect(try gallery.store.externalFiles() == [listed])
            try gallery.delete(id)
            #expect(try gallery.store.externalFiles() == [])
        }
    }

    @Test(
        "a name that isn't one leads nowhere",
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

    @Test("the names of files are found by statements that read no other values")
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
