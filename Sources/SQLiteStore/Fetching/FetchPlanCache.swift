// SPDX-License-Identifier: Apache-2.0

// Remembers the statements of recent fetches.

import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

/// The plans of fetches of objects, by request. The cache is small, and is cleared when it is full.
///
/// A plan depends on the request and the tables alone, unless the request searches or calls volatile functions.
final class FetchPlanCache: Sendable {
    private let plans = Mutex<[StoreFetchRequest: SQLFetchPlan]>([:])

    private static let limit = 500
    /// The most bindings of a plan, and the most bytes of one.
    private static let longest = (bindings: 32, bytes: 256)

    func plan(of request: StoreFetchRequest) -> SQLFetchPlan? {
        guard Self.keeps(request) else { return nil }
        return plans.withLock { $0[request] }
    }

    func record(_ plan: SQLFetchPlan, of request: StoreFetchRequest) {
        guard Self.keeps(request), !request.isVolatile, plan.remainder == nil,
            plan.statement.bindings.count <= Self.longest.bindings,
            plan.statement.bindings.allSatisfy({ $0.byteCount <= Self.longest.bytes })
        else { return }
        plans.withLock { plans in
            if plans.count >= Self.limit { plans = [:] }
            plans[request] = plan
        }
    }

    private static func keeps(_ request: StoreFetchRequest) -> Bool {
        guard request.search == nil else { return false }
        if case .table = request.kind { return false }
        return true
    }
}

extension StoreFetchRequest {
    fileprivate var isVolatile: Bool {
        predicate?.isVolatile == true || sortDescriptors.contains(where: \.keyPath.isVolatile)
    }
}

extension SQLValue {
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer, .real: 8
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}
