// SPDX-License-Identifier: Apache-2.0

// The statements that a connection keeps prepared.

/// Compiled statements by their text; those not used for longest go first. One that is in use isn't handed out again.
final class StatementCache {
    private let limit: Int
    private var compiled: [String: CompiledStatement] = [:]
    private var clock: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { compiled.count }

    /// Takes a statement out for use.
    func take(_ text: String) -> CompiledStatement? {
        guard let statement = compiled[text], !statement.isInUse else { return nil }
        statement.isInUse = true
        return statement
    }

    /// Keeps a new statement, which is in use, where there is room or can be made.
    func add(_ statement: CompiledStatement) {
        statement.isInUse = true
        guard limit > 0, compiled[statement.text] == nil else { return }
        if compiled.count >= limit {
            // Rare beside the preparing of a statement, which is slower than this search.
            let idle = compiled.values.lazy.filter { !$0.isInUse }
            guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
            compiled[oldest.text] = nil
        }
        compiled[statement.text] = statement
    }

    func giveBack(_ statement: CompiledStatement) {
        clock += 1
        statement.lastUse = clock
        statement.isInUse = false
    }

    func removeAll() { compiled = [:] }
}
