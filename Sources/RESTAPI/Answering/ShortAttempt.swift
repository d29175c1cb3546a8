// SPDX-License-Identifier: Apache-2.0

// Defers requests that would take long, as found when their fetches are planned.

public import HTTPMessage
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
    public func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? {
        guard request.onlyReads else { return respond(to: request) }
        let attempt = ShortAttempt()
        let response = respond(to: request, in: attempt)
        return attempt.isOver ? nil : response
    }
}

extension HTTPRequest {
    fileprivate var onlyReads: Bool {
        switch method {
        case .get, .head: true
        case .post: target.prefix { $0 != "?" }.hasSuffix("/fetch")
        default: false
        }
    }
}
