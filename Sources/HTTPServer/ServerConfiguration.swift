// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The addresses, threads and limits of a server.
///
///     var configuration = ServerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 8080)])
///     configuration.limits.connections = 500
package struct ServerConfiguration: Hashable, Sendable {
    package var addresses: [ListenAddress]
    /// Where requests are redirected to the first address that speaks TLS.
    package var redirectAddresses: [ListenAddress] = []
    /// How long browsers shall use only TLS for the host, which they are told with each answer over TLS; nil says nothing.
    package var strictTransportSecurity: Duration?
    /// The number of event loop threads, which read requests, answer from memory or by short reads, and send. By
    /// default one per core.
    package var loops = Self.coreCount
    /// The number of threads for responses that may block.
    package var workers = max(4, 2 * Self.coreCount) + 1
    /// How many threads of each kind a client may use at a time: for requests that may wait for locks, and for others.
    /// Of both kinds together, it may use as many plus the spare ones, and half of the queue. Nil means all workers but
    /// one; the number of workers or more, no limit.
    package var workersPerClient: Int?
    /// The number of threads for streamed requests and responses, which would delay others.
    package var streamWorkers = 16
    /// The number of additional threads for requests that don't write while all other workers wait for writing.
    package var spareWorkers: Int { max(1, workers / 2) }
    /// Threads for requests about the server itself, of which one client may have all but one.
    package var probeWorkers: Int { 2 }
    /// Threads for TLS handshakes.
    var handshakeThreads: Int { Self.coreCount }
    var spareStreamWorkers: Int { max(1, streamWorkers / 2) }
    package var limits = ServerLimits()
    /// The delay in seconds after which a refused client should retry.
    package var retryAfter = 1
    /// How long a draining server keeps recently used connections, for requests in transit.
    package var farewell = Duration.milliseconds(250)
    /// How often to check deadlines and disconnected clients.
    package var tick = Duration.milliseconds(250)

    package init(addresses: [ListenAddress]) {
        self.addresses = addresses
    }

    /// The number of cores available to the process.
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
