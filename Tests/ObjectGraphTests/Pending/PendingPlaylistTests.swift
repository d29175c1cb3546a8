// SPDX-License-Identifier: Apache-2.0

// Cases of undo over playlists that others change, by pending states.

import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Pending states of playlists")
struct PendingPlaylistTests {
    @Test(
        "a member that redo takes from where others have put it comes back to its place there",
        arguments: [false, true]
    )
    func takenFromOthers(isSaved: Bool) throws {
        let titles = [3, 2, 1].map { "chapter\($0)" }
        var playlists = PendingPlaylists()
        try playlists.changeByOthers(
            ["a", "b"].map { .insert(entity: "List", title: $0) }
                + titles.reversed().map { .insert(entity: "Chapter", title: $0) }
        )
        try playlists.change([.relate(title: "chapter3", name: "list", other: "b")], isStep: true)
        try playlists.undo()
        try playlists.changeByOthers([.set(title: "a", name: "chapters", members: titles)])
        #expect(try playlists.chapters == titles)
        try playlists.redo()
        #expect(try playlists.chapters == ["chapter2", "chapter1"])
        if isSaved { try playlists.save() }
        try playlists.undo()
        #expect(try playlists.chapters == titles)
        try playlists.save()
        #expect(try playlists.stored().titles(of: "chapters", of: "a") == titles)
    }
}

extension PendingPlaylists {
    fileprivate var chapters: [String] {
        get throws { try shown().titles(of: "chapters", of: "a") }
    }
}

extension PlaylistsView {
    fileprivate func titles(of name: String, of owner: String) -> [String] {
        (texts["\(owner).\(name)"] ?? "").split(separator: " ").map(String.init)
    }
}
