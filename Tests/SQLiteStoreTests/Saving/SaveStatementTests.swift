// SPDX-License-Identifier: Apache-2.0

// The complete statements of saves.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The SQL of saves")
struct SaveStatementTests {
    @Test(
        "a new object is inserted by one statement, followed by its pairs and its position among members"
    )
    func insertion() throws {
        try Studio.with { studio in
            let album = try studio.album("First", songs: "One")
            let (player, sound) = (try studio.insert("Player", name: "Ann"), try studio.insert("Sound", name: "Bell"))
            let other = try studio.insert("Song", name: "Zero")
            let statements = try studio.statements { context in
                let song = try context.insert("Song")
                try song.setValue("Two", forKey: "name")
                try song.relate("album", try context.existingObject(with: album))
                try song.relate("players", try context.existingObject(with: player))
                try song.relate("versions", try context.existingObject(with: other))
                try song.relate("sounds", try context.existingObject(with: sound))
            }
            #expect(
                statements == [
                    "SELECT MAX(Z_FOK_ALBUM) FROM ZSONG WHERE ZALBUM = ?",
                    """
                    INSERT INTO ZSONG (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLENGTH, ZALBUM, Z_FOK_ALBUM) VALUES (?, ?, ?, ?, \
                    ?, ?, ?)
                    """,
                    "SELECT Z_PK FROM ZALBUM WHERE Z_PK IN (?)",
                    "SELECT Z_PK FROM ZPLAYER WHERE Z_PK IN (?)",
                    "SELECT Z_PK FROM ZSONG WHERE Z_PK IN (?)",
                    "SELECT Z_PK FROM ZSOUND WHERE Z_PK IN (?)",
                    "SELECT 1 FROM Z_2SONGS WHERE Z_3SONGS = ? AND Z_2PLAYERS = ?",
                    "SELECT MAX(Z_FOK_2PLAYERS) FROM Z_2SONGS WHERE Z_3SONGS = ?",
                    "INSERT INTO Z_2SONGS (Z_3SONGS, Z_2PLAYERS, Z_FOK_2PLAYERS) VALUES (?, ?, ?)",
                    "SELECT 1 FROM Z_3VERSIONS WHERE REFLEXIVE = ? AND Z_3VERSIONS = ?",
                    "INSERT INTO Z_3VERSIONS (REFLEXIVE, Z_3VERSIONS) VALUES (?, ?)",
                    "SELECT 1 FROM Z_3VERSIONS WHERE REFLEXIVE = ? AND Z_3VERSIONS = ?",
                    "INSERT INTO Z_3VERSIONS (REFLEXIVE, Z_3VERSIONS) VALUES (?, ?)",
                    "SELECT 1 FROM Z_3SOUNDS WHERE Z_3OWNER = ? AND Z_4SOUNDS = ?",
                    "INSERT INTO Z_3SOUNDS (Z_3OWNER, Z_4SOUNDS) VALUES (?, ?)",
                ]
            )
        }
    }

    @Test("many new objects are inserted by few statements of several rows")
    func several() throws {
        try Studio.with { studio in
            let statements = try studio.statements { context in
                for number in 1...21 { try context.insert("Sound").setValue(.string("Bell \(number)"), forKey: "name") }
                try context.insert("Player").setValue("Ann", forKey: "name")
            }
            func insertion(_ table: String, _ rows: Int) -> String {
                "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES "
                    + Array(repeating: "(?, ?, ?, ?)", count: rows).joined(separator: ", ")
            }
            let sounds = [16, 4, 1].map { insertion("ZSOUND", $0) }
            let player = insertion("ZPLAYER", 1)
            #expect(statements == sounds + [player] || statements == [player] + sounds, "\(statements)")
            let names = try studio.store.database.read { connection in
                try connection.rows("SELECT ZNAME FROM ZSOUND ORDER BY Z_PK") { $0.string(0) }
            }
            #expect(Set(names) == Set((1...21).map { "Bell \($0)" }) && names.count == 21)
        }
    }

    @Test("an update writes only the changed columns, and requires the version that was read")
    func update() throws {
        try Studio.with { studio in
            let song = try studio.insert("Song", name: "One")
            let statements = try studio.statements { context in
                try context.existingObject(with: song).setValue(180, forKey: "length")
            }
            #expect(statements == ["UPDATE ZSONG SET ZLENGTH = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"])
        }
    }

    @Test("deleting an object deletes its pairs, in the order of their tables")
    func deletion() throws {
        try Studio.with { studio in
            let album = try studio.album("First", songs: "One", "Two")
            let (player, sound) = (try studio.insert("Player", name: "Ann"), try studio.insert("Sound", name: "Bell"))
            let song = try #require(try studio.songs(of: album).first)
            try studio.change { context in
                let song = try context.existingObject(with: song)
                try song.relate("players", try context.existingObject(with: player))
                try song.relate("versions", song)
                try song.relate("sounds", try context.existingObject(with: sound))
            }
            let statements = try studio.statements { context in
                context.delete(try context.existingObject(with: song))
            }
            #expect(
                statements == [
                    """
                    SELECT o.Z_PK, m.Z_PK, m.Z_ENT FROM ZSONG AS o CROSS JOIN Z_2SONGS AS p ON p.Z_3SONGS = o.Z_PK \
                    CROSS JOIN ZPLAYER AS m ON m.Z_PK = p.Z_2PLAYERS WHERE o.Z_PK IN (?) ORDER BY o.Z_PK, \
                    p.Z_FOK_2PLAYERS, m.Z_PK
                    """,
                    """
                    SELECT o.Z_PK, m.Z_PK, m.Z_ENT FROM ZSONG AS o CROSS JOIN Z_3VERSIONS AS p ON p.REFLEXIVE = \
                    o.Z_PK CROSS JOIN ZSONG AS m ON m.Z_PK = p.Z_3VERSIONS WHERE o.Z_PK IN (?) ORDER BY o.Z_PK, \
                    m.Z_PK
                    """,
                    "DELETE FROM ZSONG WHERE Z_PK = ? AND Z_OPT = ?",
                    "DELETE FROM Z_2SONGS WHERE Z_3SONGS = ?",
                    "DELETE FROM Z_3VERSIONS WHERE REFLEXIVE = ?",
                    "DELETE FROM Z_3VERSIONS WHERE Z_3VERSIONS = ?",
                    "DELETE FROM Z_3SOUNDS WHERE Z_3OWNER = ?",
                    "SELECT Z_PK FROM ZALBUM WHERE Z_PK IN (?)",
                ]
            )
            let ofAlbum = try studio.statements { context in
                context.delete(try context.existingObject(with: album))
            }
            #expect(
                ofAlbum == [
                    """
                    SELECT o.Z_PK, m.Z_PK, m.Z_ENT, m.Z_OPT, m.ZLENGTH, m.ZALBUM, m.Z_FOK_ALBUM, m.ZNAME FROM ZALBUM AS \
                    o CROSS JOIN ZSONG AS m ON m.ZALBUM = o.Z_PK WHERE o.Z_PK IN (?) ORDER BY o.Z_PK, m.Z_FOK_ALBUM, \
                    m.Z_PK
                    """,
                    "DELETE FROM ZALBUM WHERE Z_PK = ? AND Z_OPT = ?",
                    "UPDATE ZSONG SET ZALBUM = ?, Z_FOK_ALBUM = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?",
                    "SELECT 1 FROM ZSONG WHERE ZALBUM IN (?) LIMIT 1",
                ]
            )
        }
    }

    @Test("a new order updates only the members that must move")
    func order() throws {
        try Studio.with { studio in
            let album = try studio.album("First", songs: "One", "Two", "Three", "Four")
            let statements = try studio.statements { context in
                let album = try context.existingObject(with: album)
                let songs = try #require(album.entity.relationship(named: "songs"))
                var members = try album.objects(of: songs)
                members.swapAt(1, 2)
                try album.setObjects(members, of: songs)
            }
            #expect(
                statements == [
                    "SELECT Z_PK FROM ZALBUM WHERE Z_PK IN (?)",
                    "SELECT Z_PK, Z_FOK_ALBUM FROM ZSONG WHERE ZALBUM = ? ORDER BY Z_FOK_ALBUM, Z_PK",
                    "UPDATE ZSONG SET Z_FOK_ALBUM = ? WHERE Z_PK = ? AND ZALBUM = ?",
                ]
            )
            let afterwards = try studio.statements { context in
                let album = try context.existingObject(with: album)
                let songs = try #require(album.entity.relationship(named: "songs"))
                let members = try album.objects(of: songs)
                try album.setObjects(Array(members.dropFirst()) + [members[0]], of: songs)
            }
            #expect(afterwards == statements)
        }
    }

    @Test("members of a many-to-many relationship are added and removed by pairs")
    func pairs() throws {
        try Studio.with { studio in
            let song = try studio.insert("Song", name: "One")
            let players = try ["Ann", "Ben", "Cem"].map { try studio.insert("Player", name: $0) }
            try studio.change { context in
                let players = try players.prefix(2).map { try context.existingObject(with: $0) }
                for player in players { try context.existingObject(with: song).relate("players", player) }
            }
            let statements = try studio.statements { context in
                let song = try context.existingObject(with: song)
                let relationship = try #require(song.entity.relationship(named: "players"))
                let members = try [players[1], players[2]].map { try context.existingObject(with: $0) }
                try song.setObjects(members, of: relationship)
            }
            #expect(
                statements == [
                    "SELECT Z_PK FROM ZPLAYER WHERE Z_PK IN (?)",
                    "SELECT Z_PK FROM ZSONG WHERE Z_PK IN (?)",
                    "DELETE FROM Z_2SONGS WHERE Z_3SONGS = ? AND Z_2PLAYERS = ?",
                    "SELECT 1 FROM Z_2SONGS WHERE Z_3SONGS = ? AND Z_2PLAYERS = ?",
                    "SELECT MAX(Z_FOK_2PLAYERS) FROM Z_2SONGS WHERE Z_3SONGS = ?",
                    "INSERT INTO Z_2SONGS (Z_3SONGS, Z_2PLAYERS, Z_FOK_2PLAYERS) VALUES (?, ?, ?)",
                    """
                    SELECT Z_2PLAYERS, Z_FOK_2PLAYERS FROM Z_2SONGS WHERE Z_3SONGS = ? ORDER BY Z_FOK_2PLAYERS, \
                    Z_2PLAYERS
                    """,
                ]
            )
        }
    }

    @Test("a pair of a relationship that is its own inverse is named by one of its sides")
    func ownInverse() throws {
        try Studio.with { studio in
            let songs = try ["One", "Two"].map { try studio.insert("Song", name: $0) }
            try studio.change { context in
                try context.existingObject(with: songs[0]).relate("versions", context.existingObject(with: songs[1]))
            }
            let statements = try studio.statements { context in
                let song = try context.existingObject(with: songs[1])
                try song.setObjects([], of: #require(song.entity.relationship(named: "versions")))
            }
            #expect(
                statements == [
                    "SELECT Z_PK FROM ZSONG WHERE Z_PK IN (?)",
                    "DELETE FROM Z_3VERSIONS WHERE REFLEXIVE = ? AND Z_3VERSIONS = ?",
                    "DELETE FROM Z_3VERSIONS WHERE REFLEXIVE = ? AND Z_3VERSIONS = ?",
                ]
            )
        }
    }

    @Test("a lock reads the version and writes nothing")
    func lock() throws {
        try Studio.with { studio in
            let (song, other) = (try studio.insert("Song", name: "One"), try studio.insert("Song", name: "Two"))
            let statements = try studio.statements { context in
                try context.detectConflicts(for: context.existingObject(with: other))
                try context.existingObject(with: song).setValue(180, forKey: "length")
            }
            #expect(
                statements == [
                    "SELECT Z_OPT FROM ZSONG WHERE Z_PK = ?",
                    "UPDATE ZSONG SET ZLENGTH = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?",
                ]
            )
        }
    }

    @Test(
        "a conflict is detected by the update itself, and only then are rows read"
    )
    func conflict() throws {
        try Studio.with { studio in
            let song = try studio.insert("Song", name: "One")
            let statements = try studio.statements(failing: true) { context in
                let object = try context.existingObject(with: song)
                try object.setValue(180, forKey: "length")
                try studio.store.database.write { try $0.execute("UPDATE ZSONG SET Z_OPT = Z_OPT + 1") }
            }
            #expect(
                statements == [
                    "UPDATE ZSONG SET ZLENGTH = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?",
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZLENGTH, t0.ZALBUM, t0.Z_FOK_ALBUM, t0.ZNAME FROM ZSONG AS \
                    t0 WHERE t0.Z_PK IN (?)
                    """,
                ]
            )
        }
    }

    @Test("objects that exchange unique values release them first")
    func swap() throws {
        try Studio.with { studio in
            let albums = [try studio.album("First"), try studio.album("Second")]
            let statements = try studio.statements { context in
                for (album, name) in zip(albums, ["Second", "First"]) {
                    try context.existingObject(with: album).setValue(.string(name), forKey: "name")
                }
            }
            #expect(
                statements == [
                    "UPDATE ZALBUM SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?",
                    "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME FROM ZALBUM AS t0 WHERE t0.Z_PK IN (?, ?)",
                    "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME FROM ZALBUM AS t0 WHERE ZNAME = ?",
                    "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME FROM ZALBUM AS t0 WHERE ZNAME = ?",
                    "UPDATE ZALBUM SET ZNAME = NULL WHERE Z_PK = ?",
                    "UPDATE ZALBUM SET ZNAME = NULL WHERE Z_PK = ?",
                    "UPDATE ZALBUM SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?",
                    "UPDATE ZALBUM SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?",
                ]
            )
        }
    }
}

/// A store of albums with recorded statements.
private struct Studio {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Album") {
                    Attribute("name", .string)
                    Relationship("songs", toMany: "Song", inverse: "album").optional().ordered()
                    UniquenessConstraint("name")
                }
                Entity("Song") {
                    Attribute("name", .string)
                    Attribute("length", .int32).default(0)
                    Relationship("album", toOne: "Album", inverse: "songs").optional()
                    Relationship("players", toMany: "Player", inverse: "songs").optional().ordered()
                    Relationship("versions", toMany: "Song", inverse: "versions").optional()
                    Relationship("sounds", toMany: "Sound").optional()
                }
                Entity("Player") {
                    Attribute("name", .string)
                    Relationship("songs", toMany: "Song", inverse: "players").optional()
                }
                Entity("Sound") { Attribute("name", .string) }
            }
        )
    }

    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator
    private let log = Log()

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    static func with(_ body: (Studio) throws -> Void) throws {
        try Checkout.withFolder { try body(Studio(path: $0 + "/Studio.sqlite")) }
    }

    private init(path: String) throws {
        let model = try Self.model.get()
        store = try SQLiteStore(path: path, model: model, options: .unrecorded)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    func change(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try coordinator.withContext { context in
            try body(context)
            try context.save()
        }
    }

    func insert(_ entity: String, name: String) throws -> ManagedObjectID {
        try coordinator.withContext { context in
            let object = try context.insert(entity)
            try object.setValue(.string(name), forKey: "name")
            try context.save()
            return object.objectID
        }
    }

    func album(_ name: String, songs: String...) throws -> ManagedObjectID {
        let album = try insert("Album", name: name)
        try change { context in
            for name in songs {
                let song = try context.insert("Song")
                try song.setValue(.string(name), forKey: "name")
                try context.existingObject(with: album).relate("songs", song)
            }
        }
        return album
    }

    func songs(of album: ManagedObjectID) throws -> [ManagedObjectID] {
        try coordinator.withContext { context in
            let album = try context.existingObject(with: album)
            return try album.objects(of: #require(album.entity.relationship(named: "songs"))).map(\.objectID)
        }
    }

    /// The statements of the save of a context's changes, except those that begin and end transactions.
    func statements(
        failing fails: Bool = false,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws -> [String] {
        try coordinator.withContext { context in
            try body(context)
            // Keys are allocated when they are first needed.
            try context.obtainPermanentIDs(for: context.insertedObjects)
            store.database.tracer = { [log] event in log.lines.withLock { $0.append(event.sql) } }
            defer { store.database.tracer = nil }
            if fails {
                #expect(throws: GraphError.self) { try context.save() }
            } else {
                try context.save()
            }
            let isOfTransaction = ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"]
            return log.lines.withLock { lines in
                defer { lines = [] }
                return lines.filter { line in !isOfTransaction.contains { line.hasPrefix($0) } }
            }
        }
    }
}
