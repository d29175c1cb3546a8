// SPDX-License-Identifier: Apache-2.0

// Bodies of requests and responses.

import HTTPMessage
import HTTPServer
import HTTPTestClient
import Testing

@Suite("Bodies")
struct BodyTests {
    private static func post(_ target: String, _ fields: String) -> String {
        "POST \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n"
    }

    /// Returns the body that it receives, as a whole or streamed according to the target.
    private static let echo = TestApplication(
        receive: { $0.target == "/stream" ? .stream : .collect(limit: 1 << 20) },
        later: { request in
            guard let bytes = try? request.wholeBody() else { return .text("gone", .badRequest) }
            return HTTPResponse(.ok, body: .bytes(bytes))
        }
    )

    @Test("a body with a length or in chunks is received, as a whole or streamed", arguments: ["/whole", "/stream"])
    func takingIn(target: String) throws {
        try serve(Self.echo) { serving in
            let client = try serving.client()
            let text = String(repeating: "abcdefgh", count: 20_000)
            let sized = try client.request(Self.post(target, "Content-Length: \(text.utf8.count)") + text)
            #expect(sized.text == text)
            try client.send(Self.post(target, "Transfer-Encoding: chunked"))
            for piece in ["5\r\nhello\r\n", "1;x=y\r\n \r\n5\r\nwor", "ld\r\n0\r\n\r\n"] { try client.send(piece) }
            #expect(try client.response().text == "hello world")
            #expect(try client.request(Self.post(target, "Content-Length: 0")).text == "")
        }
    }

    @Test("a body is requested with 100 Continue only if the client expects it", arguments: ["/whole", "/stream"])
    func expectation(target: String) throws {
        try serve(Self.echo) { serving in
            let client = try serving.client()
            try client.send(Self.post(target, "Content-Length: 2\r\nExpect: 100-continue"))
            #expect(try client.response().status == 100)
            try client.send("hi")
            #expect(try client.response().text == "hi")
            let impatient = try serving.client()
            try impatient.send(Self.post("/whole", "Content-Length: 2\r\nExpect: 100-continue") + "hi")
            #expect(try impatient.response().status == 200)
        }
    }

    @Test("a refused body isn't requested")
    func refusedExpectation() throws {
        let application = TestApplication(receive: { request in
            request.target == "/no" ? .refuse(.text("no", .unsupportedMediaType)) : .collect(limit: 3)
        })
        try serve(application) { serving in
            for (target, status) in [("/no", 415), ("/large", 413)] {
                let client = try serving.client()
                try client.send(Self.post(target, "Content-Length: 4\r\nExpect: 100-continue"))
                let response = try client.response()
                #expect(response.status == status)
                #expect(response["connection"] == "close")
                #expect(client.hasEnded())
            }
        }
    }

    @Test("an unwanted short body is skipped, and an unwanted long one closes the connection")
    func unwanted() throws {
        let application = TestApplication(
            receive: { $0.target == "/refuse" ? .refuse(.text("refused", .forbidden)) : .stream },
            later: { _ in .text("unread") }
        )
        try serve(application, with: .testing { ($0.limits.unwantedBody, $0.limits.inputBuffer) = (1_000, 4_000) }) {
            serving in
            let client = try serving.client()
            for target in ["/refuse", "/stream", "/refuse"] {
                let answer = try client.request(
                    Self.post(target, "Content-Length: 1000") + String(repeating: "x", count: 1_000)
                )
                #expect(answer.status == (target == "/refuse" ? 403 : 200))
                #expect(answer["connection"] == nil)
            }
            for target in ["/refuse", "/stream"] {
                let client = try serving.client()
                // A worker begins when there is something to read.
                try client.send(Self.post(target, "Content-Length: 1000000") + String(repeating: "x", count: 1_000))
                let answer = try client.response()
                #expect(answer.status == (target == "/refuse" ? 403 : 200))
                #expect(answer["connection"] == "close")
                // The client can read the response although it has more to send.
                #expect(client.hasEnded())
            }
        }
    }

    @Test("a refusal can have a streamed body")
    func refusedByStream() throws {
        let application = TestApplication(receive: { _ in
            .refuse(HTTPResponse(.forbidden, body: .stream(length: nil) { try $0.write(Array("refused".utf8)) }))
        })
        try serve(application) { serving in
            let client = try serving.client()
            for _ in 0..<2 {
                let answer = try client.request(Self.post("/", "Content-Length: 5") + "xxxxx")
                #expect(answer.status == 403)
                #expect(answer.text == "refused")
            }
            #expect(try client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == "later")
        }
    }

    @Test("the body of a request isn't kept in memory while its feed is open")
    func forgotten() throws {
        let feeds = Feeds()
        let application = TestApplication(later: { request in
            request.target == "/feed"
                ? HTTPResponse(.ok, body: .feed { feeds.add($0, of: request.target) }) : .text("x")
        })
        try serve(application, with: .testing { $0.limits.bodiesInMemory = 1_000 }) { serving in
            let body = String(repeating: "x", count: 800)
            let listener = try serving.client()
            try listener.send(Self.post("/feed", "Content-Length: 800") + body)
            #expect(try listener.line() == "HTTP/1.1 200 OK")
            #expect(eventually { feeds.count == 1 && serving.server.load.requestsInFlight == 0 })
            #expect(try serving.client().request(Self.post("/", "Content-Length: 800") + body).status == 200)
        }
    }

    @Test("a client that sends faster than the application reads is slowed down")
    func backPressure() throws {
        let gate = Gate()
        let application = TestApplication(
            receive: { _ in .stream },
            later: { request in
                gate.pass()
                return .text(String((try? request.wholeBody().count) ?? -1))
            }
        )
        try serve(application, with: .testing { $0.limits.inputBuffer = 10_000 }) { serving in
            let client = try serving.client()
            let length = 64 << 20
            try client.send(Self.post("/", "Content-Length: \(length)"))
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            var sent = 0
            #expect(
                eventually {
                    let count = client.sendAtOnce(piece)
                    sent += max(0, count)
                    return count < 0
                }
            )
            #expect(sent < length)
            #expect(eventually { gate.arrivals == 1 })
            gate.open()
            while sent < length {
                let count = min(piece.count, length - sent)
                try client.send(Array(piece[..<count]))
                sent += count
            }
            #expect(try client.response().text == String(length))
        }
    }

    @Test("a streamed response is sent in chunks, with a length, or until the end for HTTP/1.0")
    func writing() throws {
        let application = TestApplication(later: { request in
            let pieces = ["one ", "two ", "three"]
            return HTTPResponse(
                .ok,
                body: .stream(length: request.target == "/sized" ? 13 : nil) { writer in
                    for piece in pieces { try writer.write(Array(piece.utf8)) }
                }
            )
        })
        try serve(application) { serving in
            let client = try serving.client()
            let chunked = try client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(chunked["transfer-encoding"] == "chunked")
            #expect(chunked.chunks > 0)
            #expect(chunked.text == "one two three")
            let sized = try client.request("GET /sized HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(sized["content-length"] == "13")
            #expect(sized.text == "one two three")
            let old = try serving.client()
            let whole = try old.request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(whole["transfer-encoding"] == nil)
            #expect(whole.text == "one two three")
            #expect(old.hasEnded())
        }
    }

    @Test("a response is written no faster than the client reads")
    func slowReader() throws {
        let written = Count()
        let total = 64 << 20
        let application = TestApplication(later: { _ in
            HTTPResponse(
                .ok,
                body: .stream(length: total) { writer in
                    let piece = [UInt8](repeating: 7, count: 64 << 10)
                    for _ in 0..<(total / piece.count) {
                        try writer.write(piece)
                        written.add(piece.count)
                    }
                }
            )
        })
        try serve(application, with: .testing { $0.limits.outputBuffer = 100_000 }) { serving in
            let client = try serving.client(receiveBuffer: 4_096)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.line()
            var last = -1
            // Writing pauses before the end.
            #expect(
                eventually {
                    defer { last = written.value }
                    return written.value == last && last > 0
                }
            )
            #expect(written.value < total)
            while !(try client.line()).isEmpty {}
            var count = 0
            while count < total { count += try client.receive().count }
            #expect(count == total)
        }
    }

    @Test("a response that fails before its first byte is answered with 500, and later it is cut off")
    func failing() throws {
        struct Failure: Error {}
        let application = TestApplication(later: { request in
            HTTPResponse(
                .ok,
                body: .stream(length: request.target == "/short" ? 10 : nil) { writer in
                    if request.target != "/first" { try writer.write(Array("some".utf8)) }
                    if request.target != "/short" { throw Failure() }
                }
            )
        })
        try serve(application) { serving in
            let first = try serving.client().request("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(first.status == 500)
            for target in ["/later", "/short"] {
                let client = try serving.client()
                try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(throws: (any Error).self) { try client.response() }
            }
            #expect(eventually { serving.application.records.filter(\.isAborted).count == 2 })
        }
    }

    @Test("a body can be read while the response is written")
    func bothWays() throws {
        let application = TestApplication(
            receive: { _ in .stream },
            later: { request in
                HTTPResponse(
                    .ok,
                    body: .stream(length: nil) { writer in
                        guard case .stream(let reader) = request.body else { return }
                        while let bytes = try reader.read() { try writer.write(bytes) }
                    }
                )
            }
        )
        try serve(application) { serving in
            let client = try serving.client()
            let text = String(repeating: "0123456789", count: 30_000)
            let length = text.utf8.count
            #expect(try client.request(Self.post("/", "Content-Length: \(length)") + text).text == text)
        }
    }

    @Test("a request whose client disconnects during the body is aborted", .overPlainTCP, arguments: [false, true])
    func cutOff(resets: Bool) throws {
        let (begun, failed) = (Count(), Count())
        let application = TestApplication(
            receive: { $0.target == "/stream" ? .stream : .collect(limit: 100) },
            later: { request in
                begun.add(1)
                do { _ = try request.wholeBody() } catch { failed.add(request.cancellation.isCancelled ? 1 : 100) }
                return .text("x")
            }
        )
        try serve(application, with: .testing { $0.limits.inputBuffer = 20 }) { serving in
            for target in ["/stream", "/whole"] {
                let client = try serving.client()
                try client.send(Self.post(target, "Content-Length: 10") + "12345")
                #expect(eventually { serving.server.load.connections == 1 && begun.value == 1 })
                if resets { client.reset() } else { client.close() }
                #expect(eventually { serving.server.load == (0, 0) })
            }
            #expect(eventually { failed.value == 1 })
            #expect(eventually { application.records.filter(\.isAborted).count == 2 })
        }
    }
}
