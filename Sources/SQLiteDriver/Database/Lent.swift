// SPDX-License-Identifier: Apache-2.0

// A connection on its way from one thread to another.

/// A connection that has one holder at a time.
// Sendable though a connection is not: it is used only by the thread that has taken it out of a pool's state, leads the
// writer or holds a snapshot's lock, and each of these hands it on under a lock.
struct Lent: @unchecked Sendable {
    let connection: Connection
}
