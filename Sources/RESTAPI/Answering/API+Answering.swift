// SPDX-License-Identifier: Apache-2.0

// Fields that all responses have, request deadlines, and content negotiation.

import HTTPMessage
import ObjectGraph
import ObjectModel

/// Data about a request, collected until the response is finished.
struct RequestTrace {
    let requestID: String
    var timing = ServerTiming()
    var operation: Operation?
    /// Nil if the request may take long.
    let attempt: ShortAttempt?

    init(_ request: HTTPRequest, in attempt: ShortAttempt? = nil) {
        requestID = RequestID.of(request)
        self.attempt = attempt
    }
}

extension API {
    /// The deadline and cancellation of a request. Waiting for a worker counts; a request without time left is refused.
    func limits(
        of request: HTTPRequest,
        at endpoint: APIEndpoint,
        in attempt: ShortAttempt?
    ) throws(Problem) -> WorkLimits {
        let cancellation = request.cancellation
        let time = endpoint.contract.deadline(options)
        if let time, time > .zero, request.queued >= time {
            throw isBlockedByLock(request) ? Problem.locked : Problem.busy
        }
        let deadline = time.map { ContinuousClock.now + $0 - request.queued }
        return WorkLimits(
            deadline: attempt?.deadline.map { end in deadline.map { min($0, end) } ?? end } ?? deadline,
            isCancelled: { cancellation.isCancelled || attempt?.endIfLate() == true },
            allowance: ReadAllowance(min(options.readLimit, attempt?.byteLimit ?? .max)),
            willReadMany: attempt?.end
        )
    }

    /// Whether a request writes while another process has locked a store.
    func isBlockedByLock(_ request: HTTPRequest) -> Bool {
        mayBlock(request) && coordinator.stores.contains(where: \.isLockedByOthers)
    }

    /// Compresses the response and adds the fields that every response has.
    func finished(_ response: HTTPResponse, to request: HTTPRequest, trace: RequestTrace) -> HTTPResponse {
        var response = response
        let isReadable = response.makeReadable(for: request)
        response.compress(for: request)
        if isReadable { response.fields.add(.vary, "Accept, User-Agent") }
        response.addStrictFields()
        crossSite.addFields(to: &response.fields, for: request.fields[.origin])
        addVersionFields(to: &response, for: request)
        addAccessFields(to: &response)
        response.fields.add(.modelVersion, modelVersion)
        response.fields.add(.requestID, trace.requestID)
        response.fields.add(.serverTiming, trace.timing.text)
        return response
    }

    /// Refuses requests that accept none of the available media types. Bytes are sent as they are,
    /// whatever the request accepts.
    func checkAcceptance(of request: HTTPRequest, at endpoint: APIEndpoint) throws(Problem) {
        guard request.fields.contains(.accept), let offered = endpoint.contract.answers.first?.accepted,
            AcceptedMediaTypes(request.fields).bestMatch(among: offered) == nil
        else { return }
        let names = offered.map(\.description).joined(separator: ", ")
        throw Problem(
            .notAcceptable,
            offered.count == 1 ? "It is available only as \(names)." : "It is available only as one of \(names).",
            hint: "Omit Accept, or add \(offered[0]) to it."
        )
    }
}

extension HTTPResponse {
    /// Adds default fields that keep browsers from guessing the content's type, framing it, or using a stale copy.
    mutating func addStrictFields() {
        fields.add(.contentTypeOptions, "nosniff")
        fields.add(.crossOriginResourcePolicy, "same-origin")
        if !fields.contains(.cacheControl) { fields.add(.cacheControl, "no-cache") }
        if !fields.contains(.contentSecurityPolicy) {
            fields.add(.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
        }
    }
}
