// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import Identities
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Files of keys")
struct KeyFileTests {
    private let folder: TemporaryFolder
    private let file: KeyFile
    private let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

    init() throws {
        folder = try TemporaryFolder()
        file = KeyFile(besides: folder.path + "/Library.sqlite")
    }

    private func text() throws -> String { try String(contentsOf: URL(filePath: file.path), encoding: .utf8) }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file.path)) }

    @Test("an added key is listed with all that was said of it")
    func adding() throws {
        let (key, secret) = try file.add(
            NewAPIKey(
                name: "ci",
                roles: ["editor", "member"],
                grants: ["Post": [.read, .create], "Author": [.delete]],
                expires: now + 3_600
            ),
            now: now
        )
        #expect(key.name == "ci")
        #expect(key.label == "ci")
        #expect(key.roles == ["editor", "member"])
        #expect(key.grants == ["Post": [.read, .create], "Author": [.delete]])
        #expect(key.created == now)
        #expect(key.expires == now + 3_600)
        #expect(key.lastUse == nil)
        #expect(try file.list() == [key])
        #expect(KeySecret.isSecret(secret))
        #expect(secret.utf8.count == 47)
    }

    /// Records the permissions of files before each operation on them.
    private final class Permissions: FileGuard {
        let seen = Mutex<[String: Set<Int>]>([:])

        func check(_ operation: FileOperation, at path: String) throws(FileError) {
            guard operation != .make, let permissions = FileSystem.permissions(of: path) else { return }
            seen.withLock { _ = $0[path, default: []].insert(permissions) }
        }
    }

    @Test("others never have access to the file that replaces it, nor to the file afterwards")
    func permissions() throws {
        _ = try file.add(NewAPIKey(roles: ["editor"]), now: now)
        let new = file.path + ".new"
        try Data("{".utf8).write(to: URL(filePath: new))
        for path in [file.path, new] { try OpenFile(reading: path).setPermissions(0o666) }
        let seen = Permissions()
        try FileSystem.$fileGuard.withValue(seen) { _ = try file.add(NewAPIKey(roles: ["member"]), now: now) }
        #expect(FileSystem.permissions(of: file.path) == 0o600 && !FileSystem.exists(new))
        // The first one is that of the file that a former attempt has left, which is removed.
        #expect(seen.seen.withLock { $0[new] } == [0o666, 0o600])
    }

    @Test("the file is beside the store, for its owner alone, and has no secrets")
    func content() throws {
        let (key, secret) = try file.add(NewAPIKey(roles: ["editor"]), now: now)
        #expect(file.path == folder.path + "/Library.sqlite.keys.json")
        #expect(FileSystem.permissions(of: file.path) == 0o600)
        let hash = key.hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(
            try text() == """
                {
                  "keys": [
                    {
                      "id": "\(key.id)",
                      "roles": ["editor"],
                      "created": "2026-05-09T06:13:20Z",
                      "sha256": "\(hash)"
                    }
                  ]
                }

                """
        )
        #expect(try !text().contains(secret))
        #expect(try !text().contains(secret.dropFirst(4)))
    }

    @Test("without a file there are no keys, and listing creates none")
    func missing() throws {
        #expect(try file.list() == [])
        #expect(!FileSystem.exists(file.path))
    }

    @Test("keys are revoked by name and by ID")
    func revoking() throws {
        let first = try file.add(NewAPIKey(name: "first", roles: ["a"]), now: now).key
        let second = try file.add(NewAPIKey(roles: ["a"]), now: now).key
        let third = try file.add(NewAPIKey(name: "third", roles: ["a"]), now: now).key
        #expect(try file.revoke("first") == first)
        #expect(try file.list() == [second, third])
        #expect(try file.revoke(second.id) == second)
        #expect(try file.revoke(third.id) == third)
        #expect(try file.list() == [])
    }

    @Test("an unknown name is an error with the nearest one")
    func unknown() throws {
        let none = #expect(throws: IdentityError.self) { try file.revoke("deploy") }
        #expect(none?.code == .unknownKey)
        #expect(none?.hint == "There are no keys.")
        _ = try file.add(NewAPIKey(name: "deploy", roles: ["a"]), now: now)
        let error = #expect(throws: IdentityError.self) { try file.revoke("depoly") }
        #expect(error?.message == "No key has the name or ID “depoly”.")
        #expect(error?.hint == "Did you mean “deploy”?")
        #expect(error?.place == file.path)
        #expect(try file.list().count == 1)
    }

    @Test("a name that exists, and an ID as a name, are refused")
    func taken() throws {
        let key = try file.add(NewAPIKey(name: "ci", roles: ["a"]), now: now).key
        for name in ["ci", key.id] {
            let error = #expect(throws: IdentityError.self) {
                try file.add(NewAPIKey(name: name, roles: ["a"]), now: now)
            }
            #expect(error?.code == .nameTaken)
            #expect(error?.hint == "Choose another name, or revoke that key first.")
        }
        #expect(try file.list() == [key])
    }

    @Test("a word that is one key's name and another's ID revokes neither")
    func ambiguous() throws {
        let first = try file.add(NewAPIKey(name: "first", roles: ["a"]), now: now).key
        let second = try file.add(NewAPIKey(name: "second", roles: ["a"]), now: now).key
        try write(try text().replacing("\"second\"", with: "\"\(first.id)\""))
        let error = #expect(throws: IdentityError.self) { try file.revoke(first.id) }
        #expect(error?.code == .ambiguousKey)
        #expect(error?.hint == "Use the ID \(second.id) of the first one, or the name first of the other.")
        #expect(try file.list().count == 2)
    }

    @Test("an expiry in the past is refused")
    func past() {
        for expires in [now, now - 1] {
            let error = #expect(throws: IdentityError.self) {
                try file.add(NewAPIKey(roles: ["a"], expires: expires), now: now)
            }
            #expect(error?.message.hasPrefix("The key would have expired already, at 2026-05-09T06:13:") == true)
        }
        #expect(throws: IdentityError.self, "it couldn't be written") {
            try file.add(NewAPIKey(roles: ["a"], expires: .distantFuture + 1e12), now: now)
        }
    }

    @Test("names, roles and grants that make no sense are refused")
    func invalid() {
        let keys = [
            NewAPIKey(), NewAPIKey(name: "", roles: ["a"]), NewAPIKey(name: "a b", roles: ["a"]),
            NewAPIKey(name: "-a", roles: ["a"]), NewAPIKey(name: String(repeating: "a", count: 65), roles: ["a"]),
            NewAPIKey(roles: [""]), NewAPIKey(roles: ["a b"]), NewAPIKey(roles: ["a\u{1b}"]),
            NewAPIKey(grants: ["Post": []]), NewAPIKey(grants: ["": [.read]]), NewAPIKey(grants: ["a b": [.read]]),
        ]
        for key in keys {
            let error = #expect(throws: IdentityError.self, "\(key)") { try file.add(key, now: now) }
            #expect(error?.code == .invalidKey)
        }
        #expect(!FileSystem.exists(file.path))
    }

    @Test("a broken file is an error with its place, and isn't overwritten")
    func broken() throws {
        let key = #"{"id": "a1", "roles": ["r"], "created": "2026-01-01", "sha256": "HASH"}"#
        let hash = String(repeating: "0", count: 64)
        func file(_ keys: String...) -> String {
            "{\"keys\": [\n\(keys.joined(separator: ",\n").replacing("HASH", with: hash))]}"
        }
        try write(file(key))
        #expect(try self.file.list().map(\.id) == ["a1"])
        let cases: [(text: String, place: String)] = [
            ("", ":1:1"), ("{", ":1:2"), ("[]", ":1:1"), (#"{"keys": 1}"#, ":1:1"), (#"{"keys": [], "x": 1}"#, ":1:1"),
            (file("1"), ":2:1"), (file(key, key), ":3:1"), (file(key.replacing("HASH", with: "00")), ":2:65"),
            (file(key.replacing("2026-01-01", with: "today")), ":2:41"),
            (file(key.replacing(#"["r"]"#, with: "[1]")), ":2:23"),
            (file(key.replacing(#""roles""#, with: #""rolse""#)), ":2:14"),
            (file(key.replacing(#""a1""#, with: #""""#)), ":2:1"),
            (file(key.replacing(#""roles": ["r"]"#, with: #""grants": {"Post": ["raed"]}"#)), ":2:33"),
            (file(key, key.replacing("a1", with: "a2")), ":3:1"),
            (file(key.replacing(#""roles""#, with: #""id""#)), ":2:14"),
        ]
        for (text, place) in cases {
            try write(text)
            let error = #expect(throws: IdentityError.self, "\(text)") { try self.file.list() }
            #expect(error?.code == .invalidFile)
            #expect(error?.place == self.file.path + place, "\(text): \(error as Any)")
            #expect(error?.hint != nil)
            #expect(throws: IdentityError.self) { try self.file.add(NewAPIKey(roles: ["a"]), now: now) }
            #expect(throws: IdentityError.self) { try self.file.revoke("a1") }
            #expect(try self.text() == text)
        }
    }

    @Test("many programs that add and revoke at the same time lose nothing")
    func concurrent() async throws {
        let file = file
        let now = now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<10 {
                        _ = try file.add(NewAPIKey(name: "k\(writer).\(number)", roles: ["a"]), now: now)
                        if number % 2 == 1 { try file.revoke("k\(writer).\(number)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        let names = Set(try file.list().compactMap(\.name))
        let kept = (0..<4).flatMap { writer in [0, 2, 4, 6, 8].map { "k\(writer).\($0)" } }
        #expect(names == Set(kept))
    }

    @Test("a lock that another program keeps is an error, not an endless wait")
    func locked() throws {
        let lock = try FileLock(file.path + ".lock", waiting: .zero)
        let impatient = KeyFile(file.path, patience: .milliseconds(20))
        let error = #expect(throws: IdentityError.self) { try impatient.add(NewAPIKey(roles: ["a"]), now: now) }
        #expect(error?.code == .unwritable)
        #expect(error?.message.hasSuffix("another program keeps it locked.") == true)
        withExtendedLifetime(lock) {}
    }

    @Test("when any file operation fails, the file is the old or the new one, and nothing is left behind")
    func faults() throws {
        let old = try file.add(NewAPIKey(name: "old", roles: ["a"]), now: now).key
        let files = FailingFiles()
        for number in 1... {
            files.fail(number)
            let added = try? files.run { try file.add(NewAPIKey(name: "new", roles: ["a"]), now: now) }
            let hasFailed = files.mend() > 0
            let names = try file.list().map(\.label)
            #expect(names == ["old"] || names == ["old", "new"], "operation \(number)")
            if let added {
                #expect(try file.list() == [old, added.key])
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(left == ["Library.sqlite.keys.json", "Library.sqlite.keys.json.lock"])
            if names.count == 2 { try file.revoke("new") }
            if !hasFailed { break }
        }
    }
}
