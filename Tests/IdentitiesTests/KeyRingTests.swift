// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import Glibc
import Identities
import Synchronization
import TestSupport
import Testing

@Suite("Key rings")
struct KeyRingTests {
    private let folder: TemporaryFolder
    private let file: KeyFile
    private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    private let reports = Reports()
    /// Has the form of a key.
    private static let unknown = "ock_" + String(repeating: "A", count: 43)

    private final class Reports: Sendable {
        let errors = Mutex<[IdentityError]>([])
        var all: [IdentityError] { errors.withLock { $0 } }
    }

    init() throws {
        folder = try TemporaryFolder()
        file = KeyFile(besides: folder.path + "/Library.sqlite")
    }

    private func ring() throws -> KeyRing {
        try KeyRing(file, now: start) { [reports] error in reports.errors.withLock { $0.append(error) } }
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file.path)) }

    private func code(of ring: KeyRing, _ secret: String, after seconds: Double) -> CredentialRefusal.Code? {
        do throws(CredentialRefusal) {
            _ = try ring.key(of: secret, now: start + seconds)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a key is found by its secret, and by nothing else")
    func finding() throws {
        let (key, secret) = try file.add(NewAPIKey(name: "ci", roles: ["editor"]), now: start)
        let ring = try ring()
        #expect(try ring.key(of: secret, now: start) == key)
        let last = secret.last == "A" ? "E" : "A"
        for other in [
            "", "ock_", secret + "A", String(secret.dropLast()), secret.uppercased(), String(secret.dropFirst(4)),
            secret.dropLast() + last, key.id, "ci", "ock_" + key.hash.map { String($0, radix: 16) }.joined(),
            " " + secret,
        ] {
            #expect(code(of: ring, other, after: 0) == .unknownKey, "\(other)")
        }
    }

    @Test("a key is refused from the moment of its expiry")
    func expiring() throws {
        let (key, secret) = try file.add(NewAPIKey(name: "ci", roles: ["a"], expires: start + 10), now: start)
        let ring = try ring()
        #expect(try ring.key(of: secret, now: start + 9.9) == key)
        let error = #expect(throws: CredentialRefusal.self) { try ring.key(of: secret, now: start + 10) }
        #expect(error?.code == .expired)
        #expect(error?.message == "The API key “ci” has expired.")
    }

    @Test("a new key counts at once, and a revoked one within two seconds")
    func changes() throws {
        let ring = try ring()
        let (_, secret) = try file.add(NewAPIKey(name: "ci", roles: ["a"]), now: start)
        #expect(code(of: ring, secret, after: 0) == nil)
        try file.revoke("ci")
        #expect(code(of: ring, secret, after: 0.5) == nil, "not compared yet")
        #expect(code(of: ring, secret, after: 3) == .unknownKey)
    }

    @Test("a new key counts at once although the file was just compared, by a request or a flush")
    func justCompared() throws {
        let ring = try ring()
        for step in 0..<20 {
            let now = start + Double(step) * 2
            ring.flush(now: now)
            #expect(code(of: ring, Self.unknown, after: Double(step) * 2) == .unknownKey)
            let (_, secret) = try file.add(NewAPIKey(roles: ["a"]), now: now)
            #expect(code(of: ring, secret, after: Double(step) * 2) == nil)
        }
    }

    @Test("a new key counts at once while others compare the file", .timeLimit(.minutes(1)))
    func comparedByOthers() async throws {
        let ring = try ring()
        let file = file
        let start = start
        let unknown = Self.unknown
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<2 {
                group.addTask {
                    for step in 0..<2_000 {
                        let now = start + Double(step * 2)
                        if task == 0 { ring.flush(now: now) } else { _ = try? ring.key(of: unknown, now: now) }
                    }
                }
            }
            group.addTask {
                for _ in 0..<100 {
                    guard let (_, secret) = try? file.add(NewAPIKey(roles: ["a"]), now: start) else { continue }
                    #expect((try? ring.key(of: secret, now: start)) != nil)
                }
            }
        }
        #expect(try file.list().count == 100)
    }

    @Test("a file that is removed has no keys any more")
    func removal() throws {
        let (_, secret) = try file.add(NewAPIKey(roles: ["a"]), now: start)
        let ring = try ring()
        #expect(code(of: ring, secret, after: 1) == nil)
        try FileSystem.remove(file.path)
        #expect(code(of: ring, secret, after: 2) == .unknownKey)
        #expect(reports.all == [])
    }

    @Test("a clock that is set back doesn't keep revoked keys")
    func clockSetBack() throws {
        let (_, secret) = try file.add(NewAPIKey(name: "ci", roles: ["a"]), now: start)
        let ring = try ring()
        try file.revoke("ci")
        #expect(code(of: ring, secret, after: -100_000) == .unknownKey)
    }

    @Test("a broken file keeps the former keys and is reported once, until it is right again")
    func broken() throws {
        let (_, secret) = try file.add(NewAPIKey(name: "ci", roles: ["a"]), now: start)
        let ring = try ring()
        try write("{")
        for second in 1..<10 { #expect(code(of: ring, secret, after: Double(second)) == nil) }
        #expect(reports.all.map(\.code) == [.invalidFile])
        #expect(reports.all.first?.place == file.path + ":1:2")
        ring.flush(now: start + 11)
        ring.flush(now: start + 13)
        #expect(reports.all.count == 1)
        try write(#"{"keys": []}"#)
        #expect(code(of: ring, secret, after: 20) == .unknownKey)
        try write("[")
        #expect(code(of: ring, secret, after: 30) == .unknownKey)
        #expect(reports.all.count == 2)
    }

    @Test("a broken file at the start is an error")
    func brokenAtStart() throws {
        try write("{")
        #expect(throws: IdentityError.self) { try ring() }
    }

    @Test(
        "a file that root has replaced belongs to the owner of its folder",
        .enabled(if: geteuid() == 0, "only for root")
    )
    func ownership() throws {
        #expect(unsafe chown(folder.path, 12_345, 12_345) == 0)
        _ = try file.add(NewAPIKey(name: "a", roles: ["editor"]), now: start)
        try file.revoke("a")
        for path in [file.path, file.path + ".lock"] {
            var status = stat()
            #expect(unsafe stat(path, &status) == 0)
            #expect(status.st_uid == 12_345 && status.st_mode & 0o777 == 0o600, "\(path)")
        }
    }

    @Test("uses are written by a flush, at most once a minute for each key")
    func uses() throws {
        let (_, secret) = try file.add(NewAPIKey(name: "a", roles: ["a"]), now: start)
        let (_, other) = try file.add(NewAPIKey(name: "b", roles: ["a"]), now: start)
        let ring = try ring()
        func dates() throws -> [Double?] { try file.list().map { $0.lastUse?.timeIntervalSince(start) } }
        _ = try ring.key(of: secret, now: start + 5)
        #expect(try dates() == [nil, nil])
        ring.flush(now: start + 6)
        #expect(try dates() == [5, nil])
        _ = try ring.key(of: secret, now: start + 64)
        ring.flush(now: start + 65)
        #expect(try dates() == [5, nil])
        _ = try ring.key(of: secret, now: start + 65)
        _ = try ring.key(of: other, now: start + 66)
        ring.flush(now: start + 67)
        #expect(try dates() == [65, 66])
        #expect(reports.all == [])
    }

    @Test("a refused key has no use")
    func refusedUse() throws {
        let (_, secret) = try file.add(NewAPIKey(roles: ["a"], expires: start + 1), now: start)
        let ring = try ring()
        #expect(code(of: ring, secret, after: 2) == .expired)
        ring.flush(now: start + 3)
        #expect(try file.list().map(\.lastUse) == [nil])
    }

    @Test("a flush doesn't bring a revoked key back, nor lose a new one")
    func revokedUse() throws {
        let (_, secret) = try file.add(NewAPIKey(name: "a", roles: ["a"]), now: start)
        let ring = try ring()
        _ = try ring.key(of: secret, now: start)
        try file.revoke("a")
        let added = try file.add(NewAPIKey(name: "b", roles: ["a"]), now: start).key
        ring.flush(now: start)
        #expect(try file.list() == [added])
        try FileSystem.remove(file.path)
        _ = try? ring.key(of: secret, now: start + 60)
        ring.flush(now: start + 60)
        #expect(!FileSystem.exists(file.path))
    }

    @Test("uses are kept if they can't be written, which is reported once")
    func failingFlush() throws {
        let (_, secret) = try file.add(NewAPIKey(roles: ["a"]), now: start)
        let ring = try ring()
        _ = try ring.key(of: secret, now: start)
        let files = FailingFiles()
        for _ in 0..<2 {
            files.fail(1, .rename)
            files.run { ring.flush(now: start) }
            #expect(files.mend() == 1)
        }
        #expect(reports.all.map(\.code) == [.unwritable])
        ring.flush(now: start)
        #expect(try file.list().map(\.lastUse) == [start])
    }

    @Test("requests, changes and flushes at the same time agree in the end")
    func concurrent() async throws {
        let (_, secret) = try file.add(NewAPIKey(name: "a", roles: ["a"]), now: start)
        let ring = try ring()
        let file = file
        let start = start
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<50 {
                        let now = start + Double(step * 2)
                        switch task {
                        case 0: ring.flush(now: now)
                        case 1:
                            if step % 10 == 0 { _ = try? file.add(NewAPIKey(name: "n\(step)", roles: ["a"]), now: now) }
                        default: #expect((try? ring.key(of: secret, now: now)) != nil)
                        }
                    }
                }
            }
        }
        ring.flush(now: start + 200)
        #expect(try file.list().count == 6)
        #expect(try file.list()[0].lastUse != nil)
    }
}
