// SPDX-License-Identifier: Apache-2.0

// An application made of closures.

import HTTPMessage
import HTTPServer
import Synchronization

/// Responds with a test's closures, and stores the records of exchanges.
final class TestApplication: HTTPApplication {
    typealias Answer = @Sendable (HTTPRequest) -> HTTPResponse

    private let receive: @Sendable (HTTPRequest) -> HTTPReception
    private let atOnce: @Sendable (HTTPRequest) -> HTTPResponse?
    private let shortly: @Sendable (HTTPRequest) -> HTTPResponse?
    private let lane: @Sendable (HTTPRequest) -> HTTPLane?
    private let mayBlock: @Sendable (HTTPRequest) -> Bool
    private let isAboutServer: @Sendable (HTTPRequest) -> Bool
    private let turnsOutLong: @Sendable (HTTPRequest) -> Bool
    private let later: Answer
    private let told = Mutex<[HTTPExchangeRecord]>([])
    private let failed = Mutex<[String]>([])

    init(
        receive: @escaping @Sendable (HTTPRequest) -> HTTPReception = { _ in .collect(limit: 1 << 20) },
        atOnce: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil },
        shortly: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil },
        lane: @escaping @Sendable (HTTPRequest) -> HTTPLane? = { _ in nil },
        mayBlock: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        isAboutServer: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        turnsOutLong: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        later: @escaping Answer = { _ in .text("later") }
    ) {
        self.receive = receive
        self.atOnce = atOnce
        self.shortly = shortly
        self.lane = lane
        self.mayBlock = mayBlock
        self.isAboutServer = isAboutServer
        self.turnsOutLong = turnsOutLong
        self.later = later
    }

    var records: [HTTPExchangeRecord] { told.withLock { $0 } }
    /// The reasons of handshakes that failed.
    var failures: [String] { failed.withLock { $0 } }

    func reception(of request: HTTPRequest) -> HTTPReception { receive(request) }
    func respondImmediately(to request: HTTPRequest) -> HTTPResponse? { atOnce(request) }
    func respondShortly(to request: HTTPRequest) -> HTTPResponse? { shortly(request) }
    func lane(of request: HTTPRequest) -> HTTPLane? { lane(request) }
    func mayBlock(_ request: HTTPRequest) -> Bool { mayBlock(request) }
    func isAboutServer(_ request: HTTPRequest) -> Bool { isAboutServer(request) }
    func mayTakeLong(_ request: HTTPRequest) -> Bool { false }
    func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? { turnsOutLong(request) ? nil : later(request) }
    func respond(to request: HTTPRequest) -> HTTPResponse { later(request) }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        var response = HTTPResponse.text(refusal.limit ?? refusal.message, refusal.status)
        if let seconds = refusal.retryAfter { response.fields[.retryAfter] = String(seconds) }
        return response
    }

    func didSend(_ exchange: HTTPExchangeRecord) { told.withLock { $0.append(exchange) } }
    func handshakeDidFail(_ reason: String, client: String) { failed.withLock { $0.append(reason) } }
}

extension HTTPResponse {
    static func text(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status, fields: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
    }
}

extension HTTPRequest {
    /// The whole body, in whichever form it arrives.
    func wholeBody() throws -> [UInt8] {
        switch body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let reader):
            var all: [UInt8] = []
            while let bytes = try reader.read() { all += bytes }
            return all
        }
    }
}
