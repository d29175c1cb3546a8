// SPDX-License-Identifier: Apache-2.0

// The signals that stop a server.

import Dispatch
import Glibc
import Synchronization

/// Handles SIGTERM, SIGINT and SIGHUP until the end of the process.
///
///     starting ──startServing──▶ serving ──SIGTERM or SIGINT──▶ stopping
///     starting ──SIGTERM or SIGINT──▶ ended by that signal       stopping ──SIGTERM or SIGINT──▶ ended at once
///
/// 1. No signal is lost: they are blocked before any other thread exists, and remain pending until they are received.
///
/// Safe: signal sets are values, which the calls only read.
@safe
final class StopSignals: Sendable {
    private enum Phase {
        case starting
        case serving
        case stopping(by: String)
    }

    private let phase = Mutex(Phase.starting)
    private let hangUp = Mutex<(@Sendable () -> Void)?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    /// Must be called while the process has only one thread: other threads inherit its blocked signals.
    init() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        DispatchQueue(label: "signals").async { [self, signals] in
            var signals = signals
            while true {
                var number: CInt = 0
                guard unsafe sigwait(&signals, &number) == 0 else { continue }
                receive(number)
            }
        }
    }

    /// From now on the first signal to stop ends `wait()`.
    func startServing() { phase.withLock { $0 = .serving } }

    /// Sets the action for SIGHUP.
    func onHangUp(_ action: @escaping @Sendable () -> Void) { hangUp.withLock { $0 = action } }

    /// Waits for the first signal to stop, and returns its name.
    func wait() -> String {
        arrival.wait()
        guard case .stopping(let name) = phase.withLock(\.self) else { return "A signal" }
        return name
    }

    private func receive(_ number: CInt) {
        if number == SIGHUP {
            hangUp.withLock { $0 }?()
            return
        }
        phase.withLock { phase in
            switch phase {
            case .starting: Self.end(by: number)
            case .serving:
                phase = .stopping(by: number == SIGTERM ? "SIGTERM" : "SIGINT")
                arrival.signal()
            // A second signal ends the process without waiting for requests.
            case .stopping: _exit(128 + number)
            }
        }
    }

    /// Ends the process by the default action of the signal.
    private static func end(by number: CInt) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        signal(number, SIG_DFL)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}
