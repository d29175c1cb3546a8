// SPDX-License-Identifier: Apache-2.0

// The order of many-to-many members, in drafts and outside them.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("The order of members")
struct MemberOrderTests {
    private static let model = Model {
        Entity("Album", userInfo: ["path": "albums"]) {
            Attribute("name", .string)
            Relationship("songs", toMany: "Song", inverse: "albums").optional().ordered()
        }
        Entity("Song", userInfo: ["path": "songs"]) {
            Attribute("name", .string)
            Relationship("albums", toMany: "Album", inverse: "songs").optional().ordered()
        }
    }

    /// Runs a closure in each world with an album and nine songs, of which it has the first three.
    private static func each(_ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(
            model,
            filling: { coordinator in
                try coordinator.withContext { context in
                    let songs = try (1...9).map { number in
                        let song = try context.insert("Song")
                        try song.setValue(.string("\(number)"), forKey: "name")
                        // New objects get their keys in the order of saves.
                        try context.save()
                        return song
                    }
                    let album = try context.insert("Album")
                    try album.setValue("Album", forKey: "name")
                    try album.setObjects(Array(songs.prefix(3)), forKey: "songs")
                    try context.save()
                }
            },
            body
        )
    }

    private func songs(of album: String, _ world: APIWorld, _ path: String = "/api") throws -> [String] {
        try world.get("\(path)/\(album)/songs?result=ids")["items"]?.array?.compactMap(\.string) ?? []
    }

    @Test("undo of a deletion restores an order that was set before others changed the object")
    func undo() throws {
        try Self.each { world throws in
            let album = try world.reference("Album", "Album")
            _ = try world.send(.patch, "/api/\(album)", #"{"songs":[]}"#)
            let draft = try world.openContext()
            let order = ["songs/5", "songs/2", "songs/9"]
            _ = try world.send(.patch, "\(draft)/\(album)", #"{"songs":["songs/5","songs/2","songs/9"]}"#)
            _ = try world.send(.patch, "/api/\(album)", #"{"name":"Theirs"}"#)
            #expect(try songs(of: album, world, draft) == order)
            #expect(try world.send(.delete, "\(draft)/\(album)").status == 204)
            #expect(try world.send(.post, "\(draft)/undo").status == 200)
            #expect(try songs(of: album, world, draft) == order)
            #expect(try world.send(.post, "\(draft)/save").status == 200)
            #expect(try songs(of: album, world) == order)
            #expect(try world.get("/api/\(album)")["name"] == "Theirs")
        }
    }

    @Test("adding a member again leaves it in its place, in drafts as outside them")
    func addedAgain() throws {
        try Self.each { world throws in
            let album = try world.reference("Album", "Album")
            let body = #"{"songs":{"add":["songs/1","songs/4"]}}"#
            let order = ["songs/1", "songs/2", "songs/3", "songs/4"]
            #expect(try world.send(.patch, "/api/\(album)", body).status == 200)
            #expect(try songs(of: album, world) == order)
            let draft = try world.openContext()
            #expect(try world.send(.patch, "\(draft)/\(album)", body).status == 200)
            #expect(try songs(of: album, world, draft) == order)
            #expect(try world.send(.post, "\(draft)/save").status == 200)
            #expect(try songs(of: album, world) == order)
        }
    }
}
