// SPDX-License-Identifier: Apache-2.0

// The life of a server, from start to end.

import FoundationEssentials
import Glibc
import HTTPMessage
import HTTPServer
import HTTPTestClient
import Testing

@Suite("Server lifecycle", .serialized)
struct LifecycleTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("a draining server closes idle connections, completes requests and accepts no connections")
    func drain() throws {
        let gate = Gate()
        let application = TestApplication(
            atOnce: { $0.target == "/now" ? .text("now") : nil },
            later: { _ in
                gate.pass()
                return .text("finished")
            }
        )
        let server = HTTPServer(application: application, configuration: .testing())
        try server.start()
        let address = server.boundAddresses[0]
        let idle = try TestClient(address)
        #expect(try idle.request("GET /now HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
        let working = try TestClient(address)
        try working.send(Self.get)
        #expect(eventually { gate.arrivals == 1 })
        let draining = Draining(server, timeout: .seconds(60))
        #expect(eventually { server.isDraining })
        #expect(idle.hasEnded())
        #expect(eventually { (try? TestClient(address)) == nil })
        gate.open()
        let last = try working.response()
        #expect(last.text == "finished")
        #expect(last["connection"] == "close")
        working.close()
        #expect(draining.result())
        server.wait()
    }

    @Test("a draining server aborts requests after its timeout, or when it is stopped")
    func impatience() throws {
        for isTold in [false, true] {
            let gate = Gate()
            let application = TestApplication(later: { request in
                request.cancellation.onCancel { gate.open() }
                gate.pass()
                return .text("late")
            })
            let server = HTTPServer(application: application, configuration: .testing())
            try server.start()
            let client = try TestClient(server.boundAddresses[0])
            try client.send(Self.get)
            #expect(eventually { gate.arrivals == 1 })
            let draining = Draining(server, timeout: isTold ? .seconds(600) : .milliseconds(50))
            if isTold {
                #expect(eventually { server.isDraining })
                server.stop()
            }
            #expect(!draining.result())
            #expect(client.hasEnded())
        }
    }

    @Test("a draining server ends open feeds completely")
    func feedsAtTheEnd() throws {
        let feeds = Feeds()
        let application = TestApplication(later: { request in
            HTTPResponse(.ok, body: .feed { feeds.add($0, of: request.target) })
        })
        let server = HTTPServer(application: application, configuration: .testing())
        try server.start()
        let client = try TestClient(server.boundAddresses[0])
        try client.send(Self.get)
        #expect(eventually { feeds.count == 1 })
        feeds.send("one")
        #expect(try client.line() == "HTTP/1.1 200 OK")
        let draining = Draining(server, timeout: .seconds(60))
        #expect(try client.receiveAll(until: "0\r\n\r\n").contains("one"))
        client.close()
        #expect(draining.result())
        #expect(!feeds.send("two"))
    }

    @Test("a draining server ends feeds that begin during draining")
    func feedsDuringTheEnd() throws {
        let gate = Gate()
        let feeds = Feeds()
        let application = TestApplication(later: { request in
            gate.pass()
            return HTTPResponse(.ok, body: .feed { feeds.add($0, of: request.target) })
        })
        let server = HTTPServer(application: application, configuration: .testing())
        try server.start()
        let client = try TestClient(server.boundAddresses[0])
        try client.send(Self.get)
        #expect(eventually { gate.arrivals == 1 })
        let draining = Draining(server, timeout: .seconds(60))
        #expect(eventually { server.isDraining })
        gate.open()
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response["connection"] == "close")
        client.close()
        #expect(draining.result())
    }

    @Test("starting and stopping a server repeatedly leaks nothing", .unsanitized)
    func rounds() async {
        await #expect(processExitsWith: .success) {
            var first = Usage(descriptors: 0, threads: 0, kilobytes: 0)
            for round in 0..<60 {
                try serve(TestApplication()) { serving in
                    let clients = try (0..<5).map { _ in try serving.client() }
                    for client in clients { #expect(try client.request(Self.get).status == 200) }
                }
                // The first rounds allocate lasting resources, such as the memory that the system keeps for threads.
                if round == 9 { first = try Usage() }
            }
            #expect(eventually { (try? Usage().descriptors <= first.descriptors) == true })
            #expect(eventually { (try? Usage().threads <= first.threads) == true })
            // A connection's buffer leaked each time would be more.
            #expect(try Usage().kilobytes < first.kilobytes + 2_048)
        }
    }

    @Test("a server that drains under load answers every request that it has begun")
    func drainUnderLoad() throws {
        let (begun, answered) = (Count(), Count())
        let application = TestApplication(
            atOnce: { request in
                guard request.target == "/now" else { return nil }
                begun.add(1)
                return .text("now")
            },
            later: { _ in
                begun.add(1)
                return .text("later")
            }
        )
        let server = HTTPServer(application: application, configuration: .testing())
        try server.start()
        let address = server.boundAddresses[0]
        let clients = (0..<8).map { number in
            Background {
                let request = "GET /\(number % 2 == 0 ? "now" : "later") HTTP/1.1\r\nHost: a\r\n\r\n"
                // On one connection after the other, until the server stops listening.
                while let client = try? TestClient(address) {
                    while let answer = try? client.request(request), answer.status == 200 {
                        answered.add(1)
                        if answer["connection"] == "close" { break }
                    }
                }
            }
        }
        #expect(eventually { answered.value > 200 })
        #expect(server.drain(timeout: .seconds(60)))
        for client in clients { client.join() }
        #expect(answered.value == begun.value)
    }

    @Test("a server can be started only once")
    func once() throws {
        let server = HTTPServer(application: TestApplication(), configuration: ServerConfiguration(addresses: []))
        try server.start()
        #expect(throws: ServerError.self) { try server.start() }
        server.stop()
        server.stop()
        #expect(throws: ServerError.self) { try server.start() }
        #expect(server.boundAddresses.isEmpty)
    }

    @Test("a server keeps hundreds of idle connections and answers on each of them")
    func idleConnections() throws {
        try serve(TestApplication()) { serving in
            let clients = try (0..<500).map { _ in try serving.client() }
            #expect(eventually { serving.server.load.connections == 500 })
            for client in clients { #expect(try client.request(Self.get).status == 200) }
        }
    }
}
