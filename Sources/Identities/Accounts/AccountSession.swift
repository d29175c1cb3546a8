// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A sign-in of an account. It is continued by its refresh token, of which only a hash is kept.
package struct AccountSession: Hashable, Sendable, Identifiable {
    package let id: String
    /// The URI of the account's object.
    package let account: String
    package let created: Date
    /// The last time that it was continued.
    package var used: Date
    /// When it ends unless it is continued before.
    package var expires: Date
    /// SHA-256 of the secret in the current refresh token.
    var hash: [UInt8]

    package func hasExpired(at now: Date) -> Bool { now >= expires }
}

/// A line of a file of sessions.
enum SessionEntry: Hashable, Sendable {
    /// A new session, or a changed one.
    case session(AccountSession)
    /// Sessions that have ended.
    case ended([String])
}

/// Sessions by their IDs.
struct SessionTable: Sendable {
    private var sessions: [String: AccountSession] = [:]
    private var ids: [String: Set<String>] = [:]

    var count: Int { sessions.count }

    /// All sessions, with the one first that wasn't continued for the longest time.
    var all: [AccountSession] { sessions.values.sorted { ($0.used, $0.id) < ($1.used, $1.id) } }

    subscript(id: String) -> AccountSession? { sessions[id] }

    /// The sessions of an account, with the one first that wasn't continued for the longest time.
    func sessions(of account: String) -> [AccountSession] {
        (ids[account] ?? []).compactMap { sessions[$0] }.sorted { ($0.used, $0.id) < ($1.used, $1.id) }
    }

    mutating func apply(_ entries: [SessionEntry]) {
        for entry in entries {
            switch entry {
            case .session(let session):
                remove(session.id)
                sessions[session.id] = session
                ids[session.account, default: []].insert(session.id)
            case .ended(let ended):
                for id in ended { remove(id) }
            }
        }
    }

    private mutating func remove(_ id: String) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        ids[session.account]?.remove(id)
        if ids[session.account]?.isEmpty == true { ids[session.account] = nil }
    }
}
