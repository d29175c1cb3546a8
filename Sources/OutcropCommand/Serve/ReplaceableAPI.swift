// SPDX-License-Identifier: Apache-2.0

// Answers requests with the API of the present model, which can be replaced while the server runs.

import Dispatch
import HTTPMessage
import RESTAPI
import Synchronization

/// An application that forwards requests to an API, which another one can replace.
///
///     open ──replace()──▶ holding ──holdTime is over──▶ refusing
///      ▲                     └──────────┬───────────────────┘
///      └────── the new API, or the same ┘
///
/// 1. A request is answered by one API from beginning to end. While one is replaced, no request is being answered; those
///    about the server itself, and answers from memory, are exceptions.
/// 2. While the gate is holding, requests wait. While it is refusing, they are answered with 503.
/// 3. What is streamed after a request was answered goes on with the API that answered it.
final class ReplaceableAPI: HTTPApplication {
    private enum Gate { case open, holding, refusing }

    private struct State {
        var api: API
        var gate = Gate.open
        /// The number of requests that are being answered.
        var answering = 0
        var waiting: [DispatchSemaphore] = []
        /// Signalled when no request is being answered any more.
        var idle: DispatchSemaphore?
        /// The number of replacements that have begun.
        var replacements = 0

        mutating func dequeueWaiting() -> [DispatchSemaphore] {
            defer { waiting = [] }
            return waiting
        }
    }

    /// Thrown by a replacement after which neither API can be used.
    struct Unusable: Error {
        let reason: String
    }

    /// The code of the failure that says so.
    static let unusableCode = "model.unusable"

    private let state: Mutex<State>
    private let holdTime: Duration
    private let drainTime: Duration

    /// - Parameters:
    ///   - holdTime: How long requests wait for a replacement before they are refused.
    ///   - drainTime: How long a replacement waits for the requests that are being answered.
    init(_ api: API, holdTime: Duration = .seconds(2), drainTime: Duration) {
        state = Mutex(State(api: api))
        self.holdTime = holdTime
        self.drainTime = drainTime
    }

    var api: API { state.withLock(\.api) }

    func reception(of request: HTTPRequest) -> HTTPReception { api.reception(of: request) }

    func lane(of request: HTTPRequest) -> HTTPLane? { api.lane(of: request) }

    func mayBlock(_ request: HTTPRequest) -> Bool { api.mayBlock(request) }

    func isAboutServer(_ request: HTTPRequest) -> Bool { api.isAboutServer(request) }

    func mayTakeLong(_ request: HTTPRequest) -> Bool { api.mayTakeLong(request) }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { api.refusal(refusal) }

    func didSend(_ exchange: HTTPExchangeRecord) { api.didSend(exchange) }

    func respondImmediately(to request: HTTPRequest) -> HTTPResponse? { api.respondImmediately(to: request) }

    func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? {
        guard !isAboutServer(request) else { return api.respondUnlessLong(to: request) }
        switch enter(request) {
        case .refused(let response): return response
        case .entered(let api):
            defer { leave() }
            return api.respondUnlessLong(to: request)
        }
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard !isAboutServer(request) else { return api.respond(to: request) }
        switch enter(request) {
        case .refused(let response): return response
        case .entered(let api):
            defer { leave() }
            return api.respond(to: request)
        }
    }

    private enum Entry {
        case entered(API)
        case refused(HTTPResponse)
    }

    /// Begins to answer a request, which ends with `leave()`, or refuses it.
    private func enter(_ request: HTTPRequest) -> Entry {
        while true {
            let turn = DispatchSemaphore(value: 0)
            let (api, gate) = state.withLock { state in
                switch state.gate {
                case .open: state.answering += 1
                case .holding: state.waiting.append(turn)
                case .refusing: break
                }
                return (state.api, state.gate)
            }
            switch gate {
            case .open: return .entered(api)
            case .refusing: return .refused(api.responseWhileMigrating(to: request))
            case .holding: turn.wait()
            }
        }
    }

    private func leave() {
        state.withLock { state in
            state.answering -= 1
            if state.answering == 0 { state.idle?.signal() }
        }
    }

    /// Replaces the API by the one that a closure returns. The closure runs while no request is being answered.
    ///
    /// - Parameter isRequested: Whether a request asks for it, which isn't waited for.
    func replace(isRequested: Bool, _ replacement: (API) throws -> API) throws {
        let (former, number) = try close(isRequested: isRequested)
        var isUsable = true
        defer { end(isRequested: isRequested, with: isUsable ? .open : .refusing) }
        DispatchQueue.global().asyncAfter(deadline: .now() + holdTime / .seconds(1)) { [weak self] in
            self?.refuseRequests(during: number)
        }
        try waitUntilIdle()
        do {
            let next = try replacement(former)
            state.withLock { $0.api = next }
        } catch let error as Unusable {
            isUsable = false
            throw Failure(
                "The stores were migrated, but the server can't go on with the new model: \(error.reason)",
                hint: "Start the server again.",
                code: Self.unusableCode,
                file: nil
            )
        }
    }

    private func close(isRequested: Bool) throws -> (former: API, number: Int) {
        try state.withLock { state throws(Failure) in
            guard state.gate == .open else { throw Failure("Another change of the model is under way.") }
            state.gate = .holding
            state.replacements += 1
            if isRequested { state.answering -= 1 }
            return (state.api, state.replacements)
        }
    }

    private func end(isRequested: Bool, with gate: Gate) {
        let waiting = state.withLock { state in
            state.gate = gate
            state.idle = nil
            if isRequested { state.answering += 1 }
            return state.dequeueWaiting()
        }
        for request in waiting { request.signal() }
    }

    private func refuseRequests(during number: Int) {
        let waiting = state.withLock { state -> [DispatchSemaphore] in
            guard state.gate == .holding, state.replacements == number else { return [] }
            state.gate = .refusing
            return state.dequeueWaiting()
        }
        for request in waiting { request.signal() }
    }

    private func waitUntilIdle() throws {
        let idle = DispatchSemaphore(value: 0)
        let isIdle = state.withLock { state in
            state.idle = idle
            return state.answering == 0
        }
        guard isIdle || idle.wait(timeout: .now() + drainTime / .seconds(1)) == .success else {
            throw Failure(
                "Requests that were being answered didn't end within \(SettingType.duration.write(drainTime)).",
                hint: "Try again when long uploads have ended."
            )
        }
    }
}
