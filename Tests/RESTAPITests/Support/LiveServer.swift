// SPDX-License-Identifier: Apache-2.0

// A server of an API, and requests to it as bytes.

import HTTPMessage
import HTTPServer
import HTTPTestClient
import Synchronization

@testable import RESTAPI

/// Serves on a port of its own, and reuses connections, as clients do.
final class LiveServer: Sendable {
    private let server: HTTPServer
    private let resting = Mutex<[CInt]>([])

    init(_ api: API, limiting change: (inout ServerLimits) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.loops = 1
        configuration.workers = 4
        configuration.streamWorkers = 2
        change(&configuration.limits)
        server = HTTPServer(application: api, configuration: configuration)
        try server.start()
    }

    deinit {
        for descriptor in resting.withLock(\.self) { TestClient(taking: descriptor).close() }
        server.stop()
    }

    /// Opens a separate connection.
    func client() throws -> TestClient { try TestClient(server.boundAddresses[0], patience: 60) }

    func answer(to request: HTTPRequest) throws -> TestResponse {
        let client = try resting.withLock { $0.popLast() }.map { TestClient(taking: $0) } ?? self.client()
        // A client that is refused while sending reads the refusal.
        try? send(request, by: client)
        var response = try client.response(isHead: request.method == .head)
        while response.status < 200 { response = try client.response(isHead: request.method == .head) }
        if response["connection"] != "close" {
            let descriptor = client.release()
            resting.withLock { $0.append(descriptor) }
        }
        return response
    }

    private func send(_ request: HTTPRequest, by client: TestClient) throws {
        var bytes = Array("\(request.method) \(request.target) HTTP/1.1\r\n".utf8)
        if !request.fields.contains(.host) { bytes += Array("Host: localhost\r\n".utf8) }
        request.fields.write(into: &bytes)
        switch request.body {
        case .none: try client.send(bytes + Array("\r\n".utf8))
        case .bytes(let body): try client.send(bytes + Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body)
        case .stream(let reader):
            try client.send(bytes + Array("Transfer-Encoding: chunked\r\n\r\n".utf8))
            do {
                while let piece = try reader.read() {
                    try client.send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
                }
            } catch let error as HTTPRefusal {
                client.endWriting()
                throw error
            }
            try client.send("0\r\n\r\n")
        }
    }
}
