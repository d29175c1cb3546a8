// SPDX-License-Identifier: Apache-2.0

// Requests that are answered unless that takes long: by what their fetches look at, which is known when they are planned.

public import HTTPMessage
import Synchronization

/// The attempt to answer a request among those that don't take long.
final class ShortTurn: Sendable {
    private let isPastEnd = Atomic(false)

    /// Whether it has turned out to take long, and was given up.
    var isOver: Bool { isPastEnd.load(ordering: .relaxed) }

    func end() { isPastEnd.store(true, ordering: .relaxed) }
}

extension API {
    /// What writes isn't begun twice.
    public func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? {
        guard request.onlyReads else { return respond(to: request) }
        let turn = ShortTurn()
        let response = respond(to: request, in: turn)
        return turn.isOver ? nil : response
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
