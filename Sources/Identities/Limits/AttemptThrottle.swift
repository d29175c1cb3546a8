// SPDX-License-Identifier: Apache-2.0

/// Slows down failing sign-ins, by account and by address.
///
///     if let wait = throttle.attempt(account: name, address: address, now: .now) { return tooManyRequests(after: wait) }
///     if isPasswordRight { throttle.succeeded(account: name, address: address) }
//
// An attempt counts as failed when it begins, so that many at the same time aren't free. After five failures the next one
// has to wait a second, then two, four and so on. Attempts that have to wait don't count.
package struct AttemptThrottle: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private struct Failures {
        var count: Int
        var last: Instant
    }

    private static let free = 5
    private static let longestWait = 900
    private static let memory = Duration.seconds(3_600)

    /// The greatest number of accounts, and of addresses.
    private let capacity: Int
    private var accounts: [String: Failures] = [:]
    private var addresses: [String: Failures] = [:]

    package init(capacity: Int = 50_000) {
        precondition(capacity > 0, "A throttle needs room for an account.")
        self.capacity = capacity
    }

    /// The number of accounts and addresses that it keeps.
    package var count: Int { accounts.count + addresses.count }

    /// Begins an attempt, which counts as failed until it has succeeded. Returns the seconds to wait if it isn't allowed yet.
    package mutating func attempt(account: String, address: String, now: Instant) -> Int? {
        let account = account.bounded
        let address = address.bounded
        let wait = max(Self.wait(for: accounts[account], now: now), Self.wait(for: addresses[address], now: now))
        guard wait == 0 else { return wait }
        Self.record(account, in: &accounts, capacity: capacity, now: now)
        Self.record(address, in: &addresses, capacity: capacity, now: now)
        return nil
    }

    /// Forgets the failures of an account. Of an address only this attempt is taken back, or an attacker could make others free
    /// by an account of their own.
    package mutating func succeeded(account: String, address: String) {
        accounts[account.bounded] = nil
        let address = address.bounded
        guard let failures = addresses[address] else { return }
        addresses[address] = failures.count > 1 ? Failures(count: failures.count - 1, last: failures.last) : nil
    }

    /// The whole seconds until an attempt is allowed.
    private static func wait(for failures: Failures?, now: Instant) -> Int {
        guard let failures, failures.count >= free, now - failures.last < memory else { return 0 }
        // 2^10 is more than the longest wait.
        let wait = min(longestWait, 1 << min(failures.count - free, 10))
        let left = .seconds(wait) - (now - failures.last)
        return min(wait, max(0, Int((left / .seconds(1)).rounded(.up))))
    }

    private static func record(
        _ key: String,
        in all: inout [String: Failures],
        capacity: Int,
        now: Instant
    ) {
        if let failures = all[key] {
            let isRemembered = now - failures.last < memory
            all[key] = Failures(count: isRemembered ? failures.count + 1 : 1, last: max(now, failures.last))
            return
        }
        if all.count >= capacity { makeRoom(in: &all, capacity: capacity, now: now) }
        all[key] = Failures(count: 1, last: now)
    }

    /// Removes what is forgotten, and at least an eighth: the fewest failures, and the oldest.
    private static func makeRoom(in all: inout [String: Failures], capacity: Int, now: Instant) {
        all = all.filter { now - $0.value.last < memory }
        let excess = all.count - capacity + max(1, capacity / 8)
        guard excess > 0 else { return }
        let least = all.sorted { ($0.value.count, $0.value.last) < ($1.value.count, $1.value.last) }
        for (key, _) in least.prefix(excess) { all[key] = nil }
    }
}
