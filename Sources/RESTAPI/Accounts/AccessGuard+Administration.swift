// SPDX-License-Identifier: Apache-2.0

// The APIs of identities that administer.

import AccessRules
import ObjectGraph
import ObjectModel
import Synchronization

extension AccessGuard {
    /// The API of an identity that administers: it has all names but those of passwords.
    func administration(
        of base: API,
        for identity: Identity,
        _ accounts: ServedAccounts?,
        _ policy: AccessPolicy,
        _ edition: Int
    ) throws -> API {
        func api(_ catalogue: Catalogue, drafts: Catalogue?) -> API {
            let rules = ServedRules(policy, of: base)
            return API(
                administering: base,
                as: catalogue,
                drafts: drafts,
                for: identity,
                by: rules,
                accounts: accounts
            )
        }
        guard let settings = policy.identity.accounts else { return api(base.catalogue, drafts: nil) }
        let same = state.withLock { state in
            state.known.values.lazy.filter { $0.edition == edition }.map(\.api).first {
                $0.access == nil && $0.coordinator === base.coordinator
            }
        }
        if let same, let drafts = same.drafts {
            return api(same.catalogue, drafts: drafts)
        }
        let model = base.catalogue.model
        let visible = try ManagedObjectModel(model.model.withoutPasswords(of: settings))
        let view = ModelView(ShapeMapping(of: model.model, showing: visible.model), of: model, in: visible)
        return api(
            try Catalogue(view, migrationCount: base.coordinator.migrationCount),
            drafts: try Catalogue(view, includesTransients: true)
        )
    }
}
