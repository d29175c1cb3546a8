// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Identities
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Sets of keys of tokens")
struct KeySetTests {
    private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    private let site = Site()

    /// What is at a URL, and what was fetched of it.
    private final class Site: Sendable {
        struct Failure: Error {}

        let document = Mutex<String?>(nil)
        let fetches = Mutex(0)
        let reports = Mutex<[IdentityError]>([])

        var count: Int { fetches.withLock { $0 } }
        var codes: [IdentityError.Code] { reports.withLock { $0.map(\.code) } }

        func show(_ text: String?) { document.withLock { $0 = text } }

        func fetch(_ url: String) throws -> [UInt8] {
            fetches.withLock { $0 += 1 }
            guard let text = document.withLock({ $0 }) else { throw Failure() }
            return Array(text.utf8)
        }
    }

    private func set(_ url: String = "https://id.example/jwks", _ hosts: [String] = ["id.example"]) throws -> KeySet {
        try KeySet(
            url: url,
            allowedHosts: hosts,
            fetch: { [site] in try site.fetch($0) },
            report: { [site] error in site.reports.withLock { $0.append(error) } }
        )
    }

    private static func document(_ ids: String...) -> String {
        let keys = ids.map { id in
            #"{"kty":"OKP","crv":"Ed25519","kid":"\#(id)","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        }
        return "{\"keys\":[\(keys.joined(separator: ","))]}"
    }

    private func ids(_ set: KeySet, after seconds: Double) -> [String?] {
        set.keys(id: nil, now: start + seconds).map(\.id)
    }

    @Test("keys are fetched when they are first needed, and then not for five minutes")
    func caching() throws {
        site.show(Self.document("a"))
        let set = try set()
        #expect(site.count == 0)
        #expect(ids(set, after: 0) == ["a"])
        for second in 1..<300 {
            #expect(set.keys(id: "a", now: start + Double(second)).count == 1)
            set.refreshIfNeeded(now: start + Double(second))
        }
        #expect(site.count == 1)
        site.show(Self.document("b"))
        #expect(ids(set, after: 300) == ["a"], "not on the thread that asks")
        #expect(site.count == 1)
        set.refreshIfNeeded(now: start + 300)
        #expect(ids(set, after: 300) == ["b"])
        #expect(site.count == 2)
    }

    @Test("an unknown key is looked for at most each 30 seconds")
    func rotation() throws {
        site.show(Self.document("a"))
        let set = try set()
        _ = ids(set, after: 0)
        site.show(Self.document("a", "b"))
        #expect(set.keys(id: "b", now: start + 10).isEmpty)
        #expect(set.isKeyMissing)
        set.refreshIfNeeded(now: start + 10)
        #expect(set.keys(id: "b", now: start + 10).isEmpty, "fetched 10 seconds ago")
        set.refreshIfNeeded(now: start + 30)
        #expect(set.keys(id: "b", now: start + 30).count == 1)
        #expect(!set.isKeyMissing)
        for second in 31..<330 {
            _ = set.keys(id: "random \(second)", now: start + Double(second))
            set.refreshIfNeeded(now: start + Double(second))
        }
        #expect(site.count == 11)
    }

    @Test("if fetching fails, the former keys are used for a day, and the failure is reported once")
    func failing() throws {
        site.show(Self.document("a"))
        let set = try set()
        _ = ids(set, after: 0)
        site.show(nil)
        for second in stride(from: 300.0, through: 86_400, by: 300) {
            set.refreshIfNeeded(now: start + second)
            #expect(ids(set, after: second) == ["a"])
        }
        #expect(site.codes == [.unreachable])
        #expect(ids(set, after: 86_401) == [])
        site.show(Self.document("b"))
        set.refreshIfNeeded(now: start + 86_500)
        #expect(ids(set, after: 86_500) == ["b"])
    }

    @Test("a document without usable keys replaces nothing", arguments: ["", "{", #"{"keys":[]}"#, "<html>"])
    func broken(text: String) throws {
        site.show(Self.document("a"))
        let set = try set()
        _ = ids(set, after: 0)
        site.show(text)
        set.refreshIfNeeded(now: start + 300)
        #expect(ids(set, after: 300) == ["a"])
        #expect(site.codes == [.invalidFile])
        #expect(site.reports.withLock { $0[0].place?.hasPrefix("https://id.example/jwks") } == true)
    }

    @Test("a secret isn't accepted from a URL")
    func secrets() throws {
        let secret = #"{"keys":[{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0i"}]}"#
        site.show(secret)
        #expect(ids(try set(), after: 0) == [])
        #expect(site.codes == [.invalidFile])
    }

    @Test("without keys, threads that ask fetch at most each 30 seconds")
    func unreachable() throws {
        let set = try set()
        for second in 0..<60 { #expect(ids(set, after: Double(second)) == []) }
        #expect(site.count == 2)
        #expect(site.codes == [.unreachable])
    }

    @Test("a thread that asks doesn't wait for another one that fetches")
    func waiting() throws {
        let inner = Mutex<[Int]>([])
        let outer = Mutex<KeySet?>(nil)
        let start = start
        let set = try KeySet(
            url: "https://id.example/jwks",
            allowedHosts: ["id.example"],
            fetch: { _ in
                let set = outer.withLock { $0 }
                inner.withLock { $0.append(set?.keys(id: nil, now: start).count ?? -1) }
                return Array(Self.document("a").utf8)
            },
            report: { _ in }
        )
        outer.withLock { $0 = set }
        #expect(ids(set, after: 0) == ["a"])
        #expect(inner.withLock { $0 } == [0])
        outer.withLock { $0 = nil }
    }

    @Test(
        "URLs other than those of allowed hosts are refused",
        arguments: [
            "http://id.example/jwks", "id.example", "", "https://", "https:///jwks", "https://evil.example/jwks",
            "https://id.example@evil.example/", "https://user@id.example/", "https://id.example.evil.example/",
            "https://id.example:8443/", "https://id.example\\@evil.example/", "https://id.example/#x",
            "https://id.example /",
            "file:///etc/passwd", "https://127.0.0.1/", "https://id.example\n/", "https://evil.example?id.example",
            "https://evil.example#id.example", "https://ïd.example/", "https://id.example./",
        ]
    )
    func forbidden(url: String) {
        let error = #expect(throws: IdentityError.self) { try set(url) }
        #expect(error?.code == .forbiddenURL)
        #expect(error?.hint != nil)
    }

    @Test("hosts are compared without case, and with their ports")
    func allowed() throws {
        _ = try set("HTTPS://ID.Example/jwks?x=1")
        _ = try set("https://id.example:443")
        _ = try set("https://id.example:8443/", ["id.example:8443"])
        #expect(throws: IdentityError.self) { try set("https://id.example/", ["id.example:8443"]) }
    }

    @Test("a file is read again when it changes, and a mistake in it is reported once")
    func file() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/jwks.json"
            func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) }
            try write(Self.document("a"))
            let set = try KeySet(file: path, now: start) { [site] error in site.reports.withLock { $0.append(error) } }
            #expect(ids(set, after: 0) == ["a"])
            try write(Self.document("a", "b"))
            set.refreshIfNeeded(now: start + 2)
            #expect(ids(set, after: 2) == ["a", "b"])
            try write("{")
            for second in 4..<8 { set.refreshIfNeeded(now: start + Double(second)) }
            #expect(ids(set, after: 100_000) == ["a", "b"])
            #expect(site.codes == [.invalidFile])
            try write(Self.document("c"))
            set.refreshIfNeeded(now: start + 10)
            #expect(ids(set, after: 10) == ["c"])
            #expect(throws: IdentityError.self) { try KeySet(file: folder + "/none", now: start) { _ in } }
        }
    }
}
