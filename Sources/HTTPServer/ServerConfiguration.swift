// SPDX-License-Identifier: Apache-2.0

// How a server is set up.

import Glibc

/// Where a server listens, and with how many threads it works.
///
///     var configuration = ServerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 8080)])
///     configuration.limits.connections = 500
public struct ServerConfiguration: Hashable, Sendable {
    public var addresses: [ListenAddress]
    /// Threads with an event loop each, which read, answer from memory, and send. One for each core by default.
    public var loops = Self.coreCount
    /// Threads that answer what may wait.
    public var workers = max(4, 2 * Self.coreCount) + 1
    /// Threads that one client may have at a time of each kind: for requests that may wait for others' locks, and for those that don't.
    /// Of both kinds it may have as many and the spare ones, and then half of the queue. Nil for all workers but one, which others
    /// find free; as many as there are workers is no bound.
    public var workersPerClient: Int?
    /// Threads for requests and answers that are streamed, so that one that takes long never delays what doesn't.
    public var streamWorkers = 16
    /// Threads that there are besides the workers, for requests that don't write while so many wait to write as there are workers.
    public var spareWorkers: Int { max(1, workers / 2) }
    /// Threads for requests about the server itself, of which one client may have all but one.
    public var probeWorkers: Int { 2 }
    var spareStreamWorkers: Int { max(1, streamWorkers / 2) }
    public var limits = ServerLimits()
    /// The seconds after which a refused client is told to try again.
    public var retryAfter = 1
    /// How long connections that were used a moment ago are kept when the server drains, for a request that is under way.
    public var farewell = Duration.milliseconds(250)
    /// How often deadlines are looked at, and clients that may have gone.
    public var tick = Duration.milliseconds(250)

    public init(addresses: [ListenAddress]) {
        self.addresses = addresses
    }

    /// The cores that this process may run on.
    public static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
