// SPDX-License-Identifier: Apache-2.0

// The state after a process has ended at each point of a save into two stores.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteStore
import StoreConformance
import Synchronization
import TestSupport
import Testing

@Suite("Crashes during saves into several stores")
struct JointCrashTests {
    typealias Pair = JointSaveTests.Pair
    typealias World = JointSaveTests.World

    enum Point: Int, CaseIterable, Sendable {
        case prepared, bothPrepared, decided, committed

        var isDecided: Bool { self == .decided || self == .committed }
    }

    /// The content of the stores when the process ends.
    enum History: CaseIterable, Sendable {
        /// The first save is in progress.
        case new
        case saved

        func titles(_ point: Point) -> [String] {
            (self == .new ? [] : ["before"]) + (point.isDecided ? ["during"] : [])
        }
    }

    private static let cases = Pair.kept.flatMap { pair in History.allCases.map { (pair, $0) } }

    /// Copies the files of a folder at a point of a save, as they would be after a crash at that point.
    private func crash(at point: Point, _ pair: Pair, _ history: History, in folder: String) throws {
        let work = folder + "/work"
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        let copy = folder + "/copy"
        do {
            let count = Mutex(0)
            let wrapped = try [World.open(pair.books, work, "Books"), World.open(pair.songs, work, "Songs")]
                .map { store in
                    try WatchedStore(store) {
                        // The first store prepares, then the second, which commits first.
                        let place = count.withLock { count in
                            defer { count += 1 }
                            return count
                        }
                        guard place == (history == .new ? 0 : 4) + point.rawValue else { return }
                        try FileManager.default.copyItem(atPath: work, toPath: copy)
                    }
                }
            let world = try World(wrapped)
            if history == .saved { try world.save("before") }
            try world.save("during")
            let titles = history.titles(.committed)
            #expect(try world.titles() == [titles, titles])
        }
        // The copies must not find the original files.
        try FileManager.default.removeItem(atPath: work)
    }

    @Test(
        "a save that was decided is completed in both stores, and any other in neither",
        arguments: cases,
        Point.allCases
    )
    func crash(stores: (pair: Pair, history: History), point: Point) throws {
        let (pair, history) = stores
        try Checkout.withFolder { folder in
            try crash(at: point, pair, history, in: folder)
            let world = try World(folder + "/copy", pair)
            let expected = history.titles(point)
            #expect(try world.titles() == [expected, expected])
            try world.save("after")
            #expect(try world.titles() == [["after"] + expected, ["after"] + expected])
            let reopened = try World(folder + "/copy", pair)
            #expect(try reopened.titles() == [["after"] + expected, ["after"] + expected])
        }
    }

    @Test(
        "a store opened alone completes the save if the other is of its kind, else when both are open",
        arguments: cases,
        Point.allCases
    )
    func alone(stores: (pair: Pair, history: History), point: Point) throws {
        let (pair, history) = stores
        try Checkout.withFolder { folder in
            try crash(at: point, pair, history, in: folder)
            let expected = history.titles(point)
            for (place, name) in ["Books", "Songs"].enumerated() {
                let kind = place == 0 ? pair.books : pair.songs
                let store = try World.open(kind, folder + "/copy", name)
                let coordinator = PersistentStoreCoordinator(model: try World.model.get())
                try coordinator.add(store, configuration: name)
                let entity = place == 0 ? "Book" : "Song"
                let count = try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>(entity)) }
                func save() throws {
                    try coordinator.withContext { context in
                        try context.insert(entity).setValue("alone", forKey: "title")
                        try context.save()
                    }
                }
                let isUndecided = try (store as? any PreparingStore)?.preparedSaves().isEmpty == false
                #expect(!isUndecided || pair.books != pair.songs)
                if isUndecided {
                    #expect(count == history.titles(.prepared).count)
                    let error = #expect(throws: GraphError.self) { try save() }
                    #expect(error?.code.rawValue == "undecided")
                    #expect(throws: (any Error).self, "The store says that it can't be written.") {
                        try store.checkPlace()
                    }
                } else {
                    #expect(count == expected.count)
                    try store.checkPlace()
                    try save()
                }
            }
            let world = try World(folder + "/copy", pair)
            for titles in try world.titles() { #expect(titles.filter { $0 != "alone" } == expected) }
        }
    }
}

/// A store with a closure that is called while it prepares saves.
final class WatchedStore: PreparingStore {
    private let inner: any PreparingStore
    private let watch: @Sendable () throws -> Void

    init(_ inner: any PersistentStore, _ watch: @escaping @Sendable () throws -> Void) throws {
        self.inner = try #require(inner as? any PreparingStore)
        self.watch = watch
    }

    var identifier: UUID { inner.identifier }
    var metadata: StoreMetadata { inner.metadata }
    var isReadOnly: Bool { inner.isReadOnly }
    func setMetadata(_ metadata: StoreMetadata) throws { try inner.setMetadata(metadata) }
    func reference(from text: String) -> ManagedObjectID.Reference? { inner.reference(from: text) }
    func currentGeneration() throws -> any StoreGeneration { try inner.currentGeneration() }
    func permanentIDs(
        for entities: [EntityDescription],
        keeping _: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        try inner.permanentIDs(for: entities, keeping: [:])
    }
    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try inner.fetch(request, at: generation)
    }
    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try inner.snapshots(of: objects, at: generation)
    }
    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try inner.members(of: relationship, owners: owners, at: generation)
    }
    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        try inner.save(request, commit: commit)
    }

    var jointPlace: JointSave.Place? { inner.jointPlace }
    func keepIdentifier() throws { try inner.keepIdentifier() }
    func prepare(
        _ request: StoreSaveRequest,
        as role: JointSave.Role,
        commit: Commit<[Snapshot]>,
        deciding decide: ([Snapshot]) throws -> Void
    ) throws -> StoreSaveResult {
        let result = try inner.prepare(request, as: role, commit: commit) { rows in
            try watch()
            try decide(rows)
        }
        try watch()
        return result
    }
    func preparedSaves() throws -> [JointSave] { try inner.preparedSaves() }
    func finish(_ save: JointSave, isDecided: () throws -> Bool) throws { try inner.finish(save, isDecided: isDecided) }
    func decidedSaves() throws -> [JointSave] { try inner.decidedSaves() }
    func forgetDecision(_ identifier: UUID) { inner.forgetDecision(identifier) }
}
