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
///      └── the new API, the same, or ───┘
///          a request that takes long
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

    /// Thrown where a replacement can't begin at present.
    struct Busy: Error {
        let message: String
        let hint: String
    }

    /// The code of the failure after which neither API can be used.
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

    /// An event loop doesn't wait for the gate.
    func respondShortly(to request: HTTPRequest) -> HTTPResponse? {
        let api = state.withLock { state -> API? in
            guard state.gate == .open else { return nil }
            state.answering += 1
            return state.api
        }
        guard let api else { return nil }
        defer { leave() }
        return api.respondShortly(to: request)
    }

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
    /// - Parameters:
    ///   - isRequested: Whether a request asks for it, which isn't waited for.
    ///   - isCancelled: Whether to wait no longer.
    func replace(
        isRequested: Bool,
        isCancelled: () -> Bool = { false },
        _ replacement: (API) throws -> API
    ) throws {
        let former = try closeWhenIdle(isRequested: isRequested, isCancelled: isCancelled)
        var isUsable = true
        defer { end(isRequested: isRequested, with: isUsable ? .open : .refusing) }
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

    /// Closes the gate until no request is being answered. A long one, such as an upload, doesn't keep others waiting for
    /// more than a moment at a time; only if there is one each time, others are refused until it has ended.
    private func closeWhenIdle(isRequested: Bool, isCancelled: () -> Bool) throws -> API {
        let last = ContinuousClock.now + drainTime
        while true {
            let isLast = ContinuousClock.now >= last
            let (former, number) = try close(isRequested: isRequested)
            DispatchQueue.global().asyncAfter(deadline: .now() + holdTime / .seconds(1)) { [weak self] in
                self?.refuseRequests(during: number)
            }
            let isIdle = isIdle(within: isLast ? drainTime : holdTime / 2, unless: isCancelled)
            if isIdle, !isCancelled() { return former }
            end(isRequested: isRequested, with: .open)
            guard !isCancelled() else { throw Busy.notRunning }
            guard !isLast else { throw Busy.answering(for: drainTime) }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + holdTime / .seconds(1))
        }
    }

    private func close(isRequested: Bool) throws -> (former: API, number: Int) {
        try state.withLock { state throws(Busy) in
            guard state.gate == .open else { throw Busy.changing }
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

    /// Waits until no request is being answered, and returns whether that is so.
    private func isIdle(within time: Duration, unless isCancelled: () -> Bool) -> Bool {
        let idle = DispatchSemaphore(value: 0)
        let isIdle = state.withLock { state in
            state.idle = idle
            return state.answering == 0
        }
        let end = ContinuousClock.now + time
        if isIdle { return true }
        while ContinuousClock.now < end, !isCancelled() {
            if idle.wait(timeout: .now() + min(time / .seconds(1), 0.1)) == .success { return true }
        }
        return false
    }
}

extension ReplaceableAPI.Busy {
    static let changing = ReplaceableAPI.Busy(
        message: "Another change of the model is under way.",
        hint: "Try again when it has ended."
    )

    static let notRunning = ReplaceableAPI.Busy(
        message: "The server is starting or shutting down.",
        hint: "Try again later."
    )

    fileprivate static func answering(for time: Duration) -> ReplaceableAPI.Busy {
        ReplaceableAPI.Busy(
            message: "Requests that were being answered didn't end within \(SettingType.duration.write(time)).",
            hint: "Try again when long uploads have ended."
        )
    }
}
