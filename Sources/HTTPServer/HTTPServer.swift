// SPDX-License-Identifier: Apache-2.0

// The server: what its program starts, and stops.

public import HTTPMessage
import Synchronization

/// Serves an application over HTTP/1.1.
///
///     let server = HTTPServer(application: application, configuration: ServerConfiguration(addresses: [.tcp(host: "::1", port: 0)]))
///     try server.start()
///     print(server.boundAddresses)
///     server.wait()
///
/// Its threads: some loops, each with connections of its own, of which the first also accepts; workers, for answers that may
/// wait; and workers for what is streamed. A server that nobody holds any more is stopped.
public final class HTTPServer: Sendable {
    private let application: any HTTPApplication
    private let configuration: ServerConfiguration
    private let state = Mutex(State.new)

    private enum State {
        case new
        case running(RunningServer)
        /// Somebody is stopping it.
        case stopping(RunningServer)
        case stopped
    }

    public init(application: any HTTPApplication, configuration: ServerConfiguration) {
        self.application = application
        self.configuration = configuration
    }

    deinit { stop() }

    /// Listens at all addresses, or at none and throws, and begins to serve.
    public func start() throws(ServerError) {
        try state.withLock { state throws(ServerError) in
            guard case .new = state else { throw .alreadyStarted }
            state = .running(try RunningServer(application, configuration))
        }
    }

    /// Where it listens, with the ports that the system has chosen.
    public var boundAddresses: [ListenAddress] { running?.addresses ?? [] }

    /// How many connections there may be: fewer than were asked for where the system gives the process fewer files.
    public var connectionLimit: Int { (running?.server.configuration ?? configuration).limits.connections }

    /// Whether it takes no more connections, and ends those that it has as they come to rest.
    public var isDraining: Bool { running?.server.isDraining ?? false }

    /// How many connections there are, and how many requests workers have or will have.
    public var load: (connections: Int, requestsInFlight: Int) {
        running.map { ($0.server.census.count, $0.server.flights.taken) } ?? (0, 0)
    }

    /// Takes no more connections, lets what runs come to its end for as long as it is given, and stops. Whether all came to its
    /// end. Another call of it, or of `stop`, has the first one wait no longer.
    @discardableResult
    public func drain(timeout: Duration) -> Bool {
        let (running, isFirst) = state.withLock { state -> (RunningServer?, Bool) in
            switch state {
            case .new:
                state = .stopped
                return (nil, false)
            case .running(let running):
                state = .stopping(running)
                return (running, true)
            case .stopping(let running): return (running, false)
            case .stopped: return (nil, false)
            }
        }
        guard let running else { return true }
        guard isFirst else {
            running.server.census.giveUp()
            running.wait()
            return false
        }
        defer { state.withLock { $0 = .stopped } }
        return running.end(within: timeout)
    }

    /// Stops at once: connections are closed, and what runs is cancelled.
    public func stop() { drain(timeout: .zero) }

    /// Waits until it has been stopped.
    public func wait() { running?.wait() }

    private var running: RunningServer? {
        state.withLock { state in
            switch state {
            case .running(let running), .stopping(let running): running
            case .new, .stopped: nil
            }
        }
    }
}
