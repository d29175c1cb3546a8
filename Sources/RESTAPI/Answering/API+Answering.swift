// SPDX-License-Identifier: Apache-2.0

// What all answers have, and which forms of them clients can ask for.

import HTTPMessage
import ObjectGraph
import ObjectModel

/// What is noted of a request on its way to the answer.
struct Passage {
    let requestID: String
    var timing = ServerTiming()
    var operation: Operation?
    /// Nil where it may take long.
    let turn: ShortTurn?

    init(_ request: HTTPRequest, in turn: ShortTurn? = nil) {
        requestID = RequestID.of(request)
        self.turn = turn
    }

    /// Whether it was given up, to be answered later.
    var isPutOff: Bool { turn?.isOver ?? false }
}

extension API {
    /// How long a request may be worked on, and whether its answer is still wanted. What it has waited for a worker counts: one
    /// that has no time left is refused.
    func limits(
        of request: HTTPRequest,
        at endpoint: APIEndpoint,
        in turn: ShortTurn?
    ) throws(Problem) -> WorkLimits {
        let cancellation = request.cancellation
        let time = endpoint.contract.deadline(options)
        if let time, time > .zero, request.queued >= time {
            throw waitsForOthers(request) ? Problem.locked : Problem.busy
        }
        return WorkLimits(
            deadline: time.map { ContinuousClock.now + $0 - request.queued },
            isCancelled: { cancellation.isCancelled || turn?.isOver == true },
            allowance: ReadAllowance(options.readLimit),
            willReadMany: turn?.end
        )
    }

    /// Whether a request writes while another program has a store locked.
    func waitsForOthers(_ request: HTTPRequest) -> Bool {
        mayBlock(request) && coordinator.stores.contains(where: \.isLockedByOthers)
    }

    /// The answer as it is sent.
    func finished(_ response: HTTPResponse, to request: HTTPRequest, _ passage: Passage) -> HTTPResponse {
        var response = response
        response.compress(for: request)
        response.addStrictFields()
        crossSite.addFields(to: &response.fields, for: request.fields[.origin])
        response.fields.add(.requestID, passage.requestID)
        response.fields.add(.serverTiming, passage.timing.text)
        return response
    }

    /// Refuses requests for other forms than there are. Bytes come as they are, whatever is asked for.
    func checkAcceptance(of request: HTTPRequest, at endpoint: APIEndpoint) throws(Problem) {
        guard request.fields.contains(.accept), let offered = endpoint.contract.answers.first?.accepted,
            AcceptedMediaTypes(request.fields).bestMatch(among: offered) == nil
        else { return }
        let names = offered.map(\.description).joined(separator: ", ")
        throw Problem(
            .notAcceptable,
            offered.count == 1 ? "It comes as \(names) alone." : "It comes as one of \(names).",
            hint: "Leave out Accept, or add \(offered[0]) to it."
        )
    }
}

extension HTTPResponse {
    /// Adds what keeps browsers from taking an answer for something else, or for one that is still right later, where it doesn't
    /// say so itself.
    mutating func addStrictFields() {
        fields.add(.contentTypeOptions, "nosniff")
        fields.add(.crossOriginResourcePolicy, "same-origin")
        if !fields.contains(.cacheControl) { fields.add(.cacheControl, "no-cache") }
        if !fields.contains(.contentSecurityPolicy) {
            fields.add(.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
        }
    }
}
