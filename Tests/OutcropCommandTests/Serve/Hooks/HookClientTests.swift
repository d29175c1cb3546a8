// SPDX-License-Identifier: Apache-2.0

// Requests of webhooks over sockets.

import Cryptography
import Dispatch
import Glibc
import HTTPMessage
import JSON
import RESTAPI
import Synchronization
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Client of webhooks")
struct HookClientTests {
    private func answer(
        _ authority: String,
        timeout: Duration = .seconds(10),
        over tls: TLSClient? = nil
    ) throws -> HookAnswer {
        let url = try HookURL("\(tls == nil ? "http" : "https")://\(authority)/in?key=1")
        let client = try HookClient(tls: tls ?? TLSClient())
        return client.send(HookRequest(to: url, body: Array("{}".utf8), timeout: timeout))
    }

    /// A socket that accepts a connection, sends bytes, and waits for the client to close.
    private final class RawServer: Sendable {
        let port: Int
        private let descriptor: CInt

        init(sending bytes: [UInt8]?) throws {
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            port = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(descriptor, pointer, size)
                    listen(descriptor, 8)
                    unsafe getsockname(descriptor, pointer, &size)
                }
                return unsafe Int(pointer.pointee.sin_port.bigEndian)
            }
            guard let bytes else { return }
            DispatchQueue.global().async {
                let client = accept(descriptor, nil, nil)
                var buffer = [UInt8](repeating: 0, count: 4_096)
                _ = unsafe recv(client, &buffer, buffer.count, 0)
                _ = unsafe Glibc.send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL))
                while unsafe recv(client, &buffer, buffer.count, 0) > 0 {}
                close(client)
            }
        }

        deinit { close(descriptor) }
    }

    @Test("a delivery is a POST, and the status is the answer")
    func status() throws {
        let receiver = try HookReceiver { request in
            HTTPResponse(request.method == .post ? .accepted : .badRequest, body: .bytes(Array("thanks".utf8)))
        }
        #expect(try answer(receiver.authority) == .status(202))
        let request = try #require(receiver.requests.first)
        #expect(request.target == "/in?key=1")
        #expect(request.fields[.host] == receiver.authority)
        #expect(request.json == [:])
    }

    @Test("a delivery over TLS arrives only at a receiver whose certificate is valid")
    func tls() throws {
        let authority = try TestAuthority.shared.get()
        func receiver(_ names: [String], days: Int = 2) throws -> HookReceiver {
            let issued = try authority.issue("receiver", for: names, days: days)
            let certificate = try TLSCertificate(chain: issued.certificateText, key: issued.keyText)
            return try HookReceiver(tls: TLSServer(TLSServerConfiguration(certificates: [certificate])))
        }
        let trusting = try TLSClient(authorities: authority.text)
        let good = try receiver(["IP:127.0.0.1"])
        #expect(try answer(good.authority, over: trusting) == .status(204))
        #expect(good.requests.first?.fields[.host] == good.authority)
        #expect(
            try answer(good.authority, over: TLSClient())
                == .failed("TLS fails: unable to get local issuer certificate.")
        )
        let other = try receiver(["DNS:receiver.example"])
        #expect(try answer(other.authority, over: trusting) == .failed("TLS fails: IP address mismatch."))
        let expired = try receiver(["IP:127.0.0.1"], days: -1)
        #expect(try answer(expired.authority, over: trusting) == .failed("TLS fails: certificate has expired."))
        #expect(other.requests.isEmpty && expired.requests.isEmpty && good.requests.count == 1)
    }

    @Test("a receiver that doesn't speak TLS, or falls silent, is a failure")
    func brokenTLS() throws {
        let trusting = try TLSClient()
        let other = try RawServer(sending: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        guard case .failed(let reason) = try answer("127.0.0.1:\(other.port)", over: trusting) else {
            Issue.record("It is accepted.")
            return
        }
        #expect(reason.hasPrefix("TLS fails: "))
        let silent = try RawServer(sending: nil)
        #expect(
            try answer("127.0.0.1:\(silent.port)", timeout: .milliseconds(200), over: trusting)
                == .failed("It doesn't answer within 200 ms.")
        )
    }

    @Test("a redirect isn't followed")
    func redirect() throws {
        let other = try HookReceiver()
        let location = "http://\(other.authority)/"
        let receiver = try HookReceiver { _ in HTTPResponse(.permanentRedirect, fields: [.location: location]) }
        #expect(try answer(receiver.authority) == .status(308))
        #expect(other.requests.isEmpty)
    }

    @Test("a receiver that is silent, closed, or no HTTP server is a failure with a reason")
    func failures() throws {
        let silent = try RawServer(sending: nil)
        let start = ContinuousClock.now
        #expect(
            try answer("127.0.0.1:\(silent.port)", timeout: .milliseconds(200))
                == .failed("It doesn't answer within 200 ms.")
        )
        #expect(ContinuousClock.now - start < .seconds(5))
        let trickling = try RawServer(sending: Array("HTTP/1.1 2".utf8))
        #expect(
            try answer("127.0.0.1:\(trickling.port)", timeout: .milliseconds(200))
                == .failed("It doesn't answer within 200 ms.")
        )
        let other = try RawServer(sending: Array("SSH-2.0-x\r\n\r\n".utf8))
        #expect(try answer("127.0.0.1:\(other.port)") == .failed("It doesn't answer with HTTP/1.1."))
        let endless = try RawServer(sending: [UInt8](repeating: UInt8(ascii: "x"), count: 40_000))
        #expect(try answer("127.0.0.1:\(endless.port)") == .failed("The head of its answer is too long."))
        #expect(try answer("127.0.0.1:1") == .failed("No server listens there."))
        guard case .failed(let reason) = try answer("nothing.invalid") else { return #expect(Bool(false)) }
        #expect(reason.hasPrefix("The name “nothing.invalid” can't be resolved"))
    }

    @Test("a body isn't waited for", arguments: ["Transfer-Encoding: chunked\r\n", "", "Content-Length: 9\r\n"])
    func body(field: String) throws {
        let server = try RawServer(sending: Array("HTTP/1.1 200 OK\r\n\(field)\r\n".utf8))
        let start = ContinuousClock.now
        #expect(try answer("127.0.0.1:\(server.port)") == .status(200))
        #expect(ContinuousClock.now - start < .milliseconds(800))
    }

    @Test("the time that a receiver asks to wait is read as seconds or as a date")
    func retryAfter() throws {
        func wait(_ value: String) throws -> Duration? {
            let server = try RawServer(sending: Array("HTTP/1.1 503 Busy\r\nRetry-After: \(value)\r\n\r\n".utf8))
            guard case .status(503, let time) = try answer("127.0.0.1:\(server.port)") else { return nil }
            return time
        }
        #expect(try wait("7") == .seconds(7))
        #expect(try wait("soon") == nil)
        #expect(try wait("Sun, 06 Nov 1994 08:49:37 GMT") == .zero)
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let date = try #require(try wait("\(HTTPDate(secondsSince1970: time.tv_sec + 100))"))
        #expect(date > .seconds(80) && date <= .seconds(100))
    }

    @Test("interim answers are skipped, and a long body is ignored")
    func interim() throws {
        let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        let server = try RawServer(sending: Array(head.utf8) + [UInt8](repeating: 0, count: 100_000))
        #expect(try answer("127.0.0.1:\(server.port)") == .status(200))
    }
}
