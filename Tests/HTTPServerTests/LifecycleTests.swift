// SPDX-License-Identifier: Apache-2.0

// From a server's start to its end.

import FoundationEssentials
import Glibc
import HTTPMessage
import HTTPServer
import HTTPTestClient
import Testing

@Suite("A server", .serialized)
struct LifecycleTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("that drains ends who rests, finishes what runs, and takes nobody new")
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

    @Test("that drains gives up what takes too long, or when it is told to")
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

    @Test("that drains ends feeds as a whole")
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

    @Test("that drains ends feeds that begin meanwhile")
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
        let draining = Draining(server, timeout: .seconds(5))
        #expect(eventually { server.isDraining })
        gate.open()
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response["connection"] == "close")
        client.close()
        #expect(draining.result())
    }

    @Test("that is started and stopped again and again leaves nothing behind")
    func rounds() throws {
        var after: (descriptors: Int, threads: Int)?
        for round in 0..<50 {
            try serve(TestApplication()) { serving in
                let clients = try (0..<5).map { _ in try serving.client() }
                for client in clients { #expect(try client.request(Self.get).status == 200) }
            }
            // The first rounds make what stays, such as the threads of the system's own queues.
            if round == 4 { after = try Self.usage() }
        }
        let first = try #require(after)
        // Other tests run meanwhile only in other suites' processes, or before and after.
        #expect(eventually { (try? Self.usage().descriptors <= first.descriptors) == true })
        #expect(eventually { (try? Self.usage().threads <= first.threads) == true })
    }

    @Test("is started once")
    func once() throws {
        let server = HTTPServer(application: TestApplication(), configuration: ServerConfiguration(addresses: []))
        try server.start()
        #expect(throws: ServerError.self) { try server.start() }
        server.stop()
        server.stop()
        #expect(throws: ServerError.self) { try server.start() }
        #expect(server.boundAddresses.isEmpty)
    }

    @Test("bears hundreds of idle connections, and answers on each of them")
    func idleConnections() throws {
        try serve(TestApplication()) { serving in
            let clients = try (0..<500).map { _ in try serving.client() }
            #expect(eventually { serving.server.load.connections == 500 })
            for client in clients { #expect(try client.request(Self.get).status == 200) }
        }
    }

    private static func usage() throws -> (descriptors: Int, threads: Int) {
        let files = FileManager.default
        return (
            try files.contentsOfDirectory(atPath: "/proc/self/fd").count,
            try files.contentsOfDirectory(atPath: "/proc/self/task").count
        )
    }
}
