// SPDX-License-Identifier: Apache-2.0

// Defers requests that would take long, as found when their fetches are planned.

import Basics
package import HTTPMessage
import ObjectGraph
import Synchronization

/// An attempt to answer a request quickly.
final class ShortAttempt: Sendable {
    /// When an attempt on an event loop ends at the latest; nil for one of a worker.
    let deadline: ContinuousClock.Instant?
    private let turn: Mutex<LoopTurn?>
    private let isEndReached = Atomic(false)

    /// An attempt of a worker, which ends when it is known to take long.
    init() {
        deadline = nil
        turn = Mutex(nil)
    }

    /// An attempt on the calling thread's event loop.
    init(for time: Duration, since start: ContinuousClock.Instant) {
        let turn = LoopTurn(time, since: start, .current())
        deadline = turn.end
        self.turn = Mutex(turn)
    }

    /// Whether the request turned out to take long, so that the attempt ended.
    var isOver: Bool { isEndReached.load(ordering: .relaxed) }

    /// The bytes of rows to read: on an event loop, reading and writing more takes too long, however few the rows.
    var byteLimit: Int { deadline == nil ? .max : 256 << 10 }

    func end() { isEndReached.store(true, ordering: .relaxed) }

    /// Ends the attempt if it read more than an event loop may, and returns whether it did.
    func endIfTooLarge(_ problem: Problem) -> Bool {
        guard deadline != nil, problem.status == .contentTooLarge else { return false }
        end()
        return true
    }

    /// Ends the attempt if its time has passed, and returns whether it is over.
    func endIfLate() -> Bool {
        if deadline != nil, !isOver, turn.withLock({ $0?.isOver(at: .now, ThreadUsage.current) }) == true { end() }
        return isOver
    }
}

extension API {
    /// Requests that write are always completed, so that no write starts twice.
    package func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? {
        guard onlyReads(request) else { return respond(to: request) }
        let attempt = ShortAttempt()
        let response = respond(to: request, in: attempt)
        return attempt.isOver ? nil : response
    }

    /// Reads an object or a page on the event loop, and gives it up for a worker after a turn of `options.loopTime`.
    /// SQLite polls the deadline every few microseconds, and rendering every few rows: only waiting for the disk can
    /// exceed it, by the time of the reads between two polls.
    package func respondShortly(to request: HTTPRequest) -> HTTPResponse? {
        guard options.loopTime > .zero, request.method == .get || request.method == .head,
            request.target.hasPrefix("/api/"), !request.target.hasPrefix("/api/contexts/"),
            !coordinator.hasUnnoticedWrites, !longTargets.contains(request.target)
        else { return nil }
        guard let accessGuard else { return respondShortlyAsPermitted(to: request) }
        // Finding an identity's account may need the disk, and workers explain refusals.
        guard !request.prefersExplanation else { return nil }
        return accessGuard.knownAPI(for: request, of: self)?.respondShortlyAsPermitted(to: request)
    }

    private func respondShortlyAsPermitted(to request: HTTPRequest) -> HTTPResponse? {
        let start = ContinuousClock.now
        let attempt = ShortAttempt(for: options.loopTime, since: start)
        if let response = respondWithStoredObject(request, since: start, in: attempt) { return response }
        let response = respondAsPermitted(to: request, in: attempt)
        guard attempt.isOver else { return response }
        longTargets.insert(request.target)
        return nil
    }

    /// Reads the object of a plain request, without planning; nil for all other requests, and if there is a problem.
    private func respondWithStoredObject(
        _ request: HTTPRequest,
        since start: ContinuousClock.Instant,
        in attempt: ShortAttempt
    ) -> HTTPResponse? {
        guard isInServedVersion(request), let objectID = objectID(at: request.target) else { return nil }
        let limits = WorkLimits(
            deadline: attempt.deadline,
            isCancelled: attempt.endIfLate,
            allowance: ReadAllowance(min(options.readLimit, attempt.byteLimit))
        )
        let row = try? limits.hold { try read { try $0.snapshots(of: [objectID])[0] } }
        return row.flatMap { answer(to: request, with: $0, since: start) }
    }

    /// Whether the endpoint of a request changes nothing, at a path of the server or of an editing context.
    func onlyReads(_ request: HTTPRequest) -> Bool {
        if request.method == .get || request.method == .head { return true }
        let catalogue = catalogue(for: request)
        guard let target = try? RequestTarget(request.target), let match = try? catalogue.match(target.segments) else {
            return false
        }
        let segments = ["api"] + match.parts.rest
        let path =
            match.path.isBelowContext
            ? EndpointPath.inContexts.first { $0.pattern.match(segments, in: catalogue) != nil } : match.path
        return path?.endpoint(for: request.method)?.effect == .nothing
    }
}

extension Plan {
    /// Whether it reads an object or a page with few others, which an event loop may try. A page to be compressed takes
    /// too long.
    func isShort(answering request: HTTPRequest) -> Bool {
        switch self {
        case .object(let plan): plan.selection.embeddingCount <= 2
        case .fetch(let plan): plan.isShort && !request.acceptsCompression
        case .live, .bytes, .batch, .write, .answer: false
        }
    }
}

extension FetchPlan {
    /// The most rows of a page that an event loop may read, and the most with those that they embed if each embeds one
    /// by each relationship.
    private static let shortPage = (rows: 100, all: 200)

    fileprivate var isShort: Bool {
        guard format == .json, result == .objects, let limit, limit <= Self.shortPage.rows,
            limit * (1 + selection.embedded.count) <= Self.shortPage.all,
            selection.embeddingCount <= selection.embedded.count
        else { return false }
        switch source {
        case .all, .members: return search == nil && !countsAll && !isExplained
        case .ordered, .oneWay, .fetched: return false
        }
    }
}
