// SPDX-License-Identifier: Apache-2.0

// How far the commits of the stores were processed.

import FoundationEssentials
import ObjectGraph

/// The position up to which all commits were processed, although they arrive in order only for each process.
///
/// 1. All transactions up to `token` were processed or are empty, so a result that was processed may be identified by it.
/// 2. Transactions that were processed before one that precedes them are kept until it follows, or is known to be empty.
struct LivePositions: Sendable {
    private(set) var token = HistoryToken()
    /// Whether positions identify results: all stores keep a history.
    private(set) var identifyResults = false
    private var ahead: [UUID: Set<Int64>] = [:]
    /// Distinguishes results that no position identifies.
    private var count = 0
    private let epoch = UInt64.random(in: 1 ... .max)

    /// Whether some transactions before processed ones are missing.
    var hasGap: Bool { !ahead.isEmpty }

    /// Begins at a position.
    mutating func begin(at token: HistoryToken, identifyingResults: Bool) {
        self.token = token
        identifyResults = identifyingResults
        ahead = [:]
    }

    mutating func process(_ position: CommitPosition?) {
        guard let position, let transaction = position.transaction else { return }
        let processed = token[position.store]?.transaction ?? 0
        guard transaction > processed else { return }
        ahead[position.store, default: []].insert(transaction)
        advance(position.store, to: processed)
    }

    /// Counts missing transactions before a processed one as empty.
    mutating func skip(to transaction: Int64, of store: UUID) {
        guard ahead[store]?.contains(transaction) == true else { return }
        advance(store, to: transaction)
    }

    private mutating func advance(_ store: UUID, to transaction: Int64) {
        var last = transaction
        ahead[store]?.remove(last)
        while ahead[store]?.remove(last + 1) != nil { last += 1 }
        if ahead[store]?.isEmpty == true { ahead[store] = nil }
        token[store] = HistoryToken.Position(transaction: last)
    }

    /// The ID of a result that includes a state, and all that was processed.
    mutating func identifier(including position: HistoryToken?) -> String {
        guard identifyResults else {
            count += 1
            return "\(String(epoch, radix: 16))-\(count)"
        }
        var token = token
        for store in position?.stores ?? [] {
            if let read = position?[store], read > token[store] ?? .start { token[store] = read }
        }
        return token.description
    }
}
