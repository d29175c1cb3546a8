// SPDX-License-Identifier: Apache-2.0

// Long work, and clients that don't wait for it.

import HTTPMessage
import HTTPServer
import HTTPTestClient
import Testing

@Suite("Workers")
struct WorkerTests {
    private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" }

    /// Blocks each request until the gate opens, and counts those that were cancelled by then.
    private static func holding(_ gate: Gate, _ cancelled: Count) -> TestApplication {
        TestApplication(later: { request in
            request.cancellation.onCancel {
                cancelled.add(1)
                gate.open()
            }
            gate.pass()
            return .text("x")
        })
    }

    @Test("a worker's request is cancelled when the client resets its connection")
    func reset() throws {
        let (gate, cancelled) = (Gate(), Count())
        try serve(Self.holding(gate, cancelled)) { serving in
            let client = try serving.client()
            try client.send(Self.get("/"))
            #expect(eventually { gate.arrivals == 1 })
            client.reset()
            #expect(eventually { cancelled.value == 1 })
            #expect(eventually { serving.application.records.map(\.isAborted) == [true] })
            #expect(serving.application.records.first?.status.code == 499)
        }
    }

    @Test(
        "a worker's request is cancelled when the client closes, over TCP and over a Unix socket",
        arguments: [false, true]
    )
    func close(isUnix: Bool) throws {
        try withSocketPath { path in
            let (gate, cancelled) = (Gate(), Count())
            let address: ListenAddress = isUnix ? .unix(path: path) : .tcp(host: "127.0.0.1", port: 0)
            try serve(Self.holding(gate, cancelled), at: [address]) { serving in
                let client = try serving.client()
                try client.send(Self.get("/"))
                #expect(eventually { gate.arrivals == 1 })
                client.close()
                #expect(eventually { cancelled.value == 1 })
            }
        }
    }

    @Test("a worker's request is cancelled when a client with unread pipelined requests closes")
    func closeWhileReadingIsPaused() throws {
        let (gate, cancelled) = (Gate(), Count())
        try serve(Self.holding(gate, cancelled), with: .testing { $0.limits.pipelinedBytes = 100 }) { serving in
            let client = try serving.client()
            try client.send(String(repeating: Self.get("/"), count: 1_000))
            #expect(eventually { gate.arrivals == 1 })
            client.close()
            #expect(eventually { cancelled.value == 1 })
        }
    }

    @Test("a cancelled request that waits in the queue is never processed")
    func cancelledInTheQueue() throws {
        let gate = Gate()
        let worked = Count()
        let application = TestApplication(later: { request in
            if request.target == "/hold" { gate.pass() }
            worked.add(1)
            return .text("x")
        })
        try serve(application, with: .testing { $0.workers = 1 }) { serving in
            let holder = try serving.client()
            try holder.send(Self.get("/hold"))
            #expect(eventually { gate.arrivals == 1 })
            let client = try serving.client()
            try client.send(Self.get("/"))
            #expect(eventually { serving.server.load.requestsInFlight == 2 })
            client.reset()
            #expect(eventually { serving.server.load.connections == 1 })
            gate.open()
            #expect(try holder.response().status == 200)
            #expect(eventually { serving.server.load.requestsInFlight == 0 })
            #expect(worked.value == 1)
        }
    }

    @Test(
        "requests about the server are answered while all workers are busy, and one client can't occupy all of their workers"
    )
    func probes() throws {
        let (gate, look) = (Gate(), Gate())
        let application = TestApplication(
            isAboutServer: { $0.target.hasPrefix("/ready") },
            later: { request in
                if request.target == "/hold" { gate.pass() }
                if request.target == "/ready/slow" { look.pass() }
                return .text("x")
            }
        )
        try serve(application, with: .testing { $0.workers = 1 }) { serving in
            let clients = try (0..<6).map { _ in try serving.client() }
            for client in clients.dropFirst(2) { try client.send(Self.get("/hold")) }
            #expect(eventually { gate.arrivals > 0 && serving.server.load.requestsInFlight == 4 })
            #expect(try serving.client().request(Self.get("/ready")).status == 200)
            for client in clients.prefix(2) { try client.send(Self.get("/ready/slow")) }
            // One client has all threads but one.
            #expect(eventually { look.arrivals == 1 })
            gate.open(for: 4)
            look.open(for: 2)
            for client in clients { #expect(try client.response().status == 200) }
        }
    }

    @Test("a request that turns out to take long is deferred, and its waiting time includes that before")
    func puttingOff() throws {
        let gate = Gate()
        let application = TestApplication(
            turnsOutLong: { $0.target == "/long" },
            later: { request in
                if request.target == "/long" { gate.pass() }
                return .text("\(request.queued > .zero)")
            }
        )
        try serve(
            application,
            with: .testing { configuration in
                configuration.workers = 3
                configuration.workersPerClient = 3
            }
        ) { serving in
            let clients = try (0..<20).map { _ in try serving.client() }
            for client in clients { try client.send(Self.get("/long")) }
            #expect(eventually { gate.arrivals == 2 && serving.server.load.requestsInFlight == 20 })
            for _ in 0..<10 { #expect(try serving.client().request(Self.get("/")).status == 200) }
            #expect(gate.arrivals == 2)
            gate.open(for: 20)
            for client in clients { #expect(try client.response().text == "true") }
        }
    }

    @Test("requests that may block leave threads and room in the queue to those that don't")
    func blocking() throws {
        let gate = Gate()
        let application = TestApplication(
            mayBlock: { $0.method == .put },
            later: { request in
                if request.method == .put { gate.pass() }
                return .text("\(request.queued > .zero)")
            }
        )
        let put = "PUT / HTTP/1.1\r\nHost: a\r\n\r\n"
        try serve(
            application,
            with: .testing { configuration in
                configuration.workers = 2
                configuration.workersPerClient = 2
                configuration.limits.queuedRequests = 8
            }
        ) { serving in
            let clients = try (0..<6).map { _ in try serving.client() }
            for client in clients { try client.send(put) }
            #expect(eventually { gate.arrivals == 2 && serving.server.load.requestsInFlight == 6 })
            #expect(try serving.client().request(put).text == "queuedRequests")
            for _ in 0..<10 { #expect(try serving.client().request(Self.get("/")).text == "true") }
            #expect(gate.arrivals == 2)
            gate.open(for: 6)
            for client in clients { #expect(try client.response().status == 200) }
        }
    }

    @Test("slow streams don't delay other requests")
    func streams() throws {
        let gate = Gate()
        let application = TestApplication(
            receive: { _ in .stream },
            later: { request in
                guard request.method == .get else {
                    gate.pass()
                    return .text("streamed")
                }
                return request.target == "/large"
                    ? HTTPResponse(
                        .ok,
                        body: .stream(length: nil) { writer in
                            for _ in 0..<400 { try writer.write([UInt8](repeating: 1, count: 100_000)) }
                        }
                    ) : .text("quick")
            }
        )
        try serve(application, with: .testing { $0.workers = 1 }) { serving in
            let uploader = try serving.client()
            try uploader.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n")
            try uploader.send([UInt8](repeating: 1, count: 0x20000))
            let downloader = try serving.client(receiveBuffer: 4_096)
            try downloader.send(Self.get("/large"))
            _ = try downloader.line()
            #expect(eventually { gate.arrivals == 1 })
            for _ in 0..<10 { #expect(try serving.client().request(Self.get("/")).text == "quick") }
            gate.open()
        }
    }

    @Test("a streamed request begins once a fair part of its body, or all of it, has arrived")
    func trickles() throws {
        let application = TestApplication(
            receive: { _ in .stream },
            later: { .text(String((try? $0.wholeBody().count) ?? -1)) }
        )
        try serve(application, with: .testing { $0.streamWorkers = 1 }) { serving in
            let trickles = try (0..<4).map { _ in
                let client = try serving.client()
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
                #expect(try client.response().status == 100)
                try client.send("some")
                return client
            }
            let quick = try serving.client()
            #expect(try quick.request("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nall").text == "3")
            for client in trickles {
                try client.send("!")
                #expect(try client.response().text == "5")
            }
        }
    }

    @Test("one client can't occupy all stream workers and fills at most half of their queue")
    func streamsPerClient() throws {
        let gate = Gate()
        let application = TestApplication(
            receive: { _ in .stream },
            later: { request in
                if request.target == "/hold" { gate.pass() }
                return .text("x")
            }
        )
        let hold = "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
        let pass = "POST /pass HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
        try withSocketPath { path in
            try serve(
                application,
                at: [.tcp(host: "127.0.0.1", port: 0), .unix(path: path)],
                with: .testing { configuration in
                    configuration.streamWorkers = 3
                    configuration.limits.streamsPerClient = 2
                    configuration.limits.queuedStreams = 2
                }
            ) { serving in
                let clients = try (0..<3).map { _ in try serving.client() }
                for client in clients { try client.send(hold) }
                #expect(eventually { gate.arrivals == 2 && serving.server.load.requestsInFlight == 3 })
                let refused = try serving.client().request(hold)
                #expect(refused.status == 503)
                #expect(refused.text == "queuedStreams")
                #expect(try TestClient(serving.server.boundAddresses[1]).request(pass).text == "x")
                #expect(gate.arrivals == 2)
                gate.open(for: 3)
                for client in clients { #expect(try client.response().text == "x") }
            }
        }
    }

    @Test("an open feed holds no worker, delivers what is sent, and ends explicitly or with its last reference")
    func feeds() throws {
        let feeds = Feeds()
        let application = TestApplication(later: { request in
            HTTPResponse(.ok, body: .feed { feeds.add($0, of: request.target) })
        })
        try serve(application, with: .testing { $0.workers = 1 }) { serving in
            let clients = try ["/ended", "/forgotten", "/left"].map { target in
                let client = try serving.client()
                try client.send(Self.get(target))
                #expect(try client.line() == "HTTP/1.1 200 OK")
                return client
            }
            #expect(eventually { feeds.count == 3 && serving.server.load.requestsInFlight == 0 })
            feeds.send("one ")
            feeds.send("two")
            feeds.end("/ended")
            feeds.forget("/forgotten")
            for client in clients.prefix(2) {
                let text = try client.receiveAll(until: "0\r\n\r\n")
                #expect(text.contains("one "))
                #expect(text.contains("two"))
            }
            clients[2].close()
            #expect(eventually { !feeds.send("three") })
        }
    }

    @Test("a feed never waits for a slow client, but closes its connection")
    func slowFeed() throws {
        let feeds = Feeds()
        let application = TestApplication(later: { request in
            HTTPResponse(.ok, body: .feed { feeds.add($0, of: request.target) })
        })
        try serve(application, with: .testing { $0.limits.feedBacklog = 100_000 }) { serving in
            let client = try serving.client(receiveBuffer: 4_096)
            try client.send(Self.get("/"))
            #expect(eventually { feeds.count == 1 })
            let text = String(repeating: "x", count: 50_000)
            #expect(eventually { !feeds.send(text) })
            #expect(eventually { serving.server.load.connections == 0 })
        }
    }
}
