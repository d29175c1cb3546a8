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
            case .unix(let socket, _): "curl\(options) --unix-socket \(socket) 'http://localhost\(path)'"
            default: "curl\(options) '\(address.location(isSecure: isSecure))\(path)'"
            }
        }
        guard let policy else { return [curl(path(of: stack.counts.max { $0.objects < $1.objects }?.entity))] }
        if let entity = entityForEverybody(by: policy) { return [curl(path(of: entity))] }
        if permitsSignUps(by: policy) {
            return [curl("/api/auth/sign-up") + #" --json '{"name":"ana@example.org","password":"correct horse"}'"#]
        }
        guard let role = policy.usefulRole, let storeOfKeys else { return [] }
        let entity = stack.counts.max { $0.objects < $1.objects }?.entity
        return [
            "KEY=$(outcrop keys add \(storeOfKeys) --role \(role))",
            curl(path(of: entity), #" -H "Authorization: Bearer $KEY""#),
        ]
    }

    private func path(of entity: EntityDescription?) -> String {
        entity.map { "/api/\($0.apiPath)?limit=2" } ?? "/api"
    }

    /// The entity with most objects among those that may be read without a credential.
    private func entityForEverybody(by policy: AccessPolicy) -> EntityDescription? {
        stack.counts.filter { permitsEverybody(.read, $0.entity, by: policy) }.max { $0.objects < $1.objects }?.entity
    }

    private func permitsSignUps(by policy: AccessPolicy) -> Bool {
        guard let name = policy.identity.accounts?.entity,
            let entity = stack.coordinator.model.entity(named: name)
        else { return false }
        return permitsEverybody(.create, entity, by: policy)
    }

    private func permitsEverybody(_ verb: AccessVerb, _ entity: EntityDescription, by policy: AccessPolicy) -> Bool {
        let model = stack.coordinator.model.model
        let lineage = model.lineage(of: entity.entity).map(\.name)
        let roles = policy.closure(of: [policy.identity.anonymousRole].compactMap(\.self))
        return !policy.alternatives(for: verb, lineage: lineage, roles: roles).isEmpty
    }
}

extension AccessPolicy {
    /// A role whose key may read something: one that administers, or else the first one.
    fileprivate var usefulRole: String? {
        let names = roles.keys.sorted()
        return names.first { roles[$0]?.administers == true } ?? names.first
    }
}
