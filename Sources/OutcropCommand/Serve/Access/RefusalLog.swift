// SPDX-License-Identifier: Apache-2.0

// Limits what refused credentials write to the log.

import HTTPMessage
import JSON
import Synchronization

/// Logs refused credentials: the reason and the client, never the credential. A client gets a line at most each second.
final class RefusalLog: Sendable {
    private let log: ServerLog
    /// When the last line of each client was logged.
    private let times = Mutex<[String: ContinuousClock.Instant]>([:])

    private static let interval = Duration.seconds(1)
    private static let capacity = 10_000

    init(_ log: ServerLog) { self.log = log }

    func record(_ reason: String, of request: HTTPRequest) {
        guard isDue(request.client, now: .now) else { return }
        log.log(
            .warning,
            .refusal,
            "A credential from \(request.client) was refused: \(reason)",
            ["client": .string(request.client), "reason": .string(reason)]
        )
    }

    func isDue(_ client: String, now: ContinuousClock.Instant) -> Bool {
        times.withLock { times in
            if let last = times[client], now - last < Self.interval { return false }
            if times.count >= Self.capacity {
                times = times.filter { now - $0.value < Self.interval }
                // So many addresses within a second aren't told apart any more.
                guard times.count < Self.capacity else { return false }
            }
            times[client] = now
            return true
        }
    }
}
