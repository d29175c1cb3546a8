// SPDX-License-Identifier: Apache-2.0

// Distinguishes the commits of other processes from own ones.

/// An account of the commits to a file, by the count in the index of its log.
///
/// 1. The writer holds the lock from its begin to its commit, so the commit after those that it has found is its own.
/// 2. A commit is another process's if it is neither seen nor own. Numbers may wrap around, and begin anew when the index
///    does; then all commits count as those of others.
struct CommitAccount {
    /// The number up to which all commits are own or were noticed.
    private var seen: UInt32
    /// The numbers of own commits after that, ascending. The last one may not be written yet.
    private var own: [UInt32] = []
    private var isWriting = false

    /// From this number on, others are assumed to have committed.
    private static let limit = 10_000

    init(seen: UInt32) { self.seen = seen }

    /// Whether others have committed, given the number of all commits.
    func hasUnseen(of count: UInt32) -> Bool {
        guard count != seen else { return false }
        let ownCount = own.count { Self.isPassed($0, at: count) }
        return Int(count &- seen) != ownCount || ownCount >= Self.limit
    }

    /// - Parameters:
    ///   - count: The number up to which the commits of others were noticed.
    ///   - present: The number of all commits. If it is behind what was seen, the numbers have begun anew.
    mutating func see(_ count: UInt32, of present: UInt32) {
        guard Self.isPassed(seen, at: present) else {
            own = []
            seen = count
            return
        }
        // Own commits may have been recorded since the count was read.
        guard Self.isPassed(seen, at: count) else { return }
        own.removeAll { Self.isPassed($0, at: count) }
        seen = count
    }

    mutating func begin(after count: UInt32) {
        if isWriting { abandon() }
        isWriting = own.count < Self.limit
        if isWriting { own.append(count &+ 1) }
    }

    mutating func abandon() {
        guard isWriting else { return }
        isWriting = false
        if !own.isEmpty { own.removeLast() }
    }

    /// - Parameter count: The number of all commits after the own one.
    mutating func end(at count: UInt32) {
        guard isWriting else { return }
        if let last = own.last, !Self.isPassed(last, at: count) { return abandon() }
        isWriting = false
        while let first = own.first, first == seen &+ 1 {
            seen = first
            own.removeFirst()
        }
    }

    private static func isPassed(_ number: UInt32, at count: UInt32) -> Bool { Int32(bitPattern: count &- number) >= 0 }
}
