// SPDX-License-Identifier: Apache-2.0

// Each limit, exceeded.

import Glibc
import HTTPMessage
import HTTPServer
import HTTPTestClient
import Testing

@Suite("Server limits")
struct ServerLimitTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// A request, and its refusal.
    struct Excess: Sendable, CustomTestStringConvertible {
        let limit: String
        let status: Int
        let request: String

        var testDescription: String { limit }
    }

    private static let excesses = [
        Excess(limit: "requestLine", status: 414, request: "GET /\(String(repeating: "x", count: 300))"),
        Excess(
            limit: "fieldBytes",
            status: 431,
            request: "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 2_000))"
        ),
        Excess(
            limit: "fieldCount",
            status: 431,
            request: "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 12)
        ),
        Excess(limit: "body", status: 413, request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n"),
        Excess(
            limit: "body",
            status: 413,
            request: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3E9\r\n"
        ),
        Excess(
            limit: "chunkLine",
            status: 413,
            request:
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;\(String(repeating: "x", count: 100))"
        ),
        Excess(
            limit: "chunkExtensions",
            status: 413,
            request: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: "1;\(String(repeating: "x", count: 40))\r\n1\r\n", count: 4)
        ),
        Excess(
            limit: "trailerBytes",
            status: 431,
            request: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                + String(repeating: "X: \(String(repeating: "x", count: 50))\r\n", count: 4)
        ),
        Excess(
            limit: "bodiesInMemory",
            status: 503,
            request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 800\r\n\r\n" + String(repeating: "x", count: 800)
        ),
        Excess(
            limit: "streamedBody",
            status: 413,
            request: "POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 5001\r\n\r\n"
        ),
    ]

    @Test("a request beyond a size limit is refused with the limit's name", arguments: excesses)
    func sizes(excess: Excess) throws {
        let application = TestApplication(
            receive: { $0.target == "/stream" ? .stream : .collect(limit: .max) },
            later: { request in
                _ = try? request.wholeBody()
                return .text("read")
            }
        )
        try serve(
            application,
            with: .testing { configuration in
                configuration.limits.requestLine = 200
                configuration.limits.fieldBytes = 1_000
                configuration.limits.fieldCount = 10
                configuration.limits.chunkLine = 60
                configuration.limits.chunkExtensions = 120
                configuration.limits.trailerBytes = 180
                configuration.limits.body = 1_000
                configuration.limits.bodiesInMemory = 700
                configuration.limits.streamedBody = 5_000
            }
        ) { serving in
            let client = try serving.client()
            #expect(try client.request(Self.get).status == 200)
            let refused = try client.request(excess.request)
            #expect(refused.status == excess.status)
            #expect(refused.text == excess.limit)
            #expect(client.hasEnded())
            #expect(try serving.client().request(Self.get).status == 200)
        }
    }

    @Test("a silent connection is closed without a response, and a slow head is refused with one")
    func time() throws {
        try serve(TestApplication(), with: .testing { $0.limits.firstByte = .milliseconds(30) }) { serving in
            let silent = try serving.client()
            #expect(try silent.receiveAll() == "")
        }
        try serve(
            TestApplication(),
            with: .testing { configuration in
                configuration.limits.head = .milliseconds(30)
                configuration.limits.idle = .milliseconds(30)
            }
        ) { serving in
            let idle = try serving.client()
            #expect(try idle.request(Self.get).status == 200)
            #expect(try idle.receiveAll() == "")
            let slow = try serving.client()
            try slow.send("GET / HTTP/1.1\r\nHo")
            let refused = try slow.response()
            #expect(refused.status == 408)
            #expect(refused.text == "head")
        }
    }

    @Test("time limits don't end a connection that waits for its response")
    func slowAnswers() throws {
        let gate = Gate()
        let application = TestApplication(
            atOnce: { $0.target == "/now" ? .text("now") : nil },
            later: { _ in
                gate.pass()
                return .text("x")
            }
        )
        try serve(
            application,
            with: .testing { configuration in
                configuration.limits.head = .milliseconds(20)
                configuration.limits.idle = .milliseconds(20)
                configuration.limits.rateWindow = .milliseconds(20)
            }
        ) { serving in
            let patient = try serving.client()
            try patient.send(Self.get)
            #expect(eventually { gate.arrivals == 1 })
            // By the time an idle connection is closed, all limits have passed.
            let idle = try serving.client()
            #expect(try idle.request("GET /now HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
            #expect(try idle.receiveAll() == "")
            gate.open()
            #expect(try patient.response().status == 200)
        }
    }

    @Test(
        "a slow sender is refused, also while a worker reads its body",
        arguments: [("/whole", 1_000), ("/stream", 1_000), ("/stream", 16)]
    )
    func slowSenders(target: String, inputBuffer: Int) throws {
        let begun = Count()
        let application = TestApplication(
            receive: { $0.target == "/stream" ? .stream : .collect(limit: .max) },
            later: { request in
                begun.add(1)
                _ = try? request.wholeBody()
                return .text("read")
            }
        )
        try serve(
            application,
            with: .testing { configuration in
                configuration.limits.inputBuffer = inputBuffer
                configuration.limits.rateWindow = .milliseconds(100)
                configuration.limits.receivingRate = 10_000
            }
        ) { serving in
            let client = try serving.client()
            // These bytes fill the smallest buffer, so that the time begins only when a worker has read them.
            let body = String(repeating: "slow", count: 4)
            try client.send("POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n\(body)")
            let refused = try client.response()
            #expect(refused.status == 408)
            #expect(refused.text == "receivingRate")
            #expect(eventually { serving.server.load.requestsInFlight == 0 })
            #expect(begun.value == (inputBuffer == 16 ? 1 : 0))
        }
    }

    @Test("a body that takes too long is refused even if its rate is sufficient", arguments: ["/whole", "/stream"])
    func bodyTime(target: String) throws {
        let application = TestApplication(receive: { $0.target == "/stream" ? .stream : .collect(limit: .max) })
        try serve(
            application,
            with: .testing { configuration in
                configuration.limits.bodyTime = .milliseconds(50)
                configuration.limits.receivingRate = 0
                configuration.limits.bodiesInMemory = 1_000
            }
        ) { serving in
            let request = "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n"
            let client = try serving.client()
            try client.send(request + String(repeating: "x", count: 899))
            let refused = try client.response()
            #expect(refused.status == 408)
            #expect(refused.text == "bodyTime")
            let other = try serving.client()
            #expect(try other.request(request + String(repeating: "x", count: 900)).status == 200)
        }
    }

    @Test("a request that waits too long for a worker is refused and never processed", arguments: [false, true])
    func queueTime(isStreaming: Bool) throws {
        let gate = Gate()
        let worked = Count()
        let application = TestApplication(
            receive: { _ in isStreaming ? .stream : .collect(limit: .max) },
            later: { _ in
                worked.add(1)
                gate.pass()
                return .text("worked")
            }
        )
        try serve(
            application,
            with: .testing { configuration in
                (configuration.workers, configuration.streamWorkers) = (1, 1)
                (configuration.limits.queuedRequests, configuration.limits.queuedStreams) = (1, 1)
                configuration.limits.queueTime = .milliseconds(200)
            }
        ) { serving in
            let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
            let holder = try serving.held(request, at: gate)
            for _ in 0..<2 {
                let refused = try serving.client().request(request)
                #expect(refused.status == 503)
                #expect(refused.text == "queueTime")
            }
            gate.open()
            #expect(try holder.response().text == "worked")
            #expect(eventually { serving.server.load.requestsInFlight == 0 })
            #expect(worked.value == 1)
        }
    }

    @Test("a slow reader is disconnected, and the writing of its response fails")
    func slowReaders() throws {
        let failed = Count()
        let application = TestApplication(
            atOnce: { request in
                request.target == "/now" ? HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 50 << 20))) : nil
            },
            later: { _ in
                HTTPResponse(
                    .ok,
                    body: .stream(length: nil) { writer in
                        do {
                            while true { try writer.write([UInt8](repeating: 1, count: 100_000)) }
                        } catch {
                            failed.add(1)
                            throw error
                        }
                    }
                )
            }
        )
        try serve(
            application,
            with: .testing { configuration in
                configuration.limits.rateWindow = .milliseconds(50)
                configuration.limits.sendingRate = 100_000
            }
        ) { serving in
            for (number, target) in ["/now", "/stream"].enumerated() {
                let client = try serving.client(receiveBuffer: 4_096)
                try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(eventually { application.records.count == number + 1 && serving.server.load == (0, 0) })
            }
            #expect(failed.value == 1)
            #expect(application.records.map(\.isTooSlow) == [true, true])
        }
    }

    @Test("a slow but steady reader isn't disconnected, however much the system has buffered")
    func steadyReader() throws {
        let size = 12 << 20
        let application = TestApplication(atOnce: { _ in
            HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: size)))
        })
        try serve(
            application,
            with: .testing { configuration in
                configuration.limits.rateWindow = .milliseconds(300)
                configuration.limits.sendingRate = 100_000
            }
        ) { serving in
            var count = 0
            for _ in 0..<20 {
                let client = try serving.client(receiveBuffer: 65_536)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                count = 0
                var longestPause = Duration.zero
                var last = ContinuousClock.now
                var bytes: [UInt8] = []
                repeat {
                    bytes = (try? client.receive()) ?? []
                    count += bytes.count
                    // At most two megabytes a second.
                    usleep(useconds_t(bytes.count / 2))
                    let now = ContinuousClock.now
                    longestPause = max(longestPause, now - last)
                    last = now
                } while !bytes.isEmpty
                // A reader that the system has suspended isn't steady.
                if count > size || longestPause < .milliseconds(200) { break }
            }
            #expect(count > size)
        }
    }

    @Test("surplus connections are refused with Retry-After, and accepted again when others end")
    func connections() throws {
        try serve(TestApplication(), with: .testing { $0.limits.connections = 2 }) { serving in
            let first = try serving.client()
            let second = try serving.client()
            #expect(try first.request(Self.get).status == 200)
            #expect(try second.request(Self.get).status == 200)
            let third = try serving.client()
            let refused = try third.request(Self.get)
            #expect(refused.status == 503)
            #expect(refused.text == "connections")
            #expect(refused["retry-after"] == "1")
            #expect(third.hasEnded())
            third.close()
            first.close()
            #expect(eventually { serving.server.load.connections == 1 })
            #expect(try serving.client().request(Self.get).status == 200)
        }
    }

    @Test("refused connections don't count toward the limit")
    func surplus() throws {
        try serve(
            TestApplication(),
            with: .testing { configuration in
                configuration.limits.connections = 1
                configuration.limits.lingering = .seconds(600)
            }
        ) { serving in
            let first = try serving.client()
            #expect(try first.request(Self.get).status == 200)
            let refused = try serving.client()
            #expect(try refused.request(Self.get).status == 503)
            #expect(serving.server.load.connections == 1)
            first.close()
            #expect(eventually { serving.server.load.connections == 0 })
            #expect(try serving.client().request(Self.get).status == 200)
            refused.close()
        }
    }

    @Test("the limit of connections leaves descriptors for files if the process may have few", .unsanitized)
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            limitDescriptors(to: 350)
            try serve(TestApplication()) { serving in
                #expect(serving.server.connectionLimit == 30)
                let clients = try (0..<35).map { _ in try serving.client() }
                let answers = try clients.map { try $0.request(Self.get).status }
                #expect(answers.count { $0 == 200 } == 30)
                #expect(answers.count { $0 == 503 } == 5)
            }
            limitDescriptors(to: 300)
            let server = HTTPServer(application: TestApplication(), configuration: .testing())
            let error = #expect(throws: ServerError.self) { try server.start() }
            #expect(error?.code == .exhausted)
        }
    }

    @Test("the limit of connections per client applies to each client")
    func connectionsPerClient() throws {
        let addresses: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0)]
        try serve(TestApplication(), at: addresses, with: .testing { $0.limits.connectionsPerClient = 1 }) { serving in
            let first = try serving.client()
            #expect(try first.request(Self.get).status == 200)
            #expect(try serving.client().request(Self.get).status == 503)
        }
    }

    @Test("the last allowed request on a connection gets Connection: close")
    func requestsPerConnection() throws {
        try serve(TestApplication(), with: .testing { $0.limits.requestsPerConnection = 2 }) { serving in
            let client = try serving.client()
            #expect(try client.request(Self.get)["connection"] == nil)
            #expect(try client.request(Self.get)["connection"] == "close")
            #expect(client.hasEnded())
        }
    }

    @Test("a full queue refuses requests at once with Retry-After and keeps the connection")
    func queue() throws {
        let gate = Gate()
        let application = TestApplication(
            atOnce: { $0.target == "/now" ? .text("now") : nil },
            later: { _ in
                gate.pass()
                return .text("worked")
            }
        )
        try serve(
            application,
            with: .testing { configuration in
                configuration.workers = 1
                configuration.limits.queuedRequests = 1
            }
        ) { serving in
            let clients = try (0..<2).map { _ in try serving.client() }
            for client in clients { try client.send(Self.get) }
            #expect(eventually { serving.server.load.requestsInFlight == 2 && gate.arrivals == 1 })
            let late = try serving.client()
            let refused = try late.request(Self.get)
            #expect(refused.status == 503)
            #expect(refused.text == "queuedRequests")
            #expect(refused["retry-after"] == "1")
            // A request that needs no worker is still answered.
            #expect(try late.request("GET /now HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
            gate.open(for: 2)
            for client in clients { #expect(try client.response().text == "worked") }
            #expect(eventually { application.records.contains { $0.queued > .zero } })
        }
    }

    @Test("the limit of requests in flight counts working and waiting requests")
    func requestsInFlight() throws {
        let gate = Gate()
        let application = TestApplication(later: { _ in
            gate.pass()
            return .text("worked")
        })
        try serve(application, with: .testing { $0.limits.requestsInFlight = 1 }) { serving in
            let client = try serving.client()
            try client.send(Self.get)
            #expect(eventually { gate.arrivals == 1 })
            #expect(try serving.client().request(Self.get).text == "requestsInFlight")
            gate.open()
            #expect(try client.response().text == "worked")
        }
    }
}
