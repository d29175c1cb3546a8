// SPDX-License-Identifier: Apache-2.0

// Defers requests that would take long, as found when their fetches are planned.

package import HTTPMessage
import Synchronization

/// An attempt to answer a request quickly.
final class ShortAttempt: Sendable {
    private let isEndReached = Atomic(false)

    /// Whether the request turned out to take long, so that the attempt ended.
    var isOver: Bool { isEndReached.load(ordering: .relaxed) }

    func end() { isEndReached.store(true, ordering: .relaxed) }
}

extension API {
    /// Requests that write are always completed, so that no write starts twice.
    package func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? {
        guard onlyReads(request) else { return respond(to: request) }
        let attempt = ShortAttempt()
        let response = respond(to: request, in: attempt)
        return attempt.isOver ? nil : response
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
