// SPDX-License-Identifier: Apache-2.0

// Commands to begin with, which are answered under the access rules that are in force.

import AccessRules
import HTTPServer
import Identities
import ObjectGraph
import ObjectModel

extension StartupMessage {
    /// Commands that show objects: without a credential if it suffices, or else after a sign-up, or with a key.
    var examples: [String] {
        guard let address = addresses.first else { return [] }
        func curl(_ path: String, _ options: String = "") -> String {
            switch address {
            case .unix(let socket, _): "curl\(options) --unix-socket \(socket.quotedForShell) 'http://localhost\(path)'"
            default: "curl\(options) '\(address.location(isSecure: isSecure))\(path)'"
            }
        }
        guard let policy else { return [curl(path(of: stack.counts.max { $0.objects < $1.objects }?.entity))] }
        if let entity = entityForEverybody(by: policy) { return [curl(path(of: entity))] }
        if permitsSignUps(by: policy) {
            return [curl("/api/auth/sign-up") + #" --json '{"name":"ana@example.org","password":"correct horse"}'"#]
        }
        guard let storeOfKeys, let (role, entity) = roleThatReads(by: policy) else { return [] }
        return [
            "KEY=$(outcrop keys add \(storeOfKeys.quotedForShell) --role \(role.quotedForShell))",
            curl(path(of: entity), #" -H "Authorization: Bearer $KEY""#),
        ]
    }

    private func path(of entity: EntityDescription?) -> String {
        entity.map { "/api/\($0.apiPath)?limit=2" } ?? "/api"
    }

    /// The entity with most objects among those that may be read without a credential.
    private func entityForEverybody(by policy: AccessPolicy) -> EntityDescription? {
        largestEntity { permitsEverybody(.read, $0, by: policy) }
    }

    /// A role whose key may read something, and the largest entity that it may read: a role that administers if there is one.
    private func roleThatReads(by policy: AccessPolicy) -> (role: String, entity: EntityDescription?)? {
        let names = policy.roles.keys.sorted()
        if let name = names.first(where: { policy.roles[$0]?.administers == true }) {
            return (name, largestEntity { _ in true })
        }
        return names.lazy.compactMap { name in
            largestEntity { permits(.read, $0, to: [name], by: policy) }.map { (name, $0) }
        }.first
    }

    private func largestEntity(where isSuitable: (EntityDescription) -> Bool) -> EntityDescription? {
        stack.counts.filter { isSuitable($0.entity) }.max { $0.objects < $1.objects }?.entity
    }

    private func permitsSignUps(by policy: AccessPolicy) -> Bool {
        guard let name = policy.identity.accounts?.entity,
            let entity = stack.coordinator.model.entity(named: name)
        else { return false }
        return permitsEverybody(.create, entity, by: policy)
    }

    private func permitsEverybody(_ verb: AccessVerb, _ entity: EntityDescription, by policy: AccessPolicy) -> Bool {
        permits(verb, entity, to: [policy.identity.anonymousRole].compactMap(\.self), by: policy)
    }

    private func permits(
        _ verb: AccessVerb,
        _ entity: EntityDescription,
        to roles: [String],
        by policy: AccessPolicy
    ) -> Bool {
        let model = stack.coordinator.model.model
        let lineage = [entity.name] + model.ancestors(of: entity.entity).map(\.name)
        return !policy.alternatives(for: verb, lineage: lineage, roles: policy.closure(of: roles)).isEmpty
    }
}
