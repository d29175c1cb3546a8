// SPDX-License-Identifier: Apache-2.0

// The APIs of identities that administer, if there are accounts.

import AccessRules
import ObjectGraph
import ObjectModel
import Synchronization

extension AccessGuard {
    /// The API of an identity that administers, if there are accounts: it doesn't see passwords.
    func administration(
        of base: API,
        for identity: Identity,
        _ accounts: ServedAccounts?,
        _ policy: AccessPolicy,
        _ edition: Int
    ) throws -> API {
        guard let settings = policy.identity.accounts else { return base }
        let same = state.withLock { state in
            state.known.values.lazy.filter { $0.edition == edition }.map(\.api).first {
                $0.access == nil && $0.coordinator === base.coordinator
            }
        }
        if let same, let drafts = same.drafts {
            return API(administering: base, as: same.catalogue, drafts: drafts, for: identity, accounts: accounts)
        }
        let model = base.catalogue.model
        let visible = try ManagedObjectModel(model.model.withoutPasswords(of: settings))
        let view = ModelView(ShapeMapping(of: model.model, showing: visible.model), of: model, in: visible)
        return API(
            administering: base,
            as: try Catalogue(view, migrationCount: base.coordinator.migrationCount),
            drafts: try Catalogue(view, includesTransients: true),
            for: identity,
            accounts: accounts
        )
    }
}
