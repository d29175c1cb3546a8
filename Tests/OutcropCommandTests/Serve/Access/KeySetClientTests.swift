// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Fetching keys of tokens")
struct KeySetClientTests {
    /// What a client that trusts the test's authority gets.
    private func fetch(
        path: String = "/jwks",
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws -> Result<String, any Error> {
        let authority = try TestAuthority.shared.get()
        let issued = try authority.issue("keys", for: ["IP:127.0.0.1"])
        let certificate = try TLSCertificate(chain: issued.certificateText, key: issued.keyText)
        let site = try HookReceiver(tls: TLSServer(TLSServerConfiguration(certificates: [certificate])), answer)
        let client = KeySetClient(try TLSClient(authorities: authority.text))
        return Result {
            String(decoding: try client.document(at: "https://\(site.authority)\(path)"), as: UTF8.self)
        }
    }

    private func failure(_ result: Result<String, any Error>) -> String? {
        if case .failure(let error) = result { "\(error)" } else { nil }
    }

    @Test("a document is fetched with GET")
    func document() throws {
        let text = try fetch { request in
            HTTPResponse(request.method == .get ? .ok : .badRequest, body: .bytes(Array(request.target.utf8)))
        }
        #expect(try text.get() == "/jwks")
    }

    @Test("redirections, errors and long answers are refused")
    func refusals() throws {
        let redirect = try fetch { _ in HTTPResponse(.permanentRedirect, fields: [.location: "https://other.example/"])
        }
        #expect(failure(redirect) == "The answer has the status 308. Redirections aren't followed.")
        let long = try fetch { _ in HTTPResponse(.ok, body: .bytes([UInt8](repeating: 32, count: 2 << 20))) }
        #expect(failure(long) == "The answer has more than 1 MiB.")
    }

    @Test("a server is trusted only with a valid certificate, and only with TLS")
    func trust() throws {
        let authority = try TestAuthority.shared.get()
        let issued = try authority.issue("keys", for: ["IP:127.0.0.1"])
        let certificate = try TLSCertificate(chain: issued.certificateText, key: issued.keyText)
        let site = try HookReceiver(tls: TLSServer(TLSServerConfiguration(certificates: [certificate])))
        let client = KeySetClient(try TLSClient())
        func failure(_ address: String) -> String? {
            do {
                _ = try client.document(at: address)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(failure("https://\(site.authority)/")?.contains("TLS fails: unable to get local issuer") == true)
        #expect(failure("http://\(site.authority)/") == "The address doesn't begin with https://.")
        #expect(site.requests.isEmpty)
    }
}
