// SPDX-License-Identifier: Apache-2.0

// The program as a server with TLS: its files, SIGHUP, and redirections.

import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Servers with TLS")
struct ServedTLSTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority.shared.get() }

    /// The options of a certificate.
    private func options(_ issued: TestAuthority.Issued) -> [String] {
        ["--tls-cert", issued.certificate, "--tls-key", issued.key]
    }

    private func port(of address: String) throws -> String {
        try #require(address.split(separator: ":").last.map(String.init))
    }

    @Test("a server answers over TLS, tells browsers to stay with it, and redirects plain requests")
    func answering() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--redirect-listen", "127.0.0.1:0", "--hsts-age", "1 h"]
                    + options(authority.issue("server"))
            )
            let address = try server.address()
            #expect(address.hasPrefix("https://127.0.0.1:"))
            let trusting = ["--cacert", authority.root.certificate]
            let answer = try server.curl(trusting + ["-i", address + "/api/posts/1"])
            #expect(answer.status == "200" && answer.body.contains("Strict-Transport-Security: max-age=3600"))
            let plain = try #require(server.event("ready")["redirect"]?[0]?.string)
            let redirect = try server.curl(["-i", plain + "/api/posts?limit=1"])
            #expect(redirect.status == "308" && redirect.body.contains("Location: \(address)/api/posts?limit=1\r"))
            let followed = try server.curl(trusting + ["-L", plain + "/api/posts/1"])
            #expect(followed.status == "200")
            let refused = try server.curl([address.replacingOccurrences(of: "https", with: "http") + "/api"])
            #expect(refused.status == "400" && refused.body.contains("Use https."))
        }
    }

    @Test("a page of the same host without TLS may not write")
    func origins() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0"] + options(authority.issue("server"))
            )
            let address = try server.address()
            for (scheme, status) in [("https", "201"), ("http", "403")] {
                let origin = try "Origin: \(scheme)://127.0.0.1:\(port(of: address))"
                let answer = try server.curl([
                    "--cacert", authority.root.certificate, "-H", origin, "--json", #"{"name": "\#(scheme)"}"#,
                    address + "/api/tags",
                ])
                #expect(answer.status == status, "\(answer.body)")
            }
        }
    }

    @Test("SIGHUP reads the certificates again, and files with mistakes leave them as they are")
    func reload() throws {
        try Checkout.withFolder { folder in
            let certificate = folder + "/own.pem"
            let key = folder + "/own.key"
            func install(_ issued: TestAuthority.Issued) throws {
                try Files.write(issued.certificateText, to: certificate)
                try Files.write(issued.keyText, to: key)
            }
            try install(authority.issue("first"))
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key]
            )
            let place = try "127.0.0.1:" + port(of: server.address())
            func subject() throws -> String {
                let text = try TestAuthority.openssl([
                    "s_client", "-connect", place, "-CAfile", authority.root.certificate,
                ])
                return text.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init) ?? text
            }
            func messages() throws -> [String] {
                try server.events().filter { $0["event"]?.string == "tls" }.compactMap { $0["message"]?.string }
            }
            func reload(expecting count: Int) throws {
                server.signal(SIGHUP)
                for _ in 0..<500 where try messages().count < count { usleep(20_000) }
                #expect(try messages().count == count)
            }
            #expect(try subject() == "subject=CN = first")
            try install(authority.issue("second"))
            try reload(expecting: 1)
            #expect(try subject() == "subject=CN = second")
            try Files.write("no key", to: key)
            try reload(expecting: 2)
            #expect(try messages()[1].hasPrefix("The certificates aren't read again. “\(certificate)” and “\(key)”: "))
            #expect(try subject() == "subject=CN = second")
            try install(authority.issue("third", days: -1))
            try reload(expecting: 4)
            #expect(
                try messages()[3]
                    == "The certificate of CN=third in “\(certificate)” has expired, so clients refuse it."
            )
            #expect(try subject() == "subject=CN = third")
        }
    }

    @Test("a server that demands certificates answers only clients that have one")
    func clients() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                [
                    "--listen", "127.0.0.1:0", "--tls-client-ca", authority.root.certificate, "--tls-client-cert",
                    "required",
                ] + options(authority.issue("server"))
            )
            let address = try server.address() + "/api/posts/1"
            let trusting = ["--cacert", authority.root.certificate]
            let client = try authority.issue("backup", for: ["DNS:backup.example"])
            let own = ["--cert", client.certificate, "--key", client.key]
            #expect(try server.curl(trusting + own + [address]).status == "200")
            #expect(try server.curl(trusting + ["-o", "/dev/null", address]).status == "000")
        }
    }

    @Test("a server doesn't start with files that it can't use")
    func refusals() throws {
        let one = try authority.issue("one")
        let other = try authority.issue("other")
        func refusal(_ arguments: [String]) throws -> String {
            try ServerProcess.refusal(["--listen", "127.0.0.1:0"] + arguments)
        }
        #expect(
            try refusal(["--tls-cert", one.certificate, "--tls-key", other.key])
                .contains("“\(one.certificate)” and “\(other.key)”: The key isn't that of the certificate.")
        )
        #expect(
            try refusal(["--tls-cert", "/nothing.pem", "--tls-key", one.key]).contains("“/nothing.pem” can't be read.")
        )
        #expect(
            try refusal(["--tls-cert", one.certificate]).contains(
                "The numbers of certificates and keys differ: 1 and 0."
            )
        )
        #expect(try refusal(["--hsts-age", "1 d"]).contains("hstsAge needs TLS, for which there is no certificate."))
        #expect(try refusal(["--redirect-listen", "127.0.0.1:0"]).contains("redirectListen needs TLS"))
        #expect(try refusal(options(one) + ["--tls-client-cert", "required"]).contains("no authority is given"))
        #expect(
            try refusal(options(one) + ["--tls-client-ca", one.key]).contains(
                "“\(one.key)”: The text has no certificate"
            )
        )
    }

    @Test("objects are exported from a server only if its certificate is valid")
    func export() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0"] + options(authority.issue("server"))
            )
            let address = try server.address()
            func export(trusting file: String) throws -> (status: Int32, errors: String) {
                let process = Process()
                process.executableURL = ServerProcess.binary
                process.arguments = ["export", address, "-o", folder + "/all.ndjson"]
                process.environment = ["SSL_CERT_FILE": file, "PATH": "/usr/bin:/bin"]
                process.standardOutput = FileHandle.nullDevice
                let errors = Pipe()
                process.standardError = errors
                try process.run()
                let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                return (process.terminationStatus, text)
            }
            let refused = try export(trusting: "/dev/null")
            #expect(refused.status == 1 && refused.errors.contains("TLS fails: unable to get local issuer certificate"))
            let exported = try export(trusting: authority.root.certificate)
            #expect(exported.status == 0, "\(exported.errors)")
            #expect(
                try String(contentsOfFile: folder + "/all.ndjson", encoding: .utf8).split(separator: "\n").count > 50
            )
        }
    }

    @Test("--check finds mistakes in the files")
    func check() throws {
        let one = try authority.issue("one")
        let other = try authority.issue("other")
        let bad = Program.run(
            ["serve", "--demo", "--check", "--tls-cert", one.certificate, "--tls-key", other.key],
            on: .plain
        )
        #expect(bad.status == .problems && bad.output.contains("The key isn't that of the certificate."))
        let good = Program.run(["serve", "--demo", "--check"] + options(one), on: .plain)
        #expect(good.status == .fine, "\(good.output)")
    }
}
