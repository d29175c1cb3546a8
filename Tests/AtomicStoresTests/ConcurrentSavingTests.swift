// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import AtomicStores

@Suite("Saves by several, on every kind of atomic store")
struct ConcurrentSavingTests {
    /// The kinds of stores, as arguments of tests.
    enum Kind: CaseIterable, Sendable {
        case memory
        case xml
        case binary
    }

    let model: ManagedObjectModel

    init() throws {
        model = try Fixture.model.get()
    }

    @Test("a row that somebody else changed is a conflict, and nothing is written", arguments: Kind.allCases)
    func conflict(kind: Kind) throws {
        try with(kind) { coordinator, path in
            try coordinator.withContext { context in
                let box = try #require(try boxes(context).first)
                try box.setValue("mine", forKey: "name")
                _ = try context.insert("Label")
                try rename("red", "theirs", coordinator)
                let before = path.map(contents)
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.code == .conflict)
                #expect(error?.conflicts.first?.stored?.version == 2)
                #expect(path.map(contents) == before)
                context.mergePolicy = .overwrite
                try context.save()
            }
            #expect(try names(coordinator) == ["blue", "mine"])
            if let path { #expect(try names(reopened(kind, path)) == ["blue", "mine"]) }
        }
    }

    @Test("a row that somebody else deleted is a conflict", arguments: Kind.allCases)
    func deleted(kind: Kind) throws {
        try with(kind) { coordinator, _ in
            try coordinator.withContext { context in
                try #require(try boxes(context).first).setValue("mine", forKey: "name")
                try coordinator.withContext { other in
                    other.delete(try #require(try boxes(other).first))
                    try other.save()
                }
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.code == .conflict)
                #expect(error?.conflicts.first.map { $0.stored == nil } == true)
            }
            #expect(try names(coordinator) == ["blue"])
        }
    }

    @Test("values that must differ are compared with those of the file", arguments: Kind.allCases)
    func constraints(kind: Kind) throws {
        try with(kind) { coordinator, path in
            let coordinator = try path.map { try reopened(kind, $0) } ?? coordinator
            let before = path.map(contents)
            let error = #expect(throws: GraphError.self) { try rename("red", "blue", coordinator) }
            #expect(error?.code == .constraint)
            #expect(path.map(contents) == before)
            #expect(try names(coordinator) == ["blue", "red"])
            // Values may be swapped in one save.
            try coordinator.withContext { context in
                let boxes = try boxes(context)
                let names = try boxes.map { try $0.value(forKey: "name") }
                for (box, name) in zip(boxes, names.reversed()) { try box.setValue(name, forKey: "name") }
                try context.save()
            }
            #expect(try names(coordinator) == ["blue", "red"])
        }
    }

    @Test("a generation stays readable as it was", arguments: Kind.allCases)
    func generations(kind: Kind) throws {
        try with(kind) { coordinator, _ in
            let store = try #require(coordinator.stores.first)
            let entity = try #require(model.entity(named: "Box"))
            let generation = try store.currentGeneration()
            try rename("red", "green", coordinator)
            let request = StoreFetchRequest(
                entity: entity,
                predicate: try ObjectPredicate("name == 'red'"),
                kind: .count
            )
            for (generation, expected) in [(generation, 1), (nil, 0)] as [((any StoreGeneration)?, Int)] {
                guard case .count(let count) = try store.fetch(request, at: generation) else {
                    Issue.record("The store answered something else than a count.")
                    continue
                }
                #expect(count == expected)
            }
        }
    }

    @Test("saves at the same time are all written", arguments: Kind.allCases)
    func concurrency(kind: Kind) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (coordinator, path) = try made(kind, in: folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<10 {
                        try coordinator.withContext { context in
                            try context.insert("Box").setValue(.string("\(writer)-\(number)"), forKey: "name")
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = (0..<4).flatMap { writer in (0..<10).map { "\(writer)-\($0)" } }.sorted()
        #expect(try names(coordinator) == expected)
        if let path { #expect(try names(reopened(kind, path)) == expected) }
    }
}

extension ConcurrentSavingTests {
    private func made(_ kind: Kind, in folder: String) throws -> (PersistentStoreCoordinator, path: String?) {
        let coordinator = PersistentStoreCoordinator(model: model)
        let path = folder + "/Store"
        switch kind {
        case .memory: try coordinator.add(InMemoryStore(model: model))
        case .xml: try coordinator.add(AtomicStore(path: path, format: .xml, model: model))
        case .binary: try coordinator.add(AtomicStore(path: path, format: .binary, model: model))
        }
        return (coordinator, kind == .memory ? nil : path)
    }

    /// A store with a red box and a blue one.
    private func with(_ kind: Kind, _ body: (PersistentStoreCoordinator, String?) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let (coordinator, path) = try made(kind, in: folder)
            try coordinator.withContext { context in
                for name in ["red", "blue"] { try context.insert("Box").setValue(.string(name), forKey: "name") }
                try context.save()
            }
            try body(coordinator, path)
        }
    }

    private func reopened(_ kind: Kind, _ path: String) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        let format: any AtomicFileFormat = kind == .xml ? .xml : .binary
        let file = try StoreFile(path: path, format: format)
        try coordinator.add(AtomicStore(file: file, model: model, isReadOnly: false, mustExist: true))
        return coordinator
    }

    private func boxes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>("Box"))
    }

    private func rename(_ name: String, _ other: String, _ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            let box = try boxes(context).first { try $0.value(forKey: "name") == .string(name) }
            try #require(box).setValue(.string(other), forKey: "name")
            try context.save()
        }
    }

    private func names(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        try coordinator.withContext { context in
            try boxes(context).compactMap { box in
                if case .string(let name) = try box.value(forKey: "name") { name } else { nil }
            }
        }.sorted()
    }

    private func contents(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }
}
