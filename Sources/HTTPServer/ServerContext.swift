// SPDX-License-Identifier: Apache-2.0

// The state shared by all threads of a server.

import Cryptography
import HTTPMessage
import Synchronization

final class ServerContext: Sendable {
    let application: any HTTPApplication
    /// What answers at addresses that redirect.
    let redirection: RedirectingApplication
    let tls: TLSServer?
    /// Nil without TLS.
    let handshakes: HandshakeThreads?
    /// The value of the field that tells browsers to use only TLS.
    let transportSecurityPolicy: String?
    let configuration: ServerConfiguration
    let workers: WorkerPool
    /// What answers requests about the server itself.
    let probes: WorkerPool
    let streams: WorkerPool
    let connectionCounter = ConnectionCounter()
    let requestLimiter: RequestLimiter
    let bodies: MemoryBudget
    let mailboxes: [LoopMailbox]
    private let draining = Atomic(false)

    /// - Parameter securePort: The port to which requests are redirected.
    init(
        _ application: any HTTPApplication,
        configuration: ServerConfiguration,
        tls: TLSServer?,
        securePort: Int
    ) throws(ServerError) {
        self.application = application
        redirection = RedirectingApplication(base: application, port: securePort)
        self.tls = tls
        transportSecurityPolicy = configuration.strictTransportSecurity.map { "max-age=\($0.components.seconds)" }
        self.configuration = configuration
        let limits = configuration.limits
        bodies = MemoryBudget(limits.bodiesInMemory)
        requestLimiter = RequestLimiter(limit: limits.requestsInFlight)
        var mailboxes: [LoopMailbox] = []
        for _ in 0..<max(1, configuration.loops) { mailboxes.append(try LoopMailbox()) }
        self.mailboxes = mailboxes
        // All pools share the lanes.
        let lanes = Lanes()
        workers = try WorkerPool(
            "worker",
            threads: configuration.workers,
            spare: configuration.spareWorkers,
            perClient: configuration.workersPerClient ?? configuration.workers - 1,
            queueLength: limits.queuedRequests,
            lanes: lanes
        )
        do throws(ServerError) {
            probes = try WorkerPool(
                "probes",
                threads: configuration.probeWorkers,
                spare: 0,
                perClient: configuration.probeWorkers - 1,
                queueLength: configuration.probeWorkers * 16,
                lanes: lanes
            )
        } catch {
            workers.stop(within: .seconds(1))
            throw error
        }
        do throws(ServerError) {
            streams = try WorkerPool(
                "streams",
                threads: configuration.streamWorkers,
                spare: configuration.spareStreamWorkers,
                perClient: limits.streamsPerClient,
                queueLength: limits.queuedStreams,
                lanes: lanes
            )
        } catch {
            workers.stop(within: .seconds(1))
            probes.stop(within: .seconds(1))
            throw error
        }
        do throws(ServerError) {
            handshakes = try tls.map { _ throws(ServerError) in
                try HandshakeThreads(count: configuration.handshakeThreads)
            }
        } catch {
            for pool in [workers, probes, streams] { pool.stop(within: .seconds(1)) }
            throw error
        }
    }

    var limits: ServerLimits { configuration.limits }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    func overload(_ limit: String) -> HTTPRefusal {
        HTTPRefusal(
            .serviceUnavailable,
            "The server is busy. Try again later.",
            limit: limit,
            retryAfter: configuration.retryAfter
        )
    }
}
