// SPDX-License-Identifier: Apache-2.0

// Moves a connection from one thread to another.

/// A connection with one owner at a time.
// Sendable though a connection is not: only its owner uses it (a pool's client, the leading writer or the holder of a
// snapshot's lock), and ownership passes under a lock.
struct ConnectionLease: @unchecked Sendable {
    let connection: Connection
}
