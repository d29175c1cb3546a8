// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Large values in batches")
struct ExternalBatchTests {
    /// A row that is inserted directly, and one that needs the engine.
    static let rows: [[String: Value]] = [
        ["name": .string("plain"), "photo": .bytes(1, 20), "scan": .dictionary(["bytes": .bytes(2, 30)])],
        ["name": .string("small"), "photo": .bytes(3, 10)], ["name": .string("none")],
    ]

    @Test("a batch insertion stores large values in files")
    func inserting() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let ids = try gallery.insert(batch: Self.rows)
            #expect(gallery.files.count == 2)
            #expect(try gallery.named() == gallery.files)
            #expect(try gallery.value("photo", of: ids[0]) == .bytes(1, 20))
            #expect(try gallery.value("photo", of: ids[1]) == .bytes(3, 10))
            let scan = Value.dictionary(["bytes": .bytes(2, 30), "label": .null])
            #expect(try gallery.value("scan", of: ids[0]) == scan)
        }
    }

    @Test("replaced rows release their files")
    func upserting() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let ids = try gallery.insert(batch: Self.rows)
            let before = Set(gallery.files)
            let rows: [[String: Value]] = [["name": .string("plain"), "photo": .bytes(4, 40)]]
            try gallery.insert(batch: rows, .mergeByPropertyObjectTrump)
            #expect(Set(gallery.files).intersection(before).count == 1)
            #expect(gallery.files.count == 2)
            #expect(try gallery.value("photo", of: ids[0]) == .bytes(4, 40))
            try gallery.insert(batch: rows, .mergeByPropertyStoreTrump)
            #expect(gallery.files.count == 2)
        }
    }

    @Test("a staged value becomes the file of a row that a batch inserts")
    func staged() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let writer = try gallery.store.stageValue(for: gallery.attribute("photo"))
            try writer.append([UInt8](repeating: 4, count: 50).span)
            let staged = try writer.finish()
            let files = gallery.files
            try gallery.insert(batch: [["photo": staged.value]])
            #expect(gallery.files == files)
            #expect(try gallery.named() == files)
        }
    }

    @Test("a failed batch insertion leaves no files", arguments: [1, 600])
    func failing(count: Int) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.insert(["name": .string("taken")])
            let rows = (0..<count).map { ["name": .string("\($0)"), "photo": Value.bytes(1, 20)] }
            #expect(throws: GraphError.self) {
                try gallery.insert(batch: rows + [["name": .string("taken"), "photo": .bytes(1, 20)]])
            }
            #expect(gallery.files == [])
            #expect(throws: GraphError.self) {
                var left = rows[...]
                try gallery.coordinator.execute(
                    BatchInsertRequest("Picture") {
                        guard let row = left.popFirst() else { throw CancellationError() }
                        return row
                    }
                )
            }
            #expect(gallery.files == [])
        }
    }

    @Test("a batch update gives each row its own file and releases the old ones", arguments: [5, 20])
    func updating(size: Int) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let rows = (0..<3).map { ["name": .string("\($0)"), "photo": Value.bytes(UInt8($0), 20)] }
            let ids = try gallery.insert(batch: rows)
            let painting = try gallery.insert(["photo": .bytes(9, 20), "back": .bytes(8, 20)], as: "Painting")
            let before = Set(gallery.files)
            try gallery.update(
                batch: ["photo": .constant(.bytes(7, size))],
                where: "name == '0' OR name == '1' OR name == nil"
            )
            for id in [ids[0], ids[1], painting] { #expect(try gallery.value("photo", of: id) == .bytes(7, size)) }
            #expect(try gallery.value("photo", of: ids[2]) == .bytes(2, 20))
            #expect(try gallery.value("back", of: painting) == .bytes(8, 20))
            #expect(Set(gallery.files).intersection(before).count == 2)
            #expect(gallery.files.count == (size > 10 ? 5 : 2))
            #expect(try gallery.named() == gallery.files)
            try gallery.update(batch: ["photo": .constant(.null), "thumbnail": ObjectExpression("photo")])
            #expect(try gallery.value("thumbnail", of: ids[2]) == .bytes(2, 20))
            #expect(gallery.files.count == 1)
            try gallery.update(batch: ["back": ObjectExpression("thumbnail")], of: "Painting")
            #expect(gallery.files.count == (size > 10 ? 1 : 0))
            #expect(try gallery.named() == gallery.files)
        }
    }

    @Test("a failed batch update keeps the old files and leaves no new ones", arguments: [5, 20])
    func failingUpdate(size: Int) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let rows = (0..<3).map { ["name": .string("\($0)"), "photo": Value.bytes(UInt8($0), 20)] }
            let ids = try gallery.insert(batch: rows)
            let before = gallery.files
            let values: [String: ObjectExpression] = [
                "photo": .constant(.bytes(7, size)), "name": .constant(.string("same")),
            ]
            #expect(throws: GraphError.self) { try gallery.update(batch: values) }
            #expect(gallery.files == before)
            for (place, id) in ids.enumerated() {
                #expect(try gallery.value("photo", of: id) == .bytes(UInt8(place), 20))
            }
        }
    }

    @Test("a batch deletion releases the files of all rows that it deletes, including cascaded ones")
    func deleting() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let album = try gallery.insert(["name": .string("album")], as: "Album")
            var rows = Self.rows
            for place in rows.indices { rows[place]["album"] = album.value }
            try gallery.insert(batch: rows)
            let other = try gallery.insert(["photo": .bytes(5, 20), "back": .bytes(6, 20)], as: "Painting")
            #expect(gallery.files.count == 4)
            #expect(try gallery.delete(of: "Album").count == 4)
            #expect(gallery.files.count == 2)
            #expect(try gallery.named() == gallery.files)
            var generation: (any StoreGeneration)? = try gallery.store.currentGeneration()
            try gallery.delete(batch: "back != nil", of: "Painting")
            #expect(gallery.files.count == 2)
            #expect(try gallery.value("photo", of: other, at: generation) == .bytes(5, 20))
            generation = nil
            #expect(gallery.files == [])
            #expect(generation == nil)
        }
    }

    @Test("a failed batch deletion keeps the files")
    func failingDeletion() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.insert(batch: Self.rows)
            let before = gallery.files
            try gallery.store.database.write {
                try $0.execute("CREATE TRIGGER t AFTER DELETE ON ZPICTURE BEGIN SELECT RAISE(ABORT, 'no'); END")
            }
            #expect(throws: GraphError.self) { try gallery.delete() }
            #expect(gallery.files == before)
        }
    }

    @Test("batches look for files only in tables and columns that may have them")
    func statements() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.insert(batch: Self.rows)
            let looking = try gallery.statements {
                try gallery.update(batch: ["name": .constant(.null)], where: "name == 'none'")
                try gallery.delete(of: "Album")
                try gallery.update(batch: ["photo": .constant(.null)], where: "name == 'plain'")
                try gallery.delete()
            }
            #expect(
                looking.filter { $0.contains("= 38") } == [
                    """
                    SELECT Z_PK, CASE WHEN length(ZPHOTO) = 38 THEN ZPHOTO END FROM ZPICTURE WHERE Z_PK IN \
                    (SELECT t0.Z_PK FROM ZPICTURE AS t0 WHERE t0.ZNAME = ? AND t0.ZPHOTO IS NOT ?)
                    """,
                    """
                    SELECT Z_PK, CASE WHEN length(ZPHOTO) = 38 THEN ZPHOTO END, CASE WHEN length(ZSCAN_BYTES) = 38 \
                    THEN ZSCAN_BYTES END, CASE WHEN length(ZBACK) = 38 THEN ZBACK END FROM ZPICTURE WHERE Z_PK IN \
                    (SELECT Z_PK FROM temp.Z_BATCH WHERE ZROOT = 2)
                    """,
                ]
            )
        }
    }

    @Test("a value derived from a large value is a copy that outlives the original's file")
    func derived() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let picture = try gallery.insert(["name": .string("a"), "photo": .bytes(1, 20)])
            let print = try gallery.insert(batch: [["picture": picture.value]], as: "Print")[0]
            #expect(try gallery.value("photo", of: print) == .bytes(1, 20))
            try gallery.update(batch: ["photo": .constant(.bytes(2, 20))])
            #expect(try gallery.value("photo", of: print) == .bytes(2, 20))
            try gallery.update(batch: ["photo": .constant(.bytes(2, 5))])
            #expect(try gallery.value("photo", of: print) == .bytes(2, 5))
            #expect(gallery.files == [])
        }
    }

    @Test("a batch fails completely or succeeds if any file operation fails", arguments: [false, true])
    func faults(lasts: Bool) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let kept = try gallery.insert(["name": .string("kept"), "photo": .bytes(9, 20)])
            let files = FailingFiles()
            for n in 1... {
                files.fail(n, lasts: lasts)
                var isDone = false
                do {
                    try files.run {
                        try gallery.insert(batch: Self.rows)
                        isDone = true
                        try gallery.update(batch: ["photo": .constant(.bytes(5, 50))], where: "name == 'plain'")
                        try gallery.delete(batch: "name == 'plain'")
                    }
                } catch {
                    #expect(StoreError(in: error)?.code == .full, "\(n): \(error)")
                }
                let hasFailed = files.mend() > 0
                #expect(Set(gallery.files).isSuperset(of: try gallery.named()), "\(n)")
                #expect(try gallery.value("photo", of: kept) == .bytes(9, 20))
                #expect(
                    try gallery.coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Picture")) == 1 }
                        != isDone
                )
                try gallery.delete(batch: "name != 'kept'")
                guard hasFailed else { break }
            }
            let again = try Gallery(folder)
            try again.removeOrphanedFiles { again.files.count <= 1 }
            #expect(try again.named() == again.files)
        }
    }
}
