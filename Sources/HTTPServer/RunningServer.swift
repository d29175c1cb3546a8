// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Dispatch
import HTTPMessage
import Synchronization

/// A started server: its threads, and the state that they share.
final class RunningServer: Sendable {
    /// How long to wait for cancelled requests.
    private static let grace = Duration.seconds(5)

    let server: ServerContext
    let addresses: [ListenAddress]
    let redirectAddresses: [ListenAddress]
    private let loops: [WorkerThread]
    private let memory = MemoryTrim()
    private let isOver = DispatchSemaphore(value: 0)

    init(
        _ application: any HTTPApplication,
        configuration: ServerConfiguration,
        tls: TLSServer?
    ) throws(ServerError) {
        var configuration = configuration
        configuration.limits.connections = try DescriptorLimit.room(for: configuration.limits.connections)
        var sockets: [ListeningSocket] = []
        let service: ListeningSocket.Service = tls == nil ? .plain : .secure
        for address in configuration.addresses { sockets += try ListeningSocket.listen(at: address, for: service) }
        addresses = sockets.map(\.address)
        let port = sockets.lazy.filter { $0.service == .secure }.compactMap(\.address.port).first
        var redirecting: [ListeningSocket] = []
        for address in configuration.redirectAddresses {
            redirecting += try ListeningSocket.listen(at: address, for: .redirect)
        }
        redirectAddresses = redirecting.map(\.address)
        sockets += redirecting
        let server = try ServerContext(application, configuration: configuration, tls: tls, securePort: port ?? 443)
        self.server = server
        var loops: [WorkerThread] = []
        do throws(ServerError) {
            for index in server.mailboxes.indices {
                loops.append(try Self.startLoop(server, index))
            }
        } catch {
            Self.end(server, loops)
            throw error
        }
        self.loops = loops
        for socket in sockets { server.mailboxes[0].post(.listen(socket)) }
    }

    /// Ends the server when all connections are closed or time is up. Returns whether all finished.
    func end(within limit: Duration) -> Bool {
        server.drain()
        for mailbox in server.mailboxes { mailbox.post(.drain) }
        let isEmpty = server.connectionCounter.waitUntilEmpty(limit)
        let hasEnded = Self.end(server, loops)
        isOver.signal()
        return isEmpty && hasEnded
    }

    func wait() {
        isOver.wait()
        isOver.signal()
    }

    @discardableResult
    private static func end(_ server: ServerContext, _ loops: [WorkerThread]) -> Bool {
        for mailbox in server.mailboxes { mailbox.post(.stop) }
        for loop in loops { loop.join() }
        server.handshakes?.stop()
        let haveEnded = [server.workers, server.probes, server.streams].map { $0.stop(within: grace) }
        return haveEnded.allSatisfy(\.self)
    }

    /// Starts an event loop's thread and waits until it is ready.
    private static func startLoop(
        _ server: ServerContext,
        _ index: Int
    ) throws(ServerError) -> WorkerThread {
        let isReady = DispatchSemaphore(value: 0)
        let failed = Failure()
        let thread = try WorkerThread("loop-\(index)") {
            do throws(ServerError) {
                let loop = try EventLoop(server, index: index)
                isReady.signal()
                loop.run()
            } catch {
                failed.error.withLock { $0 = error }
                isReady.signal()
            }
        }
        isReady.wait()
        guard let error = failed.error.withLock({ $0 }) else { return thread }
        thread.join()
        throw error
    }

    private final class Failure: Sendable {
        let error = Mutex<ServerError?>(nil)
    }
}
