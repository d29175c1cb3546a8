// SPDX-License-Identifier: Apache-2.0

// What was found out about tokens, so that their signatures aren't verified for each request.

import FoundationEssentials

/// Results by the SHA-256 of tokens. The tokens themselves aren't kept.
struct RecentTokens<Result: Sendable>: Sendable {
    private struct Entry: Sendable {
        let result: Result
        /// The version of the keys that the token was verified with.
        let version: Int
        let end: Date
        /// When it was last used, as a number that grows.
        var use: Int
    }

    private let capacity: Int
    private var entries: [[UInt8]: Entry] = [:]
    private var uses = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// The result for a token; nil if there is none, or if it no longer holds.
    mutating func result(of hash: [UInt8], version: Int, now: Date) -> Result? {
        guard let entry = entries[hash] else { return nil }
        guard entry.version == version, now < entry.end else {
            entries[hash] = nil
            return nil
        }
        uses += 1
        entries[hash]?.use = uses
        return entry.result
    }

    /// Keeps a result until a moment.
    mutating func insert(_ result: Result, of hash: [UInt8], version: Int, until end: Date, now: Date) {
        if entries.count >= capacity, entries[hash] == nil { makeRoom(now: now) }
        uses += 1
        entries[hash] = Entry(result: result, version: version, end: end, use: uses)
    }

    mutating func removeAll() { entries = [:] }

    /// Removes what has ended, and if that isn't enough the eighth that wasn't used for longest.
    private mutating func makeRoom(now: Date) {
        entries = entries.filter { now < $0.value.end }
        guard entries.count >= capacity else { return }
        let oldest = entries.sorted { $0.value.use < $1.value.use }.prefix(max(1, capacity / 8))
        for (hash, _) in oldest { entries[hash] = nil }
    }
}
