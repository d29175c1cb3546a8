// SPDX-License-Identifier: Apache-2.0

// One change of playlists by titles, so that it can be made in a context and to a pending state.

/// A change that a random test has made.
enum PlaylistEdit: Sendable {
    case insert(entity: String, title: String)
    case note(String, title: String)
    case delete(title: String)
    case relate(title: String, name: String, other: String)
    case unrelate(title: String, name: String, other: String)
    case set(title: String, name: String, members: [String])
}
