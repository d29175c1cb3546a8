// SPDX-License-Identifier: Apache-2.0

// A connection before a loop has it.

import Synchronization

/// A connection, and its place among all of the server, which is free again when it goes.
final class AcceptedConnection: Sendable {
    let socket: Socket
    /// Who sends, as applications are told.
    let client: String
    /// Whether it came in where this machine alone can connect.
    let isLocal: Bool
    /// Whether it can't be known without sending that the other side has gone.
    let isRemote: Bool
    /// Whether there is no place for it, so that it is told so and closed.
    let isSurplus: Bool
    /// Who counts as one client; none for those of this machine's files.
    let key: [UInt8]?
    private let census: Census

    init(_ socket: Socket, client: String, isLocal: Bool, key: [UInt8]?, isSurplus: Bool, census: Census) {
        self.socket = socket
        self.client = client
        self.isLocal = isLocal
        self.key = key
        self.isSurplus = isSurplus
        self.census = census
        isRemote = key != nil
    }

    deinit { census.leave(key, isSurplus: isSurplus) }
}
