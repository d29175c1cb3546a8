// SPDX-License-Identifier: Apache-2.0

// Changes the model of a running server.

import AtomicStores
import Dispatch
import Files
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore
import Synchronization

/// Changes the model of a running server, and migrates its stores.
///
///     read and check the model ──▶ no request is being answered ──▶ rehearse ──▶ migrate the stores
///     ──▶ an API of the new model, with the drafts ──▶ it answers
///
/// 1. If anything is refused before the first store is migrated, the server goes on with its model. If something fails
///    afterwards, requests are refused until the server is started again.
/// 2. Nothing is lost: a migration that would lose a value, a reference or an object is refused.
final class ModelChanging: Sendable {
    private let settings: ServeSettings
    private let log: ServerLog
    /// The access rules, which must fit each model; nil if there are none.
    private let access: ServedAccess?
    /// The application whose API is replaced; nil before the server starts.
    private let application = Mutex<ReplaceableAPI?>(nil)
    /// Held during a change.
    private let changing = Mutex(())
    /// Whether the server is shutting down, so that nothing is changed any more.
    private let isEnded = Atomic(false)

    init(_ settings: ServeSettings, _ log: ServerLog, _ access: ServedAccess? = nil) {
        self.settings = settings
        self.log = log
        self.access = access
    }

    /// An application that begins with an API, which changes of the model replace.
    func application(beginningWith api: API) -> ReplaceableAPI {
        let application = ReplaceableAPI(api, drainTime: settings.drainTime)
        self.application.withLock { $0 = application }
        return application
    }

    /// Waits for a change that is under way, permits no further ones, and releases the stores. A dry run is cancelled.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        changing.withLock { _ in }
        application.withLock { $0 = nil }
    }

    /// Reads the model file again, if there is one, and logs what came of it. Stores are migrated only if the settings say
    /// so.
    ///
    /// - Parameter reloaded: Called afterwards, whether the model has changed or not.
    func reload(_ reloaded: @escaping @Sendable () -> Void = {}) {
        DispatchQueue.global().async { [self] in
            if modelFile != nil { reloadNow() }
            reloaded()
        }
    }

    private func reloadNow() {
        do {
            let change = try change(to: nil, isRehearsal: false, isRequested: false)
            guard change.isChanged else { return }
            log.log(.info, .model, change.sentence, change.json)
        } catch let busy as ReplaceableAPI.Busy {
            log.log(.warning, .model, "The model isn't changed now. \(busy.message) \(busy.hint)")
        } catch {
            let failure = StoreFiles.failure(error)
            let details = failure.issues.map { " " + $0.line.rendered(on: .plain) }
            let hint = failure.hint.map { " " + $0 } ?? ""
            let effect = failure.code == ReplaceableAPI.unusableCode ? "" : "The server goes on with its model. "
            log.log(.error, .model, "\(effect)\(failure.message)\(details.joined())\(hint)")
        }
    }

    /// Answers a request to change the model.
    func answer(_ request: ModelChangeRequest) throws -> JSONValue {
        do {
            let change = try change(to: request.model, isRehearsal: request.isRehearsal, isRequested: true)
            if change.isChanged, !request.isRehearsal { log.log(.info, .model, change.sentence, change.json) }
            return .object(change.json)
        } catch let busy as ReplaceableAPI.Busy {
            throw Problem.duringModelChange(busy.message, hint: busy.hint)
        } catch {
            let failure = StoreFiles.failure(error)
            guard failure.code != ReplaceableAPI.unusableCode else {
                log.log(.error, .model, failure.message)
                throw Problem(.internal, failure.message, hint: failure.hint)
            }
            throw Problem.refusedModel(failure.issues, failure.message, hint: failure.hint)
        }
    }

    private func change(to model: Model?, isRehearsal: Bool, isRequested: Bool) throws -> ModelChange {
        // Waiting would keep a change that is under way from waiting for this request.
        let change: ModelChange? = try changing.withLockIfAvailable { _ in
            guard !hasEnded, let application = application.withLock(\.self) else {
                throw ReplaceableAPI.Busy.notRunning
            }
            let former = application.api.coordinator
            var change = try ModelChange(from: former.model, to: target(model), among: versions, settings)
            guard change.isChanged else { return change }
            let rules = try access?.content(for: change.model.model)
            if settings.migrate == .no, !isRequested, change.migration.changesRows { throw Failure.notMigrated }
            if isRehearsal {
                try rehearse(&change, on: former.stores)
            } else {
                try application.replace(isRequested: isRequested, isCancelled: { [self] in hasEnded }) {
                    let next = try continued($0, by: &change)
                    if let rules { try access?.use(rules, in: next) }
                    return next
                }
            }
            return change
        }
        guard let change else { throw ReplaceableAPI.Busy.changing }
        return change
    }

    private var hasEnded: Bool { isEnded.load(ordering: .relaxed) }

    private func rehearse(_ change: inout ModelChange, on stores: [any PersistentStore]) throws {
        do {
            try WorkLimits(isCancelled: { [self] in hasEnded }).hold { try change.rehearse(on: stores) }
        } catch  where hasEnded {
            throw ReplaceableAPI.Busy.notRunning
        }
    }

    /// The version to be served.
    private func target(_ model: Model?) throws -> ModelVersion {
        guard let path = modelFile else {
            guard let model else { throw Failure.noModelFile }
            return ModelVersion(name: "the new model", model: model)
        }
        guard model == nil else { throw Failure.modelIsInFile(path) }
        return try ModelFiles.readComplete(path)
    }

    /// The model's file. A served store isn't one: opening its file besides would release its locks.
    private var modelFile: String? {
        settings.model.flatMap { path in
            let served = settings.storeChoices.contains { choice in
                guard case .file(_, let store) = choice.place else { return false }
                return FileSystem.identity(of: store) == FileSystem.identity(of: path)
            }
            return served ? nil : path
        }
    }

    private var versions: [ModelVersion] {
        get throws { try modelFile.map(ModelFiles.versions(around:)) ?? [] }
    }

    /// The versions in the model's file that clients may name, without those that can't be read.
    var knownVersions: [ModelVersion] { ((try? versions) ?? []).filter(\.readingErrors.isEmpty) }

    /// An API of the new model, with migrated stores and the editing contexts of the former.
    private func continued(_ api: API, by change: inout ModelChange) throws -> API {
        let contexts = try api.suspendedContexts()
        let former = api.coordinator
        try api.prepareStreamsForMigration()
        let coordinator: PersistentStoreCoordinator
        let next: API
        do {
            // A client that is gone doesn't end what others wait for.
            coordinator = try WorkLimits.withoutLimits { try change.migrate(former.stores) }
            next = try api.continued(by: coordinator, knowing: knownVersions)
        } catch {
            let isMigrated = former.stores.contains { ($0 as? any MigratingStore)?.isMigrated ?? false }
            guard !isMigrated else { throw ReplaceableAPI.Unusable(reason: StoreFiles.failure(error).message) }
            api.continueStreams()
            throw error
        }
        api.endLiveQueries()
        api.releaseContexts()
        do {
            for lost in try next.resume(contexts, after: change.migration) {
                log.log(.warning, .context, "The editing context \(lost.name) couldn't be continued: \(lost.reason).")
            }
        } catch {
            log.log(
                .error,
                .context,
                "The editing contexts couldn't be continued: \(StoreFiles.failure(error).message)"
            )
        }
        log.watch(coordinator, settings: settings)
        return next
    }
}

/// A change of the served model, and what it has done.
private struct ModelChange {
    let target: ModelVersion
    let model: ManagedObjectModel
    let migration: ModelMigration
    let versionNames: [String]
    let isChanged: Bool
    private let settings: ServeSettings
    /// In the order of the stores.
    private var reports: [MigrationReport] = []

    init(
        from former: ManagedObjectModel,
        to target: ModelVersion,
        among versions: [ModelVersion],
        _ settings: ServeSettings
    ) throws {
        self.target = target
        self.settings = settings
        isChanged = former.model != target.model
        do throws(ModelProblems) {
            model = try ManagedObjectModel(target.model)
        } catch {
            throw Failure("“\(target.name)” has errors.", issues: error.issues)
        }
        let hashes = former.model.versionHashes()
        let known = versions.first { $0.model == former.model } ?? versions.first { $0.model.versionHashes() == hashes }
        let stored = StoredVersion(name: known?.name ?? "the served model", model: former)
        do throws(MigrationObstacles) {
            let stages = try MigrationStages(from: stored, to: model, of: target, among: versions)
            migration = stages.migration
            versionNames = stages.versionNames
        } catch {
            throw Failure(
                "The stores can't be migrated from “\(stored.name)” to “\(target.name)”.",
                issues: error.issues
            )
        }
        try check()
    }

    /// Throws if the model can't be served with the configured stores.
    private func check() throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        for choice in settings.storeChoices {
            try coordinator.add(InMemoryStore(model: model), configuration: choice.configuration)
        }
        try ServedStack.checkEntities(of: settings.storeChoices, in: coordinator)
        _ = try API(coordinator, options: settings.api)
    }

    /// Finds out what becomes of each store. Throws if a migration would be refused.
    mutating func rehearse(on stores: [any PersistentStore]) throws {
        reports = try stores.map { store in
            let report = try Self.migrating(store).migrated(by: migration, as: .rehearsal).report
            if let reason = report.reason(against: .lossless) { throw Failure(reason.message, hint: reason.hint) }
            return report
        }
    }

    /// Migrates the stores, and returns a coordinator of the new ones.
    mutating func migrate(_ stores: [any PersistentStore]) throws -> PersistentStoreCoordinator {
        // A single store is as before if its migration fails.
        if stores.count > 1 { try rehearse(on: stores) }
        reports = []
        let coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: settings.rowCache)
        for (store, choice) in zip(stores, settings.storeChoices) {
            let (next, report) = try Self.migrating(store).migrated(by: migration, as: .lossless)
            reports.append(report)
            if let next { try coordinator.add(next, configuration: choice.configuration) }
        }
        return coordinator
    }

    private static func migrating(_ store: any PersistentStore) throws -> any MigratingStore {
        guard let store = store as? any MigratingStore else {
            throw Failure("A store of this kind can't be migrated while it is open.")
        }
        return store
    }

    var sentence: String {
        let violations = reports.flatMap(\.stages).flatMap(\.violations).map { " " + $0.sentence }
        let served = "“\(target.name)” is served now."
        guard migration.changesRows else { return served }
        let stores = Wording.list(settings.storeChoices.map(\.text))
        return "\(served) Migrated \(stores) from “\(versionNames[0])”.\(violations.joined())"
    }

    var json: JSONObject {
        [
            "isChanged": .bool(isChanged),
            "from": .string(versionNames[0]),
            "to": .string(target.name),
            "version": .string(model.model.versionName),
            "stores": .array(
                zip(settings.storeChoices, reports).map { choice, report in
                    ["store": .string(choice.text), "stages": report.json(naming: versionNames)]
                }
            ),
        ]
    }
}

extension Failure {
    fileprivate static let notMigrated = Failure(
        "The stores would have to be migrated to the new model, and the setting migrate is no.",
        hint: "Start the server with --migrate auto, or with --allow-model-changes and POST /api/model."
    )

    fileprivate static let noModelFile = Failure(
        "The server has no model file that could be read again.",
        hint: "Send the new model as JSON."
    )

    fileprivate static func modelIsInFile(_ path: String) -> Failure {
        Failure(
            "The server reads its model from \(path), so it can't take another one from a request.",
            hint: "Change that file, and send the request without a body."
        )
    }
}
