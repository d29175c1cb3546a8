// SPDX-License-Identifier: Apache-2.0

// A cache of prepared statements.

/// Compiled statements by their text, evicting the least recently used. A statement in use isn't returned again.
final class StatementCache {
    private let limit: Int
    private var compiled: [String: CompiledStatement] = [:]
    private var clock: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { compiled.count }

    /// Returns a cached statement and marks it as in use.
    func checkOut(_ text: String) -> CompiledStatement? {
        guard let statement = compiled[text], !statement.isInUse else { return nil }
        statement.isInUse = true
        return statement
    }

    /// Caches a new statement, which is in use, unless all cached statements are in use too.
    func add(_ statement: CompiledStatement) {
        statement.isInUse = true
        guard limit > 0, compiled[statement.text] == nil else { return }
        if compiled.count >= limit {
            // A linear search is fast enough: preparing the statement took longer.
            let idle = compiled.values.lazy.filter { !$0.isInUse }
            guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
            compiled[oldest.text] = nil
        }
        compiled[statement.text] = statement
    }

    func checkIn(_ statement: CompiledStatement) {
        clock += 1
        statement.lastUse = clock
        statement.isInUse = false
    }

    func removeAll() { compiled = [:] }
}
