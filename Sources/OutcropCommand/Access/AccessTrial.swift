// SPDX-License-Identifier: Apache-2.0

// Access rules, tried on the objects of a store.

import AccessRules
import Arguments
import Identities
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI

/// A store, and the rules of a file for its objects.
struct AccessTrial {
    let policy: AccessPolicy
    let model: Model
    private let api: API

    init(_ file: String, store: StoreLocation, model path: String?) throws {
        let opened = try StoreFiles.open(store, model: path)
        model = opened.model.model
        policy = try AccessCommand.policy(file, for: model)
        let coordinator = PersistentStoreCoordinator(model: opened.model)
        try coordinator.add(opened.store, configuration: opened.configuration)
        do {
            api = try API(coordinator)
        } catch {
            throw Failure("The model's names are ambiguous, so that its objects can't be served.")
        }
    }

    /// An identity with some roles, or with those of an account. Nil if there is no such account.
    ///
    /// - Parameters:
    ///   - roles: The roles; nil for the account's own.
    ///   - user: The account's object, such as `users/1`.
    func identity(roles: Set<String>?, claims: JSONObject = JSONObject(), user: String?) throws -> Identity? {
        guard let user else { return Identity(name: "trial", roles: roles ?? [], claims: claims) }
        guard var identity = try api.identity(ofAccount: user, by: policy) else { return nil }
        identity.claims = claims
        if let roles { identity.roles = roles }
        return identity
    }

    /// What an identity may do with an object, such as `posts/1`. Nil if there is no such object.
    func permissions(of identity: Identity, on object: String) throws -> Set<AccessVerb>? {
        try api.permissions(of: identity, by: policy, on: object)
    }

    /// Whether a rule permits creating some object of an entity.
    func permitsCreation(of entity: Entity, by roles: Set<String>) -> Bool {
        let roles = policy.closure(of: roles)
        let lineage = [entity.name] + model.ancestors(of: entity).map(\.name)
        return policy.administers(roles) || !policy.alternatives(for: .create, lineage: lineage, roles: roles).isEmpty
    }

    /// The entity with a name, or with a name in paths.
    func entity(named name: String) -> Entity? {
        model.entity(named: name) ?? model.entities.first { $0.userInfo["path"] == name }
    }
}
