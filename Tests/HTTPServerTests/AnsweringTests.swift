// SPDX-License-Identifier: Apache-2.0

// Requests and their responses on one connection.

import HTTPMessage
import HTTPServer
import HTTPTestClient
import Synchronization
import Testing

@Suite("Connections")
struct AnsweringTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("a connection answers one request after the other, on its loop or by a worker")
    func keepAlive() throws {
        let application = TestApplication(atOnce: { $0.target == "/now" ? .text("now") : nil })
        try serve(application) { serving in
            let client = try serving.client()
            for _ in 0..<3 {
                let now = try client.request("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(now.status == 200)
                #expect(now.text == "now")
                #expect(now["content-length"] == "3")
                #expect(now["date"]?.hasSuffix(" GMT") == true)
                #expect(now["connection"] == nil)
                #expect(try client.request("GET /later HTTP/1.1\r\nHost: a\r\n\r\n").text == "later")
            }
            #expect(eventually { application.records.count == 6 })
            let record = try #require(application.records.first)
            #expect(record.method == .get)
            #expect(record.target == "/now")
            #expect(record.client == "127.0.0.1")
            #expect(record.status == .ok)
            #expect(record.sent == 3)
            #expect(!record.isAborted)
        }
    }

    @Test("pipelined requests are answered in order, from memory or by short reads on the loop, or by workers")
    func pipelining() throws {
        let application = TestApplication(
            atOnce: { $0.target.hasSuffix("0") ? .text($0.target) : nil },
            shortly: { $0.target.hasSuffix("0") || $0.target.hasSuffix("5") ? .text($0.target) : nil },
            later: { .text($0.target.hasSuffix("5") ? "later" : $0.target) }
        )
        try serve(application) { serving in
            let client = try serving.client()
            try client.send((0..<200).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in 0..<200 { #expect(try client.response().text == "/\(number)") }
        }
    }

    @Test("a connection reads a limited number of bytes ahead while it answers a request")
    func pipeliningIsBounded() throws {
        let gate = Gate()
        let application = TestApplication(later: { _ in
            gate.pass()
            return .text("x")
        })
        try serve(application, with: .testing { $0.limits.pipelinedBytes = 1_000 }) { serving in
            let client = try serving.client()
            try client.send(Self.get)
            #expect(eventually { gate.arrivals == 1 })
            let more = Array(String(repeating: Self.get, count: 4_000).utf8)
            var sent = 0
            // Once the system's buffers are full, no more bytes are accepted.
            #expect(
                eventually {
                    let count = client.sendAtOnce(Array(more[(sent % Self.get.utf8.count)...]))
                    sent += max(0, count)
                    return count < 0
                }
            )
            client.reset()
            #expect(eventually { serving.server.load.connections == 0 })
            gate.open()
        }
    }

    @Test("a connection closes on request, and with HTTP/1.0 unless the client asks to keep it open")
    func closing() throws {
        try serve(TestApplication()) { serving in
            let first = try serving.client()
            let closed = try first.request("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(closed["connection"] == "close")
            #expect(first.hasEnded())
            let second = try serving.client()
            #expect(try second.request("GET / HTTP/1.0\r\n\r\n")["connection"] == "close")
            #expect(second.hasEnded())
            let third = try serving.client()
            for _ in 0..<2 {
                let kept = try third.request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(kept["connection"] == "keep-alive")
            }
        }
    }

    @Test("responses to HEAD, and with 204 and 304, have no body, and HEAD has the body's length")
    func bodiless() throws {
        let application = TestApplication(atOnce: { request in
            switch request.target {
            case "/204": HTTPResponse(.noContent, body: .bytes([1]))
            case "/304": HTTPResponse(.notModified, body: .bytes([1]))
            case "/stream": HTTPResponse(.ok, body: .stream(length: 7) { try $0.write(Array("1234567".utf8)) })
            default: .text("four")
            }
        })
        try serve(application) { serving in
            let client = try serving.client()
            let head = try client.request("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", isHead: true)
            #expect(head["content-length"] == "4")
            let stream = try client.request("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n", isHead: true)
            #expect(stream["content-length"] == "7")
            for status in [204, 304] {
                let response = try client.request("GET /\(status) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(response.status == status)
                #expect(response["content-length"] == nil)
            }
            #expect(try client.request("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n").text == "1234567")
        }
    }

    @Test("an unreadable request is refused, and the client can read the refusal although it sends more")
    func refusal() throws {
        let application = TestApplication()
        try serve(application) { serving in
            let client = try serving.client()
            try client.send(Self.get + "NONSENSE\r\n\r\n" + String(repeating: "x", count: 100_000))
            #expect(try client.response().status == 200)
            let refused = try client.response()
            #expect(refused.status == 400)
            #expect(refused["connection"] == "close")
            #expect(client.hasEnded())
            #expect(eventually { application.records.map(\.status.code) == [200, 400] })
        }
    }

    @Test("a client that has shut down its sending side gets the response")
    func halfClose() throws {
        let gate = Gate()
        let application = TestApplication(later: { request in
            gate.pass()
            return .text(request.cancellation.isCancelled ? "cancelled" : "answered")
        })
        try serve(application) { serving in
            let client = try serving.client()
            try client.send(Self.get)
            client.endWriting()
            #expect(eventually { gate.arrivals == 1 })
            // Checks whether the client is still there, in a way that clients ignore.
            #expect(try client.response().status == 100)
            gate.open()
            #expect(try client.response().text == "answered")
            #expect(client.hasEnded())
        }
    }

    @Test(
        "a client that has shut down its sending side gets the responses to all its requests",
        arguments: [false, true]
    )
    func halfCloseBehindMany(isAtOnce: Bool) throws {
        let gate = Gate()
        let application = TestApplication(
            atOnce: { isAtOnce && $0.target != "/0" ? .text($0.target) : nil },
            later: { request in
                if request.target == "/0" { gate.pass() }
                return .text(request.target)
            }
        )
        try serve(application) { serving in
            let client = try serving.client()
            try client.send((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            client.endWriting()
            #expect(eventually { gate.arrivals == 1 })
            // By now the shutdown has been noticed.
            #expect(try client.response().status == 100)
            gate.open()
            for number in 0..<100 { #expect(try client.response().text == "/\(number)") }
            #expect(client.hasEnded())
        }
    }

    @Test(
        "other connections get their turn while one has many pipelined requests, and after each short read",
        arguments: [(isRead: false, most: 100), (isRead: true, most: 10)]
    )
    func turns(isRead: Bool, most: Int) throws {
        let gate = Gate()
        let targets = Mutex<[String]>([])
        let answer: @Sendable (HTTPRequest) -> HTTPResponse? = { request in
            if request.target == "/first" { gate.pass() }
            targets.withLock { $0.append(request.target) }
            return .text("x")
        }
        let none: @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }
        let application = TestApplication(atOnce: isRead ? none : answer, shortly: isRead ? answer : none)
        try serve(application, with: .testing { $0.loops = 1 }) { serving in
            let (many, one) = (try serving.client(), try serving.client())
            // Over TLS, a connection counts before it is established.
            try one.send(Self.get)
            #expect(try one.response().status == 200)
            try many.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n" + String(repeating: Self.get, count: 999))
            #expect(eventually { gate.arrivals == 1 })
            try one.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            gate.open()
            #expect(try one.response().status == 200)
            for _ in 0..<1_000 { #expect(try many.response().status == 200) }
            let place = try #require(targets.withLock { $0.firstIndex(of: "/other") })
            #expect(place <= most)
        }
    }

    @Test("large responses are sent whole, from the loop and from workers")
    func largeAnswers() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let application = TestApplication(
            atOnce: { $0.target == "/now" ? HTTPResponse(.ok, body: .bytes(bytes)) : nil },
            later: { _ in HTTPResponse(.ok, body: .bytes(bytes)) }
        )
        try serve(application) { serving in
            let client = try serving.client(receiveBuffer: 4_096)
            try client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\nGET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            for _ in 0..<2 { #expect(try client.response().body == bytes) }
        }
    }

    @Test("a response has the application's status and fields, except the connection's own fields")
    func fields() throws {
        let application = TestApplication(atOnce: { _ in
            HTTPResponse(.created, fields: ["Location": "/x", "Content-Length": "99", "Connection": "upgrade"])
        })
        try serve(application) { serving in
            let response = try serving.client().request(Self.get)
            #expect(response.head == "HTTP/1.1 201 Created")
            #expect(response["location"] == "/x")
            #expect(response["content-length"] == "0")
            #expect(response["connection"] == nil)
        }
    }
}
