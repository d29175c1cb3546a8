// SPDX-License-Identifier: Apache-2.0

// Slows down attempts, by account and by address.

import HTTPMessage
import Identities
import Synchronization

final class AccountThrottle: Sendable {
    private let attempts = Mutex(AttemptThrottle())
    private let clock: @Sendable () -> ContinuousClock.Instant

    init(clock: @escaping @Sendable () -> ContinuousClock.Instant) { self.clock = clock }

    /// Begins an attempt. Returns the seconds to wait if it isn't allowed yet.
    func attempt(_ account: String, from sender: RequestSender) -> Int? {
        let now = clock()
        return attempts.withLock {
            $0.attempt(account: account, address: sender.key(for: account), now: now)
        }
    }

    /// The same for attempts that an account makes itself.
    ///
    /// - Parameter sender: What identifies that account.
    func attempt(_ account: String, by sender: String) -> Int? {
        let now = clock()
        return attempts.withLock { $0.attempt(account: account, address: "by \(sender)", now: now) }
    }

    func succeeded(_ account: String, from sender: RequestSender) {
        attempts.withLock { $0.succeeded(account: account, address: sender.key(for: account)) }
    }
}

/// Where a request comes from.
struct RequestSender: Hashable, Sendable {
    /// The address; nil if it isn't known, as behind a proxy that doesn't name it.
    let address: String?

    /// A listener that only this machine reaches serves a proxy, whose `X-Forwarded-For` ends with its client's address.
    init(_ request: HTTPRequest) {
        guard request.isLocal else {
            address = ClientAddress.network(of: request.client)
            return
        }
        let last = request.fields.values(of: "X-Forwarded-For").last?.split(separator: ",").last
        address = last.map { ClientAddress.network(of: String($0.drop { $0 == " " }.prefix(Self.longestAddress))) }
    }

    private static let longestAddress = 64

    /// What attempts are counted by. Those of unknown addresses are counted by account alone, so that no client keeps all
    /// others behind the same proxy from signing in.
    func key(for account: String) -> String { address.map { "address \($0)" } ?? "account \(account)" }
}

extension Problem {
    /// Attempts that come too fast.
    static func tooManyRequests(_ detail: String, after seconds: Int) -> Problem {
        var problem = Problem(.rate, detail, hint: "Try again after “Retry-After” seconds.")
        problem.fields = [.retryAfter: "\(seconds)"]
        return problem
    }
}
