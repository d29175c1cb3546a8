// SPDX-License-Identifier: Apache-2.0

// A server that receives deliveries of webhooks.

import Cryptography
import HTTPMessage
import HTTPServer
import JSON
import Synchronization

/// Records requests, and answers with a closure.
final class HookReceiver: Sendable {
    private let server: HTTPServer
    private let application: Application

    init(
        tls: TLSServer? = nil,
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse = { _ in HTTPResponse(.noContent) }
    ) throws {
        application = Application(answer)
        var configuration = ServerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.loops = 1
        configuration.workers = 2
        server = HTTPServer(application: application, configuration: configuration, tls: tls)
        try server.start()
    }

    deinit { server.stop() }

    /// `127.0.0.1:54321`
    var authority: String { "\(server.boundAddresses[0])" }

    var requests: [HTTPRequest] { application.received.withLock(\.self) }

    func answer(_ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        application.answer.withLock { $0 = answer }
    }

    private final class Application: HTTPApplication {
        let received = Mutex<[HTTPRequest]>([])
        let answer: Mutex<@Sendable (HTTPRequest) -> HTTPResponse>

        init(_ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) { self.answer = Mutex(answer) }

        func reception(of request: HTTPRequest) -> HTTPReception { .collect(limit: 1 << 20) }
        func respondImmediately(to request: HTTPRequest) -> HTTPResponse? { nil }
        func lane(of request: HTTPRequest) -> HTTPLane? { nil }
        func mayBlock(_ request: HTTPRequest) -> Bool { false }
        func isAboutServer(_ request: HTTPRequest) -> Bool { false }
        func mayTakeLong(_ request: HTTPRequest) -> Bool { false }
        func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? { respond(to: request) }

        func respond(to request: HTTPRequest) -> HTTPResponse {
            received.withLock { $0.append(request) }
            return answer.withLock(\.self)(request)
        }

        func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(refusal.status) }
        func didSend(_ exchange: HTTPExchangeRecord) {}
    }
}

extension HTTPRequest {
    var json: JSONValue {
        guard case .bytes(let bytes) = body else { return .null }
        return (try? JSONValue(parsing: bytes)) ?? .null
    }

    /// `inserted Tag`
    var hookChanges: [String] {
        (json["changes"]?.array ?? []).map { "\($0["change"]?.string ?? "") \($0["_entity"]?.string ?? "")" }
    }
}
