// SPDX-License-Identifier: Apache-2.0

// The served model and stores.

import AtomicStores
import DemoData
import FoundationEssentials
import HTTPServer
import ObjectGraph
import ObjectModel
import SQLiteStore

/// A coordinator with all configured stores.
struct ServedStack: Sendable {
    let coordinator: PersistentStoreCoordinator
    /// The name of the model's file.
    let modelName: String
    /// The store that carries the model; nil if the model is of a file.
    let modelStore: String?
    /// The stores as given in the settings.
    let storeNames: [String]
    /// What was done to stores of another version of the model.
    let migrations: [String]
    /// The number of objects of each entity, without those of subentities.
    let counts: [(entity: EntityDescription, objects: Int)]

    var model: ManagedObjectModel { coordinator.model }
    var objects: Int { counts.reduce(0) { $0 + $1.objects } }

    /// Opens the stores, and creates missing ones.
    init(opening settings: ServeSettings) throws {
        let choices = settings.storeChoices
        try settings.makeNewFolder()
        for choice in choices { try choice.checkPlace(isReadOnly: settings.readOnly) }
        let (model, name, store) = try Self.model(of: settings)
        modelStore = store
        coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: settings.rowCache)
        migrations = try StoreMigrating(settings: settings, model: model).prepare(choices)
        for choice in choices {
            try coordinator.add(Self.store(choice, in: model, settings: settings), configuration: choice.configuration)
        }
        try Self.checkEntities(of: choices, in: coordinator)
        modelName = name
        storeNames = choices.map(\.text)
        var counts = try Self.count(coordinator)
        if settings.demo, counts.allSatisfy({ $0.objects == 0 }) {
            let data = DemoData(model: model, seed: UInt64(settings.demoSeed), size: settings.demoSize)
            try data.fill(coordinator)
            counts = try Self.count(coordinator)
        }
        self.counts = counts
    }

    /// The configured model, the one that a store carries, or that of the demo.
    static func model(
        of settings: ServeSettings
    ) throws -> (model: ManagedObjectModel, name: String, store: String?) {
        if let path = settings.model { return (try StoreFiles.model(path), ModelFiles.stem(of: path), nil) }
        for case .file(.sqlite, let path) in settings.storeChoices.map(\.place)
        where try !SQLiteStore.isUncreated(path: path) {
            do {
                _ = try SQLiteStore.embeddedModel(path: path)
            } catch let error as StoreError where error.code == .noModel {
                throw StoreFiles.failure(error)
            }
            return (try StoreFiles.model(path), ModelFiles.stem(of: path), path)
        }
        guard settings.demo else {
            throw Failure(
                "There is no model: none is given, and there is no SQLite store yet that could carry one.",
                hint: "Give one: --model App.xcdatamodeld",
                code: "store.noModel",
                file: nil
            )
        }
        let file = try ModelFile(json: Array(DemoModel.json.utf8), name: "Demo")
        return (try ManagedObjectModel(file.current.model), "Demo", nil)
    }

    /// Throws if an entity has no store, or several, which would make references ambiguous.
    static func checkEntities(of choices: [StoreChoice], in coordinator: PersistentStoreCoordinator) throws {
        let model = coordinator.model
        for entity in model.entities {
            let keeping = choices.filter { choice in
                guard let name = choice.configuration else { return true }
                return model.model.configurations.contains { $0.name == name && $0.entityNames.contains(entity.name) }
            }
            guard keeping.count > 1, !entity.isAbstract else { continue }
            throw Failure(
                "Several stores keep objects of \(entity.name): \(keeping.map { "“\($0.text)”" }.joined(separator: ", ")). "
                    + "References such as \(entity.name)/1 would be ambiguous.",
                hint: "Give each store its own configuration, without common entities: --store NAME=PLACE",
                code: "store.ambiguous",
                file: nil
            )
        }
        guard let entity = model.entities.first(where: { !$0.isAbstract && !coordinator.keeps($0) }) else { return }
        let names = model.model.configurations.filter { $0.entityNames.contains(entity.name) }.map(\.name)
        throw Failure(
            "There is no store for objects of \(entity.name).",
            hint: names.first.map { "Give one for their configuration: --store \($0)=PLACE" }
                ?? "No configuration has them; add them to one in the model.",
            code: "store.notFound",
            file: nil
        )
    }

    private static func store(
        _ choice: StoreChoice,
        in model: ManagedObjectModel,
        settings: ServeSettings
    ) throws -> any PersistentStore {
        let keepsHistory = settings.history != .off
        guard case .file(let kind, let path) = choice.place else {
            return InMemoryStore(model: model, keepsHistory: keepsHistory)
        }
        if let format = kind.format {
            return try AtomicStore(
                path: path,
                format: format,
                model: model,
                isReadOnly: settings.readOnly,
                keepsHistory: keepsHistory
            )
        }
        return try SQLiteStore(path: path, model: model, options: settings.sqlite(choice))
    }

    private static func count(
        _ coordinator: PersistentStoreCoordinator
    ) throws -> [(entity: EntityDescription, objects: Int)] {
        try coordinator.withContext { context in
            try context.model.entities.filter { !$0.isAbstract }.map { entity in
                var request = FetchRequest<ManagedObject>(entity.name)
                request.includesSubentities = false
                return (entity, try context.count(request))
            }
        }
    }
}

extension ServeSettings {
    /// The configured stores; without any, the demo is in memory.
    var storeChoices: [StoreChoice] {
        stores.isEmpty && demo ? [.memory] : stores
    }

    func sqlite(_ choice: StoreChoice) -> SQLiteStoreOptions {
        var options = SQLiteStoreOptions()
        options.isReadOnly = readOnly
        options.configuration = choice.configuration
        options.isDurable = synchronous == .full
        options.history = history
        options.reopensReplacedFile = replacedStore == .reopen
        let threads = server.loops + server.workers + server.spareWorkers + server.probeWorkers
        options.readerLimit = max(options.readerLimit, threads)
        return options
    }
}
