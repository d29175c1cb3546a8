// SPDX-License-Identifier: Apache-2.0

// Makes the APIs of identities, and keeps them.

import AccessRules
import ObjectGraph
import ObjectModel
import Synchronization

extension AccessGuard {
    /// How many identities' APIs are kept.
    private static let limit = 1_000

    /// The API for requests of an identity.
    func api(for identity: Identity, of base: API) throws(Problem) -> API {
        guard let resolved = try resolved(identity, of: base) else { throw .busy }
        let isRestricted = !policy.administers(policy.closure(of: resolved.roles))
        return try api(for: resolved, isRestricted, of: base)
    }

    func api(for identity: Identity, _ isRestricted: Bool, of base: API) throws(Problem) -> API {
        if let known = known(identity, isRestricted, of: base) { return known }
        return try made(for: identity, isRestricted, of: base)
    }

    func known(_ identity: Identity, _ isRestricted: Bool, of base: API) -> API? {
        let known = state.withLock { state -> Known? in
            guard let known = state.known[identity], known.edition == state.edition,
                known.api.coordinator === base.coordinator, (known.api.access != nil) == isRestricted
            else { return nil }
            state.uses += 1
            known.recordUse(state.uses)
            return known
        }
        guard let known, known.counter == base.coordinator.changeCounter(of: known.api.access?.dependencies ?? [])
        else {
            return nil
        }
        return known.api
    }

    private func made(for identity: Identity, _ isRestricted: Bool, of base: API) throws(Problem) -> API {
        let api: API
        var counter: UInt64 = 0
        let (policy, edition) = state.withLock { ($0.policy, $0.edition) }
        let accounts = served(to: base)
        do {
            if isRestricted {
                let resolver = AccessResolver(policy: policy, identity: identity, api: base)
                counter = base.coordinator.changeCounter(of: resolver.dependencies)
                let access = try resolver.access()
                if let former = former(identity, edition, of: base), former.access?.isEqual(to: access) == true {
                    api = former
                } else {
                    let (catalogue, drafts) = try names(for: access, of: base, edition)
                    let rules = ServedRules(policy, of: base)
                    api = API(
                        viewing: base,
                        as: catalogue,
                        drafts: drafts,
                        for: access,
                        by: rules,
                        accounts: accounts
                    )
                }
            } else {
                api = try administration(of: base, for: identity, accounts, policy, edition)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .failed(error)
        }
        state.withLock { state in
            if state.known.count >= Self.limit,
                let oldest = state.known.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.known[oldest.key] = nil
            }
            state.uses += 1
            state.known[identity] = Known(api, counter: counter, edition: edition, use: state.uses)
        }
        return api
    }

    /// The API that an identity had before something changed that it might depend on. It stays if nothing else is permitted
    /// now, with its live queries.
    private func former(_ identity: Identity, _ edition: Int, of base: API) -> API? {
        let known = state.withLock { $0.known[identity] }
        guard let known, known.edition == edition, known.api.coordinator === base.coordinator else { return nil }
        return known.api
    }

    /// The names that an identity knows. Identities with the same roles share them.
    private func names(
        for access: Access,
        of base: API,
        _ edition: Int
    ) throws -> (catalogue: Catalogue, drafts: Catalogue?) {
        if access.knowsWholeModel { return (base.catalogue, nil) }
        let same = state.withLock { state in
            state.known.values.lazy.filter { $0.edition == edition }.map(\.api).first { api in
                guard let other = api.access, api.coordinator === base.coordinator else { return false }
                return other.roles == access.roles && other.identity.grants == access.identity.grants
            }
        }
        if let same { return (same.catalogue, same.drafts) }
        let visible = try ManagedObjectModel(access.visibleModel())
        let mapping = ShapeMapping(of: base.catalogue.model.model, showing: visible.model)
        let view = ModelView(mapping, of: base.catalogue.model, in: visible, isOfIdentity: true)
        return (
            try Catalogue(view, migrationCount: base.coordinator.migrationCount),
            try Catalogue(view, includesTransients: true)
        )
    }
}
