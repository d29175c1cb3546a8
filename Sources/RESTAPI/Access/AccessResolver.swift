// SPDX-License-Identifier: Apache-2.0

// Reads what the rules need to know of an identity: its account, and the values of `$USER.path`.

import AccessRules
import JSON
import ObjectGraph
import Predicates

struct AccessResolver {
    let policy: AccessPolicy
    let identity: Identity
    let api: API

    private var roles: Set<String> { policy.closure(of: identity.roles) }
    private var model: ManagedObjectModel { api.catalogue.model }

    private var accounts: EntityDescription? {
        policy.identity.accounts.flatMap { model.entity(named: $0.entity) }
    }

    /// Whether there may be an account.
    private var namesUser: Bool {
        identity.account != nil || policy.identity.tokens?.user != nil && !identity.claims.isEmpty
    }

    /// The entities whose objects it reads.
    var dependencies: [EntityDescription] {
        guard namesUser, let accounts else { return [] }
        var indices = Set(accounts.kinds)
        if let condition = userCondition(on: accounts) {
            let read = EntityDependencies(condition, on: accounts, in: api.catalogue)
            indices.formUnion(read.isUnbounded ? Set(model.entities.indices) : read.indices)
        }
        let types = OperandTypeResolver(model: model, entity: accounts)
        for path in AccessValues.userPaths(in: policy, roles: roles) {
            var end = OperandType(kind: .object(accounts))
            for case .name(let name) in path {
                end = types.step(name, from: end)
                if case .object(let entity) = end.kind { indices.formUnion(entity.kinds) }
            }
        }
        return indices.sorted().map { model.entities[$0] }
    }

    /// The values without those of the account.
    private var valuesWithoutUser: AccessValues {
        AccessValues(
            policy: policy,
            identity: identity,
            user: nil,
            roles: roles,
            names: api.names,
            catalogue: api.catalogue
        )
    }

    /// The condition that finds the account of a token; nil for other identities.
    private func userCondition(on accounts: EntityDescription) -> ObjectPredicate? {
        guard identity.account == nil else { return nil }
        return policy.identity.tokens?.user.map { valuesWithoutUser.filled($0, on: accounts) }
    }

    func access() throws -> Access {
        var values = valuesWithoutUser
        var user: ManagedObjectID?
        if namesUser, let accounts {
            let condition = userCondition(on: accounts)
            let paths = AccessValues.userPaths(in: policy, roles: roles)
            (user, values.userValues) = try api.coordinator.read { reader in
                let rows: [Snapshot]
                if let uri = identity.account {
                    let account = api.names.objectID(forURI: uri)
                    rows = try account.map { try reader.snapshots(of: [$0]).compactMap(\.self) } ?? []
                    guard !rows.isEmpty else { throw Problem.invalidCredential }
                } else {
                    var request = FetchRequest<ManagedObject>(accounts.name)
                    request.predicate = condition
                    request.fetchLimit = 2
                    rows = try reader.snapshots(request)
                }
                // An ambiguous claim names no account.
                guard rows.count == 1 else { return (nil, [:]) }
                let object = EvaluatedRow(snapshot: rows[0], reader: reader)
                var found: [String: Value] = [:]
                for path in paths {
                    let expression = ObjectExpression.keyPath(of: .evaluatedObject, path)
                    found[path.map(\.text).joined(separator: ".")] = try expression.evaluate(with: object).constant
                }
                return (rows[0].objectID, found)
            }
        }
        values = AccessValues(
            policy: policy,
            identity: identity,
            user: user,
            roles: roles,
            names: api.names,
            catalogue: api.catalogue,
            userValues: values.userValues.filter { $0.value != .null },
            dependencies: dependencies
        )
        return Access(policy, for: identity, as: user, in: model, values: values)
    }
}
