// SPDX-License-Identifier: Apache-2.0

// What an API is made of. The APIs of identities, of other versions of the model and of editing contexts are made of the parts
// of the server's own API, with some of them replaced.

package import ObjectGraph
import ObjectModel

struct APIParts: Sendable {
    // MARK: Shared by all APIs of a server

    let coordinator: PersistentStoreCoordinator
    /// Called with errors of the server.
    let onFailure: @Sendable (APIFailure) -> Void
    let objectPathParser: ObjectPathParser
    let statistics: RequestStatistics
    /// The live queries of the stores, in all versions of the model.
    let liveQueries: LiveQueries
    let streamedStates = StreamedStates()
    let longTargets = LongTargets()
    let isDraining = SharedFlag()
    let crossSite: CrossSiteRules
    /// Identifies the served version of the model in answers.
    let modelVersion: String

    // MARK: What requests can name

    var catalogue: Catalogue
    /// The catalogue for editing contexts, if the API doesn't have the names of the served model.
    var drafts: Catalogue?
    /// The model as JSON, or nil if it can't be written as JSON.
    var modelJSON: [UInt8]?
    /// Resolves the names of objects in paths and bodies.
    var names: ObjectIDResolver
    /// The versions of the model that clients may name; nil within an editing context, and for other views of the model.
    var versions: ModelVersions?

    // MARK: What requests can reach

    var options: APIOptions
    /// The files served beside the API's own routes.
    var pages: (any Pages)?
    /// The editing contexts; nil within an editing context.
    var contexts: EditingContexts?
    /// Whether plans of fetches are kept.
    var keepsPlans = true
    /// Changes the model of the server; nil if requests may not do that.
    var modelChanger: ModelChanger?
    /// The hooks of the server; nil within an editing context, and if there are none.
    var hooks: Hooks?

    // MARK: The sender of the requests

    /// Finds the API of each identity; nil if the server has no access rules, and for the API of an identity.
    var accessGuard: AccessGuard?
    /// The rules of the server; nil for the server's own API, and if there are none.
    var rules: ServedRules?
    /// What the identity may do whose API this is; nil if everything is permitted.
    var access: Access?
    /// The identity whose API this is; nil for the server's own.
    var identity: Identity?
    /// The accounts; nil for the server's own API, and if there are none.
    var accounts: ServedAccounts?

    /// The parts of a server's own API. Throws if names of the model are ambiguous in paths.
    init(
        _ coordinator: PersistentStoreCoordinator,
        _ options: APIOptions,
        pages: (any Pages)?,
        statistics: RequestStatistics,
        modelChanger: ModelChanger?,
        hooks: Hooks?,
        accessGuard: AccessGuard?,
        onFailure: @escaping @Sendable (APIFailure) -> Void
    ) throws(CatalogueProblems) {
        let model = coordinator.model
        self.coordinator = coordinator
        self.options = options
        self.pages = pages
        self.onFailure = onFailure
        self.statistics = statistics
        self.modelChanger = modelChanger
        self.hooks = hooks
        self.accessGuard = accessGuard
        catalogue = try Catalogue(model, migrationCount: coordinator.migrationCount)
        objectPathParser = ObjectPathParser(catalogue)
        modelJSON = try? model.model.json()
        names = ObjectIDResolver(coordinator: coordinator, temporaryIDs: nil)
        contexts = EditingContexts(options)
        modelVersion = model.model.versionName
        liveQueries = LiveQueries(of: coordinator)
        versions = ModelVersions(options.modelVersions, served: model.model)
        crossSite = CrossSiteRules(options)
    }
}

extension API {
    /// The API within an editing context: with temporary objects, transient properties, and paths below the context's.
    convenience init(_ api: API, within catalogue: Catalogue, temporaryIDs: TemporaryIDs) {
        var parts = api.parts
        parts.catalogue = catalogue
        parts.names = ObjectIDResolver(coordinator: api.coordinator, temporaryIDs: temporaryIDs)
        parts.keepsPlans = false
        parts.drafts = nil
        parts.versions = nil
        parts.pages = nil
        parts.contexts = nil
        parts.modelChanger = nil
        parts.hooks = nil
        // A context is used by several identities, each with an API for it.
        parts.accessGuard = nil
        parts.rules = nil
        parts.access = nil
        parts.identity = nil
        parts.accounts = nil
        self.init(parts)
    }

    /// An API for clients of another version of the model.
    ///
    /// - Parameters:
    ///   - catalogue: The names of that version.
    ///   - drafts: The same for editing contexts; nil for the API within one.
    convenience init(viewing api: API, as catalogue: Catalogue, drafts: Catalogue? = nil) {
        var parts = api.parts
        parts.show(catalogue, drafts: drafts)
        parts.modelJSON = drafts.flatMap { try? $0.described.model.model.json() }
        self.init(parts)
    }

    /// An API for an identity that may do everything, but doesn't see passwords.
    ///
    /// - Parameters:
    ///   - catalogue: The names without those of passwords.
    ///   - drafts: The same for editing contexts; nil if all names are known.
    convenience init(
        administering api: API,
        as catalogue: Catalogue,
        drafts: Catalogue?,
        for identity: Identity,
        by rules: ServedRules,
        accounts: ServedAccounts?
    ) {
        var parts = api.parts
        // The model is shown whole, so that it can be changed and sent back.
        parts.show(catalogue, drafts: drafts)
        parts.rules = rules
        parts.identity = identity
        parts.accounts = accounts
        self.init(parts)
    }

    /// An API for an identity.
    ///
    /// - Parameters:
    ///   - catalogue: The names that the identity knows.
    ///   - drafts: The same for editing contexts; nil if it knows all names, and for the API within one.
    ///   - rules: Nil for the API within an editing context, like the accounts.
    convenience init(
        viewing api: API,
        as catalogue: Catalogue,
        drafts: Catalogue? = nil,
        for access: Access,
        by rules: ServedRules? = nil,
        accounts: ServedAccounts? = nil
    ) {
        var parts = api.parts
        parts.show(catalogue, drafts: drafts)
        parts.options = api.options.limited(by: access.limits)
        parts.modelJSON = try? catalogue.described.model.model.json()
        parts.modelChanger = nil
        parts.hooks = nil
        parts.rules = rules
        parts.access = access
        parts.identity = access.identity
        parts.accounts = accounts
        self.init(parts)
    }

    package var coordinator: PersistentStoreCoordinator { parts.coordinator }
    var onFailure: @Sendable (APIFailure) -> Void { parts.onFailure }
    var objectPathParser: ObjectPathParser { parts.objectPathParser }
    var statistics: RequestStatistics { parts.statistics }
    var liveQueries: LiveQueries { parts.liveQueries }
    var streamedStates: StreamedStates { parts.streamedStates }
    var longTargets: LongTargets { parts.longTargets }
    var isDraining: SharedFlag { parts.isDraining }
    var crossSite: CrossSiteRules { parts.crossSite }
    var modelVersion: String { parts.modelVersion }
    var catalogue: Catalogue { parts.catalogue }
    var drafts: Catalogue? { parts.drafts }
    var modelJSON: [UInt8]? { parts.modelJSON }
    var names: ObjectIDResolver { parts.names }
    var versions: ModelVersions? { parts.versions }
    var options: APIOptions { parts.options }
    var pages: (any Pages)? { parts.pages }
    var contexts: EditingContexts? { parts.contexts }
    var modelChanger: ModelChanger? { parts.modelChanger }
    var hooks: Hooks? { parts.hooks }
    var accessGuard: AccessGuard? { parts.accessGuard }
    var rules: ServedRules? { parts.rules }
    var access: Access? { parts.access }
    var identity: Identity? { parts.identity }
    var accounts: ServedAccounts? { parts.accounts }
}

extension APIParts {
    /// Replaces the names of the model.
    fileprivate mutating func show(_ catalogue: Catalogue, drafts: Catalogue?) {
        self.catalogue = catalogue
        self.drafts = drafts
        versions = nil
        accessGuard = nil
    }
}
