// SPDX-License-Identifier: Apache-2.0

// The answer to a request with a key, until it is stored.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

/// A request with a key, and the answer stored under the key.
final class AnswerRecorder: Sendable {
    let key: String
    let fingerprint: Fingerprint
    /// Older answers have expired.
    let keptSince: Date
    private let made = Date.now
    private let api: API
    private let answer = Mutex<StoredAnswer?>(nil)

    /// Nil without a key, and for methods other than POST, which can be repeated anyway.
    init?(of request: HTTPRequest, in api: API) throws(Problem) {
        guard request.method == .post, request.fields.contains(.idempotencyKey) else { return nil }
        let keys = request.fields.values(of: .idempotencyKey)
        let isKey =
            (1...Self.lengthLimit).contains(keys[0].utf8.count)
            && keys[0].utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard keys.count == 1, isKey else { throw .invalidIdempotencyKey }
        // An identity doesn't get the answer to another one's request. Keys of requests have no spaces.
        key = [api.access?.sender, keys[0]].compactMap(\.self).joined(separator: " ")
        fingerprint = Fingerprint(of: request)
        keptSince = max(made.addingTimeInterval(-api.options.answerLifetime.seconds), .distantPast)
        self.api = api
    }

    private static let lengthLimit = 255

    /// The note of an answer, made from the result of a save. The save fails if the answer is too long.
    func note<Outcome>(_ reply: @escaping @Sendable (Outcome) throws -> Reply) -> PendingNote<Outcome> {
        PendingNote(key: key, made: made, keptSince: keptSince) { [self] outcome in
            let kept = try kept(reply(outcome))
            answer.withLock { $0 = kept }
            return kept.bytes
        }
    }

    /// An answer in the form that an editing context stores.
    ///
    /// - Parameter isLimited: Whether an answer that is too long is refused.
    func contextAnswer(_ reply: Reply, isLimited: Bool = true) throws(Problem) -> ContextAnswer {
        ContextAnswer(key: key, made: made, answer: try kept(reply, isLimited: isLimited))
    }

    private func kept(_ reply: Reply, isLimited: Bool = true) throws(Problem) -> StoredAnswer {
        let kept = StoredAnswer(try api.render(reply), fingerprint: try fingerprint.digest())
        let limit = api.options.keptAnswerLimit
        guard !isLimited || kept.body.count <= limit else { throw .answerTooLong(kept.body.count, limit: limit) }
        return kept
    }

    /// The last stored answer.
    var reply: Reply? { answer.withLock { $0 }?.reply }
}

extension Problem {
    fileprivate static var invalidIdempotencyKey: Problem {
        Problem(
            .parameter,
            "An Idempotency-Key must be a single value of 1 to 255 visible ASCII characters.",
            hint: "Use a new UUID for each new request."
        )
    }

    fileprivate static func answerTooLong(_ count: Int, limit: Int) -> Problem {
        var problem = Problem(
            .tooLarge,
            "The answer would have \(count) bytes; with an Idempotency-Key, the limit is \(limit). Nothing was saved.",
            hint: "Send Prefer: return=minimal, or less at once."
        )
        problem.extras["limit"] = "keptAnswerLimit"
        return problem
    }
}
