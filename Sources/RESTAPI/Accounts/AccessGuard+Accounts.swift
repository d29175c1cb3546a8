// SPDX-License-Identifier: Apache-2.0

// The accounts of identities, and their roles.

import AccessRules
import Basics
import HTTPMessage
import ObjectGraph
import Synchronization

/// The roles of an account.
struct KnownRoles: Sendable {
    let roles: Set<String>
    /// The state of the entity of accounts.
    let counter: UInt64
    /// The number of the rules.
    let edition: Int
}

extension AccessGuard {
    /// The accounts by the present rules; nil if there are none.
    func served(to base: API) -> ServedAccounts? {
        guard let accounts else { return nil }
        let (known, policy, edition) = state.withLock { ($0.served, $0.policy, $0.edition) }
        if let known { return known }
        let served = ServedAccounts(accounts, policy, by: self, of: base)
        state.withLock { state in
            if state.edition == edition { state.served = .some(served) }
        }
        return served
    }

    /// An identity with the roles of its account.
    ///
    /// - Parameter reading: Whether the account's object may be read.
    /// - Returns: Nil if the object would have to be read.
    func resolved(_ identity: Identity, of base: API, reading: Bool = true) throws(Problem) -> Identity? {
        guard let uri = identity.account else { return identity }
        guard let accounts = served(to: base), let objectID = accounts.objectID(forURI: uri) else {
            throw .invalidCredential
        }
        if reading { base.coordinator.noticeOtherWriters() }
        let counter = base.coordinator.changeCounter(of: accounts.kinds)
        let (known, edition) = state.withLock { ($0.roles[objectID], $0.edition) }
        var resolved = identity
        if let known, known.counter == counter, known.edition == edition {
            resolved.roles.formUnion(known.roles)
            return resolved
        }
        guard reading else { return nil }
        let row: Snapshot?
        do {
            row = try base.coordinator.read { try $0.snapshots(of: [objectID])[0] }
        } catch {
            throw (error as? GraphError).map { Problem($0, in: base.catalogue) } ?? .failed(error)
        }
        // The object was deleted.
        guard let row else { throw .invalidCredential }
        let roles = accounts.roles(of: row)
        accounts.accounts.record(roles, of: uri)
        state.withLock { state in
            if state.roles.count >= Self.roleLimit { state.roles = [:] }
            state.roles[objectID] = KnownRoles(roles: roles, counter: counter, edition: edition)
        }
        resolved.roles.formUnion(roles)
        return resolved
    }

    private static let roleLimit = 10_000

    /// The URI of the account with a reference, `users/7`.
    func account(named reference: String, in base: API) -> String? {
        guard let accounts = served(to: base), let (resource, key) = base.catalogue.parts(ofReference: reference),
            resource.entity.isKind(of: accounts.entity)
        else { return nil }
        return base.names.objectID(of: resource, key: key)?.uri
    }

    /// The identity as which an administrator acts: `role=member`, `role=member,editor` or `users/7`.
    private func acted(_ text: String, by administrator: Identity, in base: API) throws(Problem) -> Identity {
        let policy = self.policy
        let prefix = "role="
        let name = "\(administrator.name) as \(text)"
        if !text.hasPrefix(prefix), let account = account(named: text, in: base) {
            return Identity(name: name, roles: [], account: account)
        }
        let names = text.dropFirst(prefix.count).split(separator: ",").map(String.init)
        guard text.hasPrefix(prefix), !names.isEmpty, names.allSatisfy({ policy.roles[$0] != nil }) else {
            throw Problem(
                .malformed,
                "“Act-As” must name roles or an account.",
                hint: "Write “Act-As: role=…”. Roles: \(policy.roles.keys.sorted().joined(separator: ", "))."
            )
        }
        return Identity(name: name, roles: Set(names), subject: administrator.owner.map { "\($0) as \(text)" })
    }

    /// The identity as which an administrator acts, with the roles of its account.
    ///
    /// - Returns: Nil if the object would have to be read.
    func resolved(
        actingAs text: String,
        by administrator: Identity,
        explaining isExplained: Bool,
        in base: API,
        reading: Bool
    ) throws(Problem) -> Identity? {
        var acted = try acted(text, by: administrator, in: base)
        acted.isExplained = isExplained
        do throws(Problem) {
            return try resolved(acted, of: base, reading: reading)
        } catch {
            guard error.code == .unauthenticated else { throw error }
            throw Problem(
                .notFound,
                "“Act-As” names an account that doesn't exist: \(text).",
                hint: "Name the object of an account, or roles: “Act-As: role=…”."
            )
        }
    }

    /// The lane of a request with a password; nil for others.
    func passwordLane(of request: HTTPRequest, to base: API) -> Int? {
        guard accounts != nil, request.method == .post, base.endpoint(of: request)?.contract.work == .password else {
            return nil
        }
        let sender = RequestSender(request).address ?? ""
        return Int(Array(sender.utf8).fnv1a % UInt64(AccountPasswords.laneCount))
    }
}
