// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import HTTPMessage
import Synchronization

/// Serves an application over HTTP/1.1.
///
///     let server = HTTPServer(application: application, configuration: ServerConfiguration(addresses: [.tcp(host: "::1", port: 0)]))
///     try server.start()
///     print(server.boundAddresses)
///     server.wait()
///
/// Its threads are event loops, each with its own connections (the first one also accepts), workers for responses that
/// may block, workers for streams, workers for requests about the server, and with TLS threads for handshakes. A server is stopped when it is released.
package final class HTTPServer: Sendable {
    private let application: any HTTPApplication
    private let configuration: ServerConfiguration
    private let tls: TLSServer?
    private let state = Mutex(State.new)

    private enum State {
        case new
        case running(RunningServer)
        /// A call of `drain` or `stop` is in progress.
        case stopping(RunningServer)
        case stopped
    }

    /// - Parameter tls: Used on all TCP addresses of the configuration, except those that redirect.
    package init(application: any HTTPApplication, configuration: ServerConfiguration, tls: TLSServer? = nil) {
        self.application = application
        self.tls = tls
        self.configuration = configuration
    }

    deinit { stop() }

    /// Listens at all addresses and begins to serve. If it throws, it listens at none.
    package func start() throws(ServerError) {
        try state.withLock { state throws(ServerError) in
            guard case .new = state else { throw .alreadyStarted }
            state = .running(try RunningServer(application, configuration: configuration, tls: tls))
        }
    }

    /// The addresses with the ports that the system has chosen.
    package var boundAddresses: [ListenAddress] { running?.addresses ?? [] }

    /// The addresses that redirect, with the ports that the system has chosen.
    package var boundRedirectAddresses: [ListenAddress] { running?.redirectAddresses ?? [] }

    /// The maximum number of connections, which is lower than configured if the process may open too few files.
    package var connectionLimit: Int { (running?.server.configuration ?? configuration).limits.connections }

    /// Whether the server rejects new connections and closes existing ones as they become idle.
    package var isDraining: Bool { running?.server.isDraining ?? false }

    /// The numbers of connections and of requests that are running or queued.
    package var load: (connections: Int, requestsInFlight: Int) {
        running.map { ($0.server.connectionCounter.count, $0.server.requestLimiter.inFlightCount) } ?? (0, 0)
    }

    /// Rejects new connections, finishes running requests within a time limit, and stops. Returns whether all finished.
    ///
    /// A further call of `drain` or `stop` ends the waiting of the first one.
    @discardableResult
    package func drain(timeout: Duration) -> Bool {
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
            running.server.connectionCounter.stopWaiting()
            running.wait()
            return false
        }
        defer { state.withLock { $0 = .stopped } }
        return running.end(within: timeout)
    }

    /// Stops immediately: closes connections and cancels running requests.
    package func stop() { drain(timeout: .zero) }

    /// Waits until the server has stopped.
    package func wait() { running?.wait() }

    private var running: RunningServer? {
        state.withLock { state in
            switch state {
            case .running(let running), .stopping(let running): running
            case .new, .stopped: nil
            }
        }
    }
}
