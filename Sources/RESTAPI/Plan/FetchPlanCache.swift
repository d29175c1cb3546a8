// SPDX-License-Identifier: Apache-2.0

// Remembers the plans of recent fetches.

import HTTPMessage
import Synchronization

/// The plans of lists, by target and format. The cache is small, and is cleared when it is full.
///
/// Plans with a cursor aren't kept, since few clients request the same one again, nor are those that name objects by
/// URIs, which depend on the stores.
final class FetchPlanCache: Sendable {
    private struct Key: Hashable {
        let path: String
        let query: String?
        let format: AnswerFormat

        /// Nil for a request whose plan isn't kept.
        init?(_ request: APIRequest) {
            guard request.method == .get || request.method == .head, case let target = request.target,
                target.path.utf8.count + (target.rawQuery?.utf8.count ?? 0) <= FetchPlanCache.longestTarget
            else { return nil }
            path = target.path
            query = target.rawQuery
            format = AnswerFormat(request.fields)
        }
    }

    private let plans = Mutex<[Key: FetchPlan]>([:])

    private static let limit = 500
    private static let longestTarget = 1_000

    func plan(of request: APIRequest) throws(Problem) -> FetchPlan? {
        guard let key = Key(request), var plan = plans.withLock({ $0[key] }) else { return nil }
        plan.ifNoneMatch = try Preconditions(request.fields).ifNoneMatch
        return plan
    }

    func record(_ plan: FetchPlan, of request: APIRequest) {
        guard let key = Key(request), plan.cursor == nil,
            !request.target.query.contains(where: { $0.value.contains("x-coredata:") })
        else { return }
        plans.withLock { plans in
            if plans.count >= Self.limit { plans = [:] }
            plans[key] = plan
        }
    }
}
