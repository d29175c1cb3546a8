// SPDX-License-Identifier: Apache-2.0

// Servers for the duration of a test.

import Cryptography
import Dispatch
import Glibc
import HTTPMessage
import HTTPServer
import HTTPTestClient
import Synchronization
import Testing

/// A server on a port of its own, and its application.
struct Serving {
    let server: HTTPServer
    let application: TestApplication
    /// What clients use on TCP; nil for plain HTTP.
    var tls: TLSClient?

    var address: ListenAddress { server.boundAddresses[0] }

    func client(receiveBuffer: Int? = nil) throws -> TestClient {
        let client = try TestClient(address, receiveBuffer: receiveBuffer)
        if let tls, address.port != nil { try client.secure(tls) }
        return client
    }

    /// Sends a request until it is held at a gate: one that gets no worker in time is refused.
    func held(_ request: String, at gate: Gate) throws -> TestClient {
        for refusals in 1...50 {
            let client = try client()
            try client.send(request)
            #expect(eventually { gate.arrivals == 1 || application.records.count == refusals })
            if gate.arrivals == 1 { return client }
        }
        throw TestClient.Failure(description: "no worker processes the request")
    }
}

extension ServerConfiguration {
    /// A configuration with short intervals, on a free port.
    static func testing(_ change: (inout ServerConfiguration) -> Void = { _ in }) -> ServerConfiguration {
        var configuration = ServerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.loops = 2
        configuration.workers = 2
        configuration.workersPerClient = .max
        configuration.streamWorkers = 2
        configuration.tick = .milliseconds(5)
        configuration.farewell = .milliseconds(20)
        configuration.limits.lingering = .milliseconds(500)
        change(&configuration)
        return configuration
    }
}

/// Serves while a closure runs.
func serve<R>(
    _ application: TestApplication,
    at addresses: [ListenAddress]? = nil,
    with configuration: ServerConfiguration = .testing(),
    _ body: (Serving) throws -> R
) throws -> R {
    var configuration = configuration
    if let addresses { configuration.addresses = addresses }
    let secure = try TestTransport.secure?.get()
    let server = HTTPServer(application: application, configuration: configuration, tls: secure?.server)
    try server.start()
    defer { server.stop() }
    return try body(Serving(server: server, application: application, tls: secure?.client))
}

/// Whether a condition becomes true within a number of checks.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<12_000 {
        if try condition() { return true }
        usleep(5_000)
    }
    return false
}

/// A gate at which workers wait until a test opens it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let count = Atomic(0)

    /// How many have arrived.
    var arrivals: Int { count.load(ordering: .relaxed) }

    func pass() {
        count.add(1, ordering: .relaxed)
        semaphore.wait()
    }

    func open(for count: Int = 1) { for _ in 0..<count { semaphore.signal() } }
}
