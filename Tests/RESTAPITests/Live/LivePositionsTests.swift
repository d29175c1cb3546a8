// SPDX-License-Identifier: Apache-2.0

// The position up to which commits were processed.

import FoundationEssentials
import Testing

@testable import ObjectGraph
@testable import RESTAPI

@Suite("Positions of live queries")
struct LivePositionsTests {
    private let store = UUID()

    private func token(_ number: Int64) -> HistoryToken {
        HistoryToken(positions: [store: HistoryToken.Position(transaction: number)])
    }

    private func positions(at number: Int64) -> LivePositions {
        var positions = LivePositions()
        positions.begin(at: token(number), identifyingResults: true)
        return positions
    }

    /// 1, 2.
    @Test("a transaction counts only once those before it do")
    func order() {
        var positions = positions(at: 10)
        positions.process(CommitPosition(store: store, transaction: 12))
        #expect(positions.token == token(10) && positions.hasGap)
        positions.process(CommitPosition(store: store, transaction: 11))
        #expect(positions.token == token(12) && !positions.hasGap)
        positions.process(CommitPosition(store: store, transaction: 5))
        #expect(positions.token == token(12) && !positions.hasGap)
    }

    @Test("a gap is closed if the history has nothing in it, and given up if what it has is never published")
    func gaps() {
        var positions = positions(at: 10)
        positions.process(CommitPosition(store: store, transaction: 15))
        var isLost = positions.closeGap(beforeTransaction: 13, of: store)
        #expect(!isLost && positions.token == token(10))
        for _ in 0..<200 { isLost = positions.closeGap(beforeTransaction: 13, of: store) }
        #expect(isLost)
        isLost = positions.closeGap(beforeTransaction: 15, of: store)
        #expect(!isLost && positions.token == token(15) && !positions.hasGap)
    }

    @Test("a result is identified by what it includes, and never by what it lacks")
    func identifiers() {
        var positions = positions(at: 10)
        let processed = positions.identifier(including: token(8))
        let read = positions.identifier(including: token(8), andProcessed: false)
        let later = positions.identifier(including: token(12))
        #expect(processed == token(10).description)
        #expect(read == token(8).description)
        #expect(later == token(12).description)
        positions.begin(at: token(10), identifyingResults: false)
        let unique = Set((0..<100).map { _ in positions.identifier(including: token(10)) })
        #expect(unique.count == 100)
        #expect(unique.allSatisfy { HistoryToken($0) == nil })
    }

    @Test("what was processed behind a new beginning stays so")
    func beginning() {
        var positions = positions(at: 10)
        positions.process(CommitPosition(store: store, transaction: 14))
        positions.begin(at: token(13), identifyingResults: true)
        #expect(positions.token == token(14) && !positions.hasGap)
    }
}
