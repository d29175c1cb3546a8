// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSON
import Synchronization
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Backups while a server writes")
struct ServedBackupTests {
    /// A server of notes, and threads that save to it until a closure returns.
    private static func whileSaving(
        _ place: BackupPlace,
        _ options: [String] = [],
        _ body: (ServerProcess) throws -> Void
    ) throws -> Int {
        let server = try ServerProcess(
            in: place.folder,
            serving: ["--store", place.store],
            ["--listen", "127.0.0.1:0"] + options
        )
        let url = try server.address() + "/api/Note"
        let saved = Mutex(0)
        let isDone = Mutex(false)
        let group = DispatchGroup()
        for thread in 0..<2 {
            DispatchQueue.global().async(group: group) {
                var number = 0
                while !isDone.withLock({ $0 }) {
                    number += 1
                    let note = #"{"title": "t\#(thread)-\#(number)"}"#
                    guard let result = try? ServerProcess.curl([url, "--json", note]), result.status == "201" else {
                        continue
                    }
                    saved.withLock { $0 += 1 }
                }
            }
        }
        defer {
            isDone.withLock { $0 = true }
            group.wait()
            server.signal(SIGTERM)
            _ = server.end()
        }
        try body(server)
        isDone.withLock { $0 = true }
        group.wait()
        return saved.withLock { $0 }
    }

    @Test("backups while others save have whole saves, and all that were answered before")
    func writers() throws {
        try BackupPlace.with { place in
            let saved = try Self.whileSaving(place) { _ in
                for _ in 0..<5 {
                    let result = place.backUp()
                    #expect(result.status == .fine, "\(result.output)\(result.errors)")
                }
            }
            let counts = BackupFolder(path: place.backups).backups.map { $0.manifest.objects ?? 0 }
            #expect(counts.count == 5 && counts == counts.sorted(), "\(counts)")
            #expect(saved > 0 && counts.allSatisfy { (20...20 + saved).contains($0) }, "\(counts), \(saved)")
            for backup in BackupFolder(path: place.backups).backups {
                #expect(outcrop("store", "check", "--strict", backup.path).status == .fine)
            }
            #expect(place.restore("--force").status == .fine)
        }
    }

    @Test("a backup that is killed leaves no backup, and the next one removes what it has left")
    func killed() throws {
        try BackupPlace.with { place in
            let binary = try #require(ServerProcess.binary)
            _ = try Self.whileSaving(place) { _ in
                for number in 0..<12 {
                    let process = Process()
                    process.executableURL = binary
                    process.arguments = ["store", "backup", place.store, place.backups, "--keep", "3"]
                    process.standardOutput = FileHandle.nullDevice
                    process.standardError = FileHandle.nullDevice
                    process.endsWithoutBacktrace()
                    try process.run()
                    usleep(UInt32(4_000 * number))
                    kill(process.processIdentifier, SIGKILL)
                    process.waitUntilExit()
                    for name in place.names where !name.hasPrefix(".") {
                        #expect(DatedBackup(in: place.backups + "/" + name) != nil, "\(name)")
                    }
                }
            }
            #expect(place.backUp(keeping: 3).status == .fine)
            #expect(place.names.allSatisfy { $0.hasPrefix("Notes-") } && place.names.count <= 3, "\(place.names)")
            for backup in BackupFolder(path: place.backups).backups { try backup.check() }
            #expect(place.restore("--force").status == .fine)
        }
    }

    @Test("a server makes backups at its times, and logs them")
    func scheduled() throws {
        try BackupPlace.with { place in
            let options = ["--backup", place.backups, "--backup-every", "100 ms", "--backup-keep", "2"]
            _ = try Self.whileSaving(place, options) { server in
                let event = try server.event("backup")
                #expect(event["store"]?.string == place.store && event["objects"] != nil, "\(event)")
                for _ in 0..<500 where try server.events().count(where: { $0["event"]?.string == "backup" }) < 4 {
                    usleep(20_000)
                }
            }
            let backups = BackupFolder(path: place.backups).backups
            #expect((1...2).contains(backups.count), "\(place.names)")
            for backup in backups { try backup.check() }
        }
    }

    /// Ways to listen.
    enum Way: CaseIterable, Sendable {
        case tcp, allAddresses, unix, several, tls, clientCertificates
    }

    @Test("a server is asked with --ready at each way to listen", arguments: Way.allCases)
    func readiness(way: Way) throws {
        try BackupPlace.with(notes: 1) { place in
            let port = try Self.freePort()
            let socket = "unix:" + place.path("s")
            let authority = try TestAuthority.shared.get()
            let issued = try authority.issue("app.example")
            let tls = ["--listen", "127.0.0.1:\(port)", "--tls-cert", issued.certificate, "--tls-key", issued.key]
            let options =
                switch way {
                case .tcp: ["--listen", "127.0.0.1:\(port)"]
                case .allAddresses: ["--listen", "0.0.0.0:\(port)", "--allow-anonymous"]
                case .unix: ["--listen", socket]
                case .several: ["--listen", "127.0.0.1:\(port)", "--listen", socket]
                case .tls: tls
                case .clientCertificates:
                    tls + ["--tls-client-ca", authority.root.certificate, "--tls-client-cert", "required"]
                }
            func ask() -> Program.Result { Program.run(["serve", "--ready", "--json"] + options, on: .plain) }
            #expect(ask().status == .problems)
            let server = try ServerProcess(in: place.folder, serving: ["--store", place.store], options)
            let ready = ask()
            #expect(ready.status == .fine, "\(ready.output)")
            #expect(ready.json?["addresses"]?.array?.count == (way == .several ? 2 : 1))
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            #expect(ask().status == .problems)
        }
    }

    private static func freePort() throws -> Int {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder)
            let address = try server.address()
            server.signal(SIGKILL)
            _ = server.end()
            return address.split(separator: ":").last.flatMap { Int($0) } ?? 0
        }
    }
}
