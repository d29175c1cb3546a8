// SPDX-License-Identifier: Apache-2.0

// The signals that a server is told to stop with.

import Dispatch
import Glibc
import Synchronization

/// Takes SIGTERM, SIGINT and SIGHUP, from when it is made to the end of the process. The first of the former is waited for, the
/// second ends the process.
final class StopSignals: Sendable {
    private let queue = DispatchQueue(label: "signals")
    private let first = Mutex<String?>(nil)
    private let hangUp = Mutex<(@Sendable () -> Void)?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    init() {
        for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
            take(number) { [self] in
                let isFirst = first.withLock { first in
                    defer { first = first ?? name }
                    return first == nil
                }
                // Whoever asks twice wants no goodbyes.
                guard isFirst else { _exit(128 + number) }
                arrival.signal()
            }
        }
        take(SIGHUP) { [self] in hangUp.withLock { $0 }?() }
    }

    /// Has something done for each SIGHUP.
    func onHangUp(_ action: @escaping @Sendable () -> Void) { hangUp.withLock { $0 = action } }

    /// Waits for the first signal to stop; its name.
    func wait() -> String {
        arrival.wait()
        return first.withLock { $0 } ?? "A signal"
    }

    private func take(_ number: CInt, _ action: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        // A source ends when nobody holds it; its handler does.
        source.setEventHandler {
            withExtendedLifetime(source) { action() }
        }
        source.resume()
    }
}
