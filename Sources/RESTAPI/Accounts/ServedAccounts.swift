// SPDX-License-Identifier: Apache-2.0

// The accounts of an API.

import AccessRules
import ObjectGraph
import ObjectModel
import Predicates

/// What an access file says of accounts, in the served model.
struct ServedAccounts: Sendable {
    let accounts: Accounts
    let policy: AccessPolicy
    let entity: EntityDescription
    /// The entity and its subentities.
    let kinds: [EntityDescription]
    let name: AttributeDescription
    let password: AttributeDescription
    let roles: AttributeDescription?
    let verified: AttributeDescription?
    /// Nil if accounts get no messages.
    let messages: MessageSettings?
    private weak let accessGuard: AccessGuard?
    private weak let base: API?

    /// Nil if there are no accounts, or not in this model.
    init?(_ accounts: Accounts?, _ policy: AccessPolicy, by accessGuard: AccessGuard, of base: API) {
        let model = base.catalogue.model
        guard let accounts, let settings = policy.identity.accounts,
            let entity = model.entity(named: settings.entity), let name = entity.attribute(named: settings.name),
            let password = entity.attribute(named: settings.password)
        else { return nil }
        self.accounts = accounts
        self.policy = policy
        self.entity = entity
        self.name = name
        self.password = password
        kinds = Array(model.kinds(of: entity))
        roles = settings.roles.flatMap(entity.attribute(named:))
        verified = settings.verified.flatMap(entity.attribute(named:))
        messages = settings.messages
        self.accessGuard = accessGuard
        self.base = base
    }

    /// The roles of an account, by the value of its attribute. Names that aren't roles are ignored.
    func roles(of row: Snapshot) -> Set<String> {
        guard let roles, case .string(let text) = row.row.attributes[roles.slot] else {
            return policy.accountRoles(named: nil)
        }
        return policy.accountRoles(named: text)
    }

    /// The account's object with a URI, which may not exist.
    func objectID(forURI uri: String) -> ManagedObjectID? {
        guard let objectID = base?.names.objectID(forURI: uri), objectID.entity.isKind(of: entity) else { return nil }
        return objectID
    }

    func reference(to objectID: ManagedObjectID) -> String {
        base?.catalogue.reference(to: objectID) ?? objectID.uri
    }

    /// The API of an account, as for the account's own requests.
    func api(of objectID: ManagedObjectID) throws(Problem) -> API {
        guard let accessGuard, let base else { throw .draining }
        let identity = Identity(name: reference(to: objectID), roles: [], account: objectID.uri)
        return try accessGuard.api(for: identity, of: base)
    }
}
