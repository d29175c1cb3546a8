// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import SQLiteDriver
import SourceText
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop store backup and restore")
struct BackupCommandTests {
    @Test("a dated backup has the store, its large values, its keys and a description, and nothing else")
    func contents() throws {
        try BackupPlace.with { place in
            #expect(outcrop("keys", "add", place.store, "--role", "editor").status == .fine)
            let result = place.backUp()
            #expect(result.status == .fine, "\(result.output)\(result.errors)")
            #expect(result.json?["objects"] == 20 && result.json?["missingFiles"] == 0)
            let name = try #require(place.names.first)
            #expect(place.names.count == 1 && name.hasPrefix("Notes-2"), "\(place.names)")
            let folder = place.backups + "/" + name
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                    ".Notes_SUPPORT", "Notes.sqlite", "Notes.sqlite.keys.json", "backup.json",
                ]
            )
            #expect(place.notes(folder + "/Notes.sqlite") == place.notes())
            #expect(outcrop("store", "check", "--strict", folder + "/Notes.sqlite").status == .fine)
            let manifest = try #require(BackupManifest(in: folder))
            #expect(manifest.objects == 20 && manifest.kind == .sqlite && manifest.begun <= manifest.made)
            #expect(try manifest.digest == BackupManifest.digest(ofFile: folder + "/Notes.sqlite"))
            // Keys are as secret in a backup as they are beside the store.
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/Notes.sqlite.keys.json")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("--keep removes the oldest backups of the same store, and those of no other")
    func keeping() throws {
        try BackupPlace.with { place in
            let other = place.path("Other.sqlite")
            #expect(outcrop("store", "backup", place.store, other).status == .fine)
            #expect(outcrop("store", "backup", other, place.backups + "/").status == .fine)
            for _ in 0..<3 { #expect(place.backUp(keeping: 2).status == .fine) }
            #expect(place.names.count == 3 && place.names.count { $0.hasPrefix("Notes-") } == 2, "\(place.names)")
            #expect(place.names.contains { $0.hasPrefix("Other-") })
            let last = place.backUp(keeping: 1)
            #expect(last.json?["removed"]?.array?.count == 2)
            #expect(outcrop("store", "backup", place.store, place.backups, "--keep", "0").status == .usage)
        }
    }

    @Test("a store that is damaged isn't backed up, and no older backup is removed for it")
    func damaged() throws {
        try BackupPlace.with { place in
            #expect(place.backUp(keeping: 1).status == .fine)
            let before = place.names
            do {
                let connection = try Connection(path: place.store)
                _ = try connection.checkpoint(.truncate)
                try connection.set("journal_mode", to: "delete")
            }
            var bytes = try Data(contentsOf: URL(filePath: place.store))
            let damaged = (bytes.count - 3 * 4096)..<(bytes.count - 4096)
            bytes.replaceSubrange(damaged, with: Data(repeating: 0x78, count: damaged.count))
            try bytes.write(to: URL(filePath: place.store))
            let result = place.backUp(keeping: 1)
            #expect(result.status == .problems && result.json?["error"]?["code"] == "store.damaged", "\(result.output)")
            #expect(place.names == before)
            #expect(outcrop("store", "backup", place.store, place.path("Copy.sqlite")).status == .problems)
            #expect(!FileManager.default.fileExists(atPath: place.path("Copy.sqlite")))
            // What a restore is for.
            let restored = place.restore("--force")
            #expect(restored.status == .fine, "\(restored.errors)")
            #expect(place.notes().hasPrefix("title,body\nn1,\n"))
        }
    }

    @Test("a backup leaves nothing if any file operation fails, and what a killed one has left is removed")
    func faults() throws {
        try BackupPlace.with(notes: 2) { place in
            let files = FailingFiles()
            for n in 1... {
                files.fail(n)
                let result = files.run { place.backUp() }
                let hasFailed = files.mend() > 0
                #expect(result.status == .fine || hasFailed, "\(n)")
                let names = place.names
                #expect(names.allSatisfy { $0.hasPrefix("Notes-") }, "\(n): \(names)")
                #expect(names.allSatisfy { DatedBackup(in: place.backups + "/" + $0) != nil }, "\(n)")
                for name in names { try Checkout.remove(place.backups + "/" + name) }
                guard hasFailed else { break }
            }
            let leftover = place.backups + "/.Notes-20200101T000000Z.x.new"
            try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: true)
            #expect(place.backUp().status == .fine)
            #expect(place.names.count == 1)
        }
    }

    @Test("a restore brings the newest backup back, and moves the present store aside")
    func restoring() throws {
        try BackupPlace.with { place in
            let before = place.notes()
            #expect(place.backUp().status == .fine)
            try place.save("n1", body: "later")
            let after = place.notes()
            let refused = place.restore("--json")
            #expect(refused.status == .problems && refused.json?["error"]?["code"] == "store.exists")
            let restored = place.restore("--force", "--json")
            #expect(restored.status == .fine, "\(restored.output)\(restored.errors)")
            #expect(place.notes() == before)
            let former = try #require(restored.json?["replaced"]?.string)
            #expect(place.notes(former + "/Notes.sqlite") == after)
            #expect(outcrop("store", "check", "--strict", place.store).status == .fine)
            let elsewhere = outcrop("store", "restore", place.backups, place.path("New.sqlite"))
            #expect(elsewhere.status == .fine, "\(elsewhere.errors)")
            #expect(place.notes(place.path("New.sqlite")) == before)
        }
    }

    @Test("a store that is open isn't replaced")
    func openStore() throws {
        try BackupPlace.with { place in
            #expect(place.backUp().status == .fine)
            let server = try ServerProcess(in: place.folder, serving: ["--store", place.store])
            let refused = place.restore("--force", "--json")
            #expect(
                refused.status == .problems && refused.json?["error"]?["code"] == "store.locked",
                "\(refused.output)"
            )
            let url = try server.address() + "/api/Note?limit=1"
            #expect(try server.curl(url).status == "200")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            #expect(place.restore("--force").status == .fine)
        }
    }

    @Test("a restore keeps API keys that are at the place, so that no revoked key is accepted again")
    func keys() throws {
        try BackupPlace.with { place in
            func names(_ store: String) -> [String?]? {
                outcrop("keys", "list", store, "--json").json?.array?.map { $0["name"]?.string }
            }
            #expect(outcrop("keys", "add", place.store, "--role", "editor", "--name", "old").status == .fine)
            #expect(place.backUp().status == .fine)
            #expect(outcrop("keys", "revoke", place.store, "old").status == .fine)
            #expect(place.restore("--force").status == .fine)
            #expect(names(place.store) == [])
            #expect(outcrop("store", "restore", place.backups, place.path("New.sqlite")).status == .fine)
            #expect(names(place.path("New.sqlite")) == ["old"])
        }
    }

    @Test("a backup that was changed since is refused")
    func changedBackup() throws {
        try BackupPlace.with { place in
            #expect(place.backUp().status == .fine)
            let copy = place.backups + "/" + (place.names.first ?? "") + "/Notes.sqlite"
            try Connection(path: copy).execute("UPDATE ZNOTE SET ZBODY = 'x'")
            let result = place.restore("--force", "--json")
            #expect(result.status == .problems && result.json?["error"]?["code"] == "store.damaged")
            #expect(place.notes().contains("n1,\n"))
        }
    }

    @Test("a restore that fails at any file operation leaves the store as it was")
    func restoringFaults() throws {
        try BackupPlace.with(notes: 2) { place in
            #expect(place.backUp().status == .fine)
            try place.save("n1", body: "later")
            let after = place.notes()
            let before = try FileManager.default.contentsOfDirectory(atPath: place.folder).sorted()
            let files = FailingFiles()
            for n in 1... {
                files.fail(n)
                let result = files.run { place.restore("--force") }
                let hasFailed = files.mend() > 0
                guard hasFailed else {
                    #expect(result.status == .fine, "\(result.errors)")
                    break
                }
                if result.status == .problems {
                    #expect(place.notes() == after, "\(n)")
                    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder).sorted()
                    #expect(names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") } == before, "\(n): \(names)")
                }
                guard result.status == .problems else { break }
            }
        }
    }

    @Test("--until restores the state at a time, from a backup and the history since")
    func until() throws {
        try BackupPlace.with { place in
            #expect(place.backUp().status == .fine)
            usleep(2_000)
            try place.save("n1", body: "good")
            usleep(2_000)
            let time = try #require(DateText.text(.now))
            let state = place.notes()
            usleep(2_000)
            try place.save("n2", body: "bad")
            try place.save("new", body: "bad")
            let rehearsed = place.restore("--until", time, "--dry-run", "--json")
            #expect(rehearsed.json?["rewound"]?["undoneTransactions"] == 2, "\(rehearsed.output)")
            #expect(place.notes() != state)
            let then = place.path("Then.sqlite")
            let elsewhere = outcrop("store", "restore", place.backups, then, "--until", time, "--later", place.store)
            #expect(elsewhere.status == .fine, "\(elsewhere.errors)")
            #expect(place.notes(then) == state)
            let result = place.restore("--until", time, "--force", "--json")
            #expect(result.status == .fine, "\(result.output)\(result.errors)")
            #expect(result.json?["rewound"]?["removedObjects"] == 1 && result.json?["rewound"]?["restoredObjects"] == 1)
            #expect(result.json?["rewound"]?["unknown"] == [])
            #expect(place.notes() == state)
            #expect(outcrop("store", "check", "--strict", place.store).status == .fine)
        }
    }

    @Test("what a time needs and isn't there is said: a backup from before it, and a later state")
    func untilWithout() throws {
        try BackupPlace.with { place in
            let time = try #require(DateText.text(.now))
            usleep(2_000)
            #expect(place.backUp().status == .fine)
            let early = place.restore("--until", time, "--force", "--json")
            #expect(early.json?["error"]?["code"] == "store.noHistory", "\(early.output)")
            let alone = outcrop(
                "store",
                "restore",
                place.backups,
                place.path("New.sqlite"),
                "--until",
                "2100-01-01T00:00:00Z",
                "--json"
            )
            #expect(alone.json?["error"]?["code"] == "store.noHistory", "\(alone.output)")
            #expect(outcrop("store", "restore", place.backups, place.store, "--until", "yesterday").status == .usage)
        }
    }
}
