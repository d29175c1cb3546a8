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
    /// How often a gap couldn't be closed.
    private var attempts = 0

    private static let attemptLimit = 100

    /// Distinguishes results that no position identifies.
    private var count = 0
    private let epoch = UInt64.random(in: 1 ... .max)

    /// Whether some transactions before processed ones are missing.
    var hasGap: Bool { !ahead.isEmpty }

    /// Begins at a position; nil if it can't be read.
    mutating func begin(at position: HistoryToken?, identifyingResults: Bool) {
        identifyResults = identifyingResults && position != nil
        attempts = 0
        token = position ?? HistoryToken()
        for (store, numbers) in ahead {
            let processed = token[store]?.transaction ?? 0
            ahead[store] = numbers.filter { $0 > processed }
            advance(store, to: processed)
        }
    }

    mutating func process(_ position: CommitPosition?) {
        guard let position, let transaction = position.transaction else { return }
        let processed = token[position.store]?.transaction ?? 0
        guard transaction > processed else { return }
        ahead[position.store, default: []].insert(transaction)
        advance(position.store, to: processed)
    }

    /// Counts the missing transactions before a processed one as empty, if it is the next one with changes.
    ///
    /// - Returns: Whether a missing one wasn't published for so long that it won't be.
    mutating func closeGap(beforeTransaction next: Int64?, of store: UUID?) -> Bool {
        if let next, let store, ahead[store]?.contains(next) == true { advance(store, to: next) }
        attempts = hasGap ? attempts + 1 : 0
        return attempts > Self.attemptLimit
    }

    private mutating func advance(_ store: UUID, to transaction: Int64) {
        var last = transaction
        ahead[store]?.remove(last)
        while ahead[store]?.remove(last + 1) != nil { last += 1 }
        if ahead[store]?.isEmpty == true { ahead[store] = nil }
        token[store] = HistoryToken.Position(transaction: last)
    }

    /// The ID of a result that includes a state.
    ///
    /// - Parameter includesProcessed: Whether it also includes all that was processed.
    mutating func identifier(including position: HistoryToken?, andProcessed includesProcessed: Bool = true) -> String {
        guard identifyResults, let position else { return uniqueIdentifier() }
        guard includesProcessed else { return position.description }
        var token = token
        for store in position.stores {
            if let read = position[store], read > token[store] ?? .start { token[store] = read }
        }
        return token.description
    }

    /// A text that identifies one result of this process.
    mutating func uniqueIdentifier() -> String {
        count += 1
        return "\(String(epoch, radix: 16))-\(count)"
    }
}
