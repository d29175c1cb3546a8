// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An accepted connection. Its place among the server's connections is free again when it is released.
final class AcceptedConnection: Sendable {
    let socket: Socket
    let service: ListeningSocket.Service
    /// The client's address as given to applications.
    let client: String
    /// Whether only this machine can connect to the listening address.
    let isLocal: Bool
    /// Whether a disconnected peer can only be detected by sending.
    let isRemote: Bool
    /// Whether the connection exceeds a limit, so that it is refused and closed.
    let isSurplus: Bool
    /// The key by which connections are counted per client, or nil for Unix sockets.
    let key: [UInt8]?
    private let connectionCounter: ConnectionCounter

    init(
        _ socket: Socket,
        for service: ListeningSocket.Service,
        client: String,
        isLocal: Bool,
        key: [UInt8]?,
        isSurplus: Bool,
        connectionCounter: ConnectionCounter
    ) {
        self.socket = socket
        self.service = service
        self.client = client
        self.isLocal = isLocal
        self.key = key
        self.isSurplus = isSurplus
        self.connectionCounter = connectionCounter
        isRemote = key != nil
    }

    deinit { connectionCounter.remove(key, isSurplus: isSurplus) }
}
