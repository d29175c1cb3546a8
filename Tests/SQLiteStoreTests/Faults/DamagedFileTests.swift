// SPDX-License-Identifier: Apache-2.0

// Files that aren't stores, and randomly damaged stores.

import FoundationEssentials
import LedgerProgram
import ObjectGraph
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("Foreign and damaged files")
struct DamagedFileTests {
    /// A file that is refused, and the error code.
    struct Foreign: Sendable, CustomStringConvertible {
        let description: String
        let code: StoreError.Code
        var bytes: [UInt8]?
        /// The SQL that makes it from a store.
        var script: String?
    }

    static let refused: [Foreign] =
        [
            ("text", Array("Dear diary,\n".utf8)), ("one byte", [83]), ("an archive", [80, 75, 3, 4] + zeros(200)),
            ("zeros", zeros(8192)), ("a name alone", Array("SQLite format 3".utf8)),
            ("a head without a body", Array("SQLite format 3\0".utf8)),
            ("a head and nonsense", Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0xAA, count: 5000)),
        ].map { Foreign(description: $0.0, code: .notAStore, bytes: $0.1) }
        + [
            ("a database of its own", StoreError.Code.notAStore, "DROP TABLE Z_METADATA"),
            ("no primary keys", .notAStore, "DROP TABLE Z_PRIMARYKEY"),
            ("metadata without a row", .damaged, "DELETE FROM Z_METADATA"),
            ("metadata that are no list", .damaged, "UPDATE Z_METADATA SET Z_PLIST = x'62706C69737430300102'"),
            ("metadata that are text", .damaged, "UPDATE Z_METADATA SET Z_PLIST = 'metadata'"),
            ("no metadata in the row", .damaged, "UPDATE Z_METADATA SET Z_PLIST = NULL"),
            (
                "metadata that are an array", .damaged,
                "UPDATE Z_METADATA SET Z_PLIST = '<plist version=\"1.0\"><array/></plist>'"
            ),
            ("no identifier", .damaged, "UPDATE Z_METADATA SET Z_UUID = NULL"),
            ("another identifier", .damaged, "UPDATE Z_METADATA SET Z_UUID = '4711'"),
            ("equal names", .damaged, "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Tag'"),
            ("no column of an entity", .otherModel, "ALTER TABLE ZITEM RENAME COLUMN ZPAYLOAD TO ZLOAD"),
            ("no table of an entity", .otherModel, "ALTER TABLE ZITEM RENAME TO ZTHING"),
        ].map { Foreign(description: $0.0, code: $0.1, script: $0.2) }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test("a foreign file is refused with the reason and not changed", arguments: refused)
    func foreign(file: Foreign) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            if let script = file.script {
                try Self.makeStore(path)
                let connection = try Connection(path: path)
                try connection.executeScript(script)
                try connection.set("journal_mode", to: "delete")
            } else {
                try Data(file.bytes ?? []).write(to: URL(filePath: path))
            }
            try Self.expectRefusal(path, file.code)
        }
    }

    @Test("a path that isn't a regular file is refused without opening it")
    func noFile() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Self.expectRefusal(path, .notAStore)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
            try Self.expectRefusal(path, .notAStore)
        }
    }

    @Test("a refused file keeps its write-ahead log")
    func refusedWithLog() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            try Self.makeStore(path)
            let connection = try Connection(path: path)
            try connection.execute("ALTER TABLE ZITEM RENAME TO ZTHING")
            let copies = folder + "/copies"
            try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
            for end in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + end, toPath: copies + "/Store.sqlite" + end)
            }
            try Self.expectRefusal(copies + "/Store.sqlite", .otherModel)
        }
    }

    @Test("an empty file becomes a new store, unless an existing store is required")
    func empty() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            try Data().write(to: URL(filePath: path))
            for change in [\SQLiteStoreOptions.isReadOnly, \SQLiteStoreOptions.mustExist] {
                var options = SQLiteStoreOptions()
                options[keyPath: change] = true
                try Self.expectRefusal(path, .notFound, options)
            }
            try Ledger(path: path).setUp(writers: 1)
        }
    }

    @Test(
        "a store with random changed bytes fails cleanly or works",
        arguments: [7_962_421_810_333_986_794] + SeededGenerator.seeds(10)
    )
    func flipped(seed: UInt64) throws {
        try Self.expectNoHarm(rounds: 50, seed) { bytes, random in
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // The first page of each table has more effect than the pages of its values.
                let page = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
                let place =
                    random.chance(50) ? Int.random(in: 0..<160, using: &random) : .random(in: 0..<4096, using: &random)
                bytes[page + place] = UInt8.random(in: .min ... .max, using: &random)
            }
        }
    }

    @Test(
        "a truncated store fails cleanly or works",
        arguments: [14_056_670_187_198_548_369] + SeededGenerator.seeds(2)
    )
    func truncated(seed: UInt64) throws {
        try Self.expectNoHarm(rounds: 30, seed) { bytes, random in
            let length = Int.random(in: 1..<bytes.count, using: &random)
            bytes = bytes.prefix(random.chance(50) ? length : max(512, length / 4096 * 4096))
        }
    }

    @Test("a store with a damaged log has a prefix of the saves", arguments: SeededGenerator.seeds(2))
    func damagedLog(seed: UInt64) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            // Earlier states lack the files that later saves have removed.
            let options = SQLiteStoreOptions()
            try Self.makeStore(path, options)
            let ledger = try Ledger(path: path, options: options)
            for _ in 0..<10 { try ledger.save(0) }
            let files = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: path + $0)) }
            var random = SeededGenerator(seed: seed)
            for round in 0..<20 {
                let copy = folder + "/Copy\(round).sqlite"
                try files[0].write(to: URL(filePath: copy))
                var log = files[1]
                if random.chance(30) { log = log.prefix(Int.random(in: 0..<log.count, using: &random)) }
                for _ in 0..<Int.random(in: 0...3, using: &random) where !log.isEmpty {
                    log[Int.random(in: 0..<log.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                try log.write(to: URL(filePath: copy + "-wal"))
                #expect(try Ledger(path: copy, options: options).problems(acknowledged: [0: 6...16]) == [])
                #expect(try LedgerFile.problems(copy) == [])
            }
        }
    }
}

extension DamagedFileTests {
    /// A small store in a single file, except for large values if the options put them elsewhere.
    private static func makeStore(_ path: String, _ options: SQLiteStoreOptions = Ledger.options) throws {
        let ledger = try Ledger(path: path, options: options)
        try ledger.setUp(writers: 1)
        for _ in 0..<6 { try ledger.save(0) }
    }

    private static func expectRefusal(
        _ path: String,
        _ code: StoreError.Code,
        _ options: SQLiteStoreOptions = SQLiteStoreOptions(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try FolderContent(of: path)
        let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
            try SQLiteStore(path: path, model: Ledger.model.get(), options: options)
        }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error?.path == path, sourceLocation: sourceLocation)
        #expect(error?.message.contains("..") == false, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(try FolderContent(of: path) == before, sourceLocation: sourceLocation)
    }

    /// Uses a store that is damaged differently in each round.
    private static func expectNoHarm(
        rounds: Int,
        _ seed: UInt64,
        _ damage: (inout Data, inout SeededGenerator) -> Void
    ) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            try makeStore(path)
            let sound = try Data(contentsOf: URL(filePath: path))
            var random = SeededGenerator(seed: seed)
            for _ in 0..<rounds {
                var bytes = sound
                damage(&bytes, &random)
                try expectNoHarm(bytes, path)
            }
        }
    }

    /// Uses a file, and expects failures to be reported as store errors.
    private static func expectNoHarm(_ bytes: Data, _ path: String) throws {
        for end in ["-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: path + end) {
            try Checkout.remove(path + end)
        }
        try bytes.write(to: URL(filePath: path))
        let ledger: Ledger
        do {
            ledger = try Ledger(path: path)
        } catch {
            StoreError.expect(in: error, at: path)
            #expect(try FolderContent(of: path).isOnly(bytes))
            return
        }
        _ = ledger.store.metadata
        for use in [{ _ = try ledger.problems() }, { _ = try ledger.save(0) }] {
            do {
                try use()
            } catch let error as GraphError {
                if error.code == .store { StoreError.expect(in: error, at: path) }
            } catch is LedgerFailure {}
        }
    }
}
