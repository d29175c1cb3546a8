// SPDX-License-Identifier: Apache-2.0

// Requests that are processed one at a time.

import HTTPMessage
import HTTPServer
import HTTPTestClient
import Synchronization
import Testing

@Suite("Lanes")
struct LaneTests {
    /// Answers requests such as `/a/hold` in the lane `a`, and `//pass` in none; records the started ones, and blocks
    /// those that end in `hold`.
    private final class Road: Sendable {
        let gate = Gate()
        private let log = Mutex<[String]>([])
        private let busy = Mutex<[HTTPLane: Int]>([:])
        private let most = Mutex(0)

        /// The started requests, in order.
        var begun: [String] { log.withLock { $0 } }
        /// The greatest number of requests of one lane processed at the same time.
        var mostAtATime: Int { most.withLock { $0 } }

        static func lane(of request: HTTPRequest) -> HTTPLane? {
            let parts = request.target.split(separator: "/", omittingEmptySubsequences: false)
            return parts[1].isEmpty ? nil : HTTPLane(String(parts[1]))
        }

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            log.withLock { $0.append(request.target) }
            count(1, Self.lane(of: request))
            defer { count(-1, Self.lane(of: request)) }
            if request.target.hasSuffix("hold") { gate.pass() }
            return .text(request.target)
        }

        private func count(_ change: Int, _ lane: HTTPLane?) {
            guard let lane else { return }
            let count = busy.withLock { busy in
                busy[lane, default: 0] += change
                return busy[lane] ?? 0
            }
            most.withLock { $0 = max($0, count) }
        }

        func application(
            later: (@Sendable (HTTPRequest) -> HTTPResponse)? = nil
        ) -> TestApplication {
            TestApplication(
                receive: { $0.method == .put ? .stream : .collect(limit: 1_000) },
                lane: Self.lane,
                later: later ?? { [self] in answer($0) }
            )
        }
    }

    private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" }
    private static func put(_ target: String) -> String {
        "PUT \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
    }

    /// Sends requests on connections of their own, each after the previous one is waiting.
    private func send(_ requests: [String], to serving: Serving) throws -> [TestClient] {
        var count = serving.server.load.requestsInFlight
        return try requests.map { request in
            let client = try serving.client()
            try client.send(request)
            count += 1
            #expect(eventually { serving.server.load.requestsInFlight == count })
            return client
        }
    }

    @Test("the requests of a lane are processed in order of arrival, across connections and workers")
    func order() throws {
        let road = Road()
        try serve(
            road.application(),
            with: .testing { configuration in
                // With one loop, requests arrive in the order in which they are sent.
                (configuration.loops, configuration.workers) = (1, 4)
            }
        ) { serving in
            let targets = ["/a/hold"] + (1...12).map { "/a/\($0)" }
            // Some of them are streamed, and therefore processed by other workers.
            let requests = targets.enumerated().map { $0 % 3 == 2 ? Self.put($1) : Self.get($1) }
            let clients = try send(requests, to: serving)
            #expect(eventually { road.gate.arrivals == 1 })
            #expect(road.begun == ["/a/hold"])
            road.gate.open()
            for (client, target) in zip(clients, targets) { #expect(try client.response().text == target) }
            #expect(road.begun == targets)
            #expect(road.mostAtATime == 1)
        }
    }

    @Test("a busy lane holds one worker, however many of its requests wait")
    func others() throws {
        let road = Road()
        try serve(road.application(), with: .testing { $0.workers = 2 }) { serving in
            let waiting = try send(
                [Self.get("/a/hold"), Self.put("/a/hold")] + (0..<6).map { Self.get("/a/\($0)") },
                to: serving
            )
            #expect(eventually { road.gate.arrivals == 1 })
            for target in ["//x", "/b/x", "/c/x", "//y", "/b/y"] {
                #expect(try serving.client().request(Self.get(target)).text == target)
                #expect(try serving.client().request(Self.put(target)).text == target)
            }
            #expect(!road.begun.contains("/a/0"))
            road.gate.open(for: 2)
            for client in waiting { #expect(try client.response().status == 200) }
            #expect(road.mostAtATime == 1)
        }
    }

    @Test("a lane is released when a response is ready, before its body is written or its feed ends")
    func bodies() throws {
        let feeds = Feeds()
        let application = Road().application { request in
            switch request.target {
            case "/a/feed": HTTPResponse(.ok, body: .feed { feeds.add($0, of: request.target) })
            case "/a/fail": HTTPResponse(.ok, body: .stream(length: nil) { _ in throw HTTPRefusal(.conflict, "fails") })
            case "/a/large":
                HTTPResponse(
                    .ok,
                    body: .stream(length: nil) { writer in
                        for _ in 0..<400 { try writer.write([UInt8](repeating: 1, count: 100_000)) }
                    }
                )
            default: .text("quick")
            }
        }
        try serve(application) { serving in
            var clients: [TestClient] = []
            for request in [Self.get("/a/feed"), Self.get("/a/large"), Self.put("/a/large")] {
                let client = try serving.client(receiveBuffer: 4_096)
                try client.send(request)
                #expect(try client.line() == "HTTP/1.1 200 OK")
                clients.append(client)
            }
            #expect(try serving.client().request(Self.get("/a/quick")).text == "quick")
            clients.removeLast(2)
            #expect(try serving.client().request(Self.get("/a/fail")).status == 409)
            #expect(try serving.client().request(Self.put("/a/fail")).status == 409)
            #expect(try serving.client().request(Self.put("/a/quick")).text == "quick")
        }
    }

    @Test("a lane can fill at most half of the queue, which counts all waiting requests")
    func limits() throws {
        let road = Road()
        try serve(
            road.application(),
            with: .testing { configuration in
                (configuration.loops, configuration.workers) = (1, 2)
                configuration.limits.queuedRequests = 4
            }
        ) { serving in
            var clients = try send([Self.get("/a/hold"), Self.get("/a/1"), Self.get("/a/2")], to: serving)
            #expect(eventually { road.gate.arrivals == 1 })
            #expect(try serving.client().request(Self.get("/a/3")).text == "queuedRequests")
            #expect(try serving.client().request(Self.get("//x")).text == "//x")
            // Answered requests count until the server has ended them.
            #expect(eventually { serving.server.load.requestsInFlight == clients.count })
            clients += try send([Self.get("//hold"), Self.get("//1"), Self.get("/b/1")], to: serving)
            #expect(eventually { road.gate.arrivals == 2 })
            for target in ["//2", "/b/2", "/c/2"] {
                let refused = try serving.client().request(Self.get(target))
                #expect(refused.status == 503)
                #expect(refused.text == "queuedRequests")
            }
            road.gate.open(for: 2)
            for client in clients { #expect(try client.response().status == 200) }
            #expect(try serving.client().request(Self.get("/a/4")).text == "/a/4")
        }
    }

    @Test("requests waiting for a lane count toward their client's bound")
    func clients() throws {
        let road = Road()
        try serve(
            road.application(),
            with: .testing { configuration in
                (configuration.loops, configuration.streamWorkers) = (1, 3)
                configuration.limits.streamsPerClient = 2
                configuration.limits.queuedStreams = 4
            }
        ) { serving in
            let clients =
                try send([Self.put("/a/hold")] + (1...2).map { Self.put("/a/\($0)") }, to: serving)
                + send([Self.put("/b/hold")], to: serving)
            #expect(eventually { road.gate.arrivals == 2 })
            #expect(try serving.client().request(Self.put("/b/1")).text == "queuedStreams")
            road.gate.open(for: 2)
            for client in clients { #expect(try client.response().status == 200) }
            #expect(try serving.client().request(Self.put("/b/2")).text == "/b/2")
        }
    }

    @Test("cancelled requests leave their lane and make room for others")
    func cancelled() throws {
        let road = Road()
        try serve(
            road.application(),
            with: .testing { configuration in
                (configuration.loops, configuration.workers) = (1, 1)
                configuration.limits.queuedRequests = 4
            }
        ) { serving in
            let holder = try send([Self.get("/a/hold")], to: serving)
            #expect(eventually { road.gate.arrivals == 1 })
            for target in ["/a/1", "/a/2", "/b/3", "/b/4"] {
                let client = try send([Self.get(target)], to: serving)[0]
                client.reset()
                #expect(eventually { serving.server.load.connections == 1 })
            }
            let clients = try ["/a/5", "/b/6", "/a/7"].map { target in
                let client = try serving.client()
                try client.send(Self.get(target))
                return client
            }
            #expect(eventually { serving.server.load.requestsInFlight == 4 })
            road.gate.open()
            for client in holder + clients { #expect(try client.response().status == 200) }
            #expect(Set(road.begun) == ["/a/hold", "/a/5", "/b/6", "/a/7"])
            #expect(eventually { serving.server.load.requestsInFlight == 0 })
        }
    }

    @Test("requests that wait too long leave their lane")
    func queueTime() throws {
        let road = Road()
        try serve(road.application(), with: .testing { $0.limits.queueTime = .milliseconds(200) }) { serving in
            let holder = try serving.held(Self.get("/a/hold"), at: road.gate)
            #expect(try serving.client().request(Self.get("/a/1")).text == "queueTime")
            road.gate.open()
            #expect(try holder.response().status == 200)
            #expect(try eventually { try serving.client().request(Self.get("/a/2")).status == 200 })
            #expect(road.begun == ["/a/hold", "/a/2"])
        }
    }

    @Test("a draining server completes the requests of a lane, and a stopped one doesn't", arguments: [false, true])
    func end(isStopped: Bool) throws {
        let road = Road()
        let server = HTTPServer(application: road.application(), configuration: .testing { $0.loops = 1 })
        try server.start()
        let serving = Serving(server: server, application: road.application())
        let targets = ["/a/hold"] + (1...4).map { "/a/\($0)" }
        let clients = try send(targets.enumerated().map { $0 % 2 == 1 ? Self.put($1) : Self.get($1) }, to: serving)
        #expect(eventually { road.gate.arrivals == 1 })
        if isStopped {
            let stopping = Background { server.stop() }
            for client in clients { #expect(client.hasEnded()) }
            road.gate.open()
            stopping.join()
            #expect(road.begun == ["/a/hold"])
        } else {
            let draining = Draining(server, timeout: .seconds(60))
            #expect(eventually { server.isDraining })
            road.gate.open()
            for (client, target) in zip(clients, targets) { #expect(try client.response().text == target) }
            for client in clients { client.close() }
            #expect(draining.result())
            #expect(road.begun == targets)
        }
    }

    @Test("random requests of a lane never overlap, and none is lost")
    func random() throws {
        let road = Road()
        let answered = Count()
        try serve(road.application(), with: .testing { $0.workers = 3 }) { (serving) throws in
            let clients = (0..<12).map { number in
                Background {
                    for round in 0..<60 {
                        let lane = ["a", "b", ""][(number + round) % 3]
                        let request = (number * round) % 4 == 1 ? Self.put("/\(lane)/x") : Self.get("/\(lane)/x")
                        guard let client = try? serving.client(), (try? client.send(request)) != nil else { return }
                        if (number + 2 * round) % 7 == 0 {
                            client.reset()
                        } else if (try? client.response())?.status == 200 {
                            answered.add(1)
                        }
                    }
                }
            }
            for client in clients { client.join() }
            let resets = (0..<12).reduce(0) { count, number in count + (0..<60).count { (number + 2 * $0) % 7 == 0 } }
            #expect(answered.value == 12 * 60 - resets)
            #expect(eventually { serving.server.load.requestsInFlight == 0 })
            #expect(road.mostAtATime == 1)
            #expect(try serving.client().request(Self.get("/a/x")).status == 200)
        }
    }
}
