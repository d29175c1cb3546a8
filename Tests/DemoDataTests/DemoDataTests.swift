// SPDX-License-Identifier: Apache-2.0

// Demo data are valid, plausible, and the same for the same seed.

import AtomicStores
import DemoData
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("Demo data")
struct DemoDataTests {
    @Test(
        "demo data of random models can be saved, and are the same for the same seed",
        arguments: [2_925_216_869_715_335_520] + SeededGenerator.seeds(60)
    )
    func randomModels(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let model: ManagedObjectModel
        do {
            model = try ManagedObjectModel(randomModel(&random))
        } catch {
            return
        }
        let data = DemoData(model: model, seed: seed, size: 120)
        let (one, other) = (try inMemory(model), try inMemory(model))
        let counts = try data.fill(one)
        try data.fill(other)
        #expect(try dump(one) == dump(other), "seed \(seed)")
        for entity in model.entities where !entity.isAbstract {
            #expect(try count(entity.name, one) == counts[entity.name] ?? 0, "seed \(seed)")
            // Such an object needs only its own values.
            let isFree = entity.relationships.allSatisfy { $0.relationship.isOptional }
            if isFree, entity.attributes.isEmpty { #expect(counts[entity.name] ?? 0 > 0, "seed \(seed)") }
        }
    }

    @Test("an entity whose unique values can't be distinguished gets one object")
    func indistinct() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Setting") {
                    Attribute("content", .transformable(transformer: nil))
                    UniquenessConstraint("content")
                }
            }
        )
        #expect(try DemoData(model: model, seed: 1, size: 100).fill(inMemory(model)) == ["Setting": 1])
    }

    @Test(
        "a SQLite store with demo data of a random model has no findings",
        arguments: [2_925_216_869_715_335_520] + SeededGenerator.seeds(10)
    )
    func randomStores(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        guard let model = try? ManagedObjectModel(randomModel(&random)) else { return }
        try Checkout.withFolder { folder in
            let store = try SQLiteStore(path: folder + "/Store.sqlite", model: model)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            try DemoData(model: model, seed: seed, size: 200).fill(coordinator)
            #expect(try store.check().filter { $0.severity == .error }.isEmpty, "seed \(seed)")
        }
    }

    @Test("demo data of the demo model use each entity and each relationship")
    func demo() throws {
        let model = try demoModel()
        let coordinator = try inMemory(model)
        let counts = try DemoData(model: model, seed: 1, size: 2_500).fill(coordinator)
        #expect(counts.keys.sorted() == ["Comment", "Group", "Post", "Tag", "User", "Visit"])
        #expect((2_000...3_500).contains(counts.values.reduce(0, +)))
        #expect(counts["Comment"] ?? 0 > counts["User"] ?? .max)
        try coordinator.withContext { context in
            for entity in model.entities where !entity.isAbstract {
                let objects = try context.fetch(FetchRequest<ManagedObject>(entity.name))
                for relationship in entity.relationships {
                    let isUsed = try objects.contains { object in
                        relationship.isToMany
                            ? try !object.objects(of: relationship).isEmpty : try object.object(of: relationship) != nil
                    }
                    #expect(isUsed, "\(entity.name).\(relationship.name)")
                }
            }
        }
    }

    @Test("texts, dates and numbers fit the names of their attributes")
    func plausible() throws {
        let model = try demoModel()
        let coordinator = try inMemory(model)
        try DemoData(model: model, seed: 7, size: 500).fill(coordinator)
        try coordinator.withContext { context in
            let posts = try context.fetch(FetchRequest<ManagedObject>("Post"))
            for post in posts {
                guard case .string(let title) = try post.value(forKey: "title") else {
                    Issue.record("no title")
                    return
                }
                #expect(title.hasPrefix("The "))
                guard case .date(let created) = try post.value(forKey: "createdAt") else {
                    Issue.record("no date")
                    return
                }
                #expect(created < Date(timeIntervalSinceReferenceDate: 809_956_801))
            }
            let replies = try posts.filter { try $0.object(forKey: "inReplyTo") != nil }
            #expect(!replies.isEmpty && replies.count < posts.count)
            let user = try #require(try context.fetch(FetchRequest<ManagedObject>("User")).first)
            guard case .string(let username) = try user.value(forKey: "username") else {
                Issue.record("no name")
                return
            }
            #expect(username.contains("_"))
        }
    }

    @Test("different seeds give different data")
    func seeds() throws {
        let model = try demoModel()
        let (one, other) = (try inMemory(model), try inMemory(model))
        try DemoData(model: model, seed: 1, size: 100).fill(one)
        try DemoData(model: model, seed: 2, size: 100).fill(other)
        #expect(try dump(one) != dump(other))
    }

    @Test("demo data of several stores can be saved, without relationships across stores")
    func severalStores() throws {
        let model = try demoModel()
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model), configuration: "Content")
        try coordinator.add(InMemoryStore(model: model), configuration: "Analytics")
        let counts = try DemoData(model: model, seed: 3, size: 300).fill(coordinator)
        #expect(counts["Visit"] ?? 0 > 0 && counts["Post"] ?? 0 > 0)
    }

    @Test("required cycles are satisfied, with one object and with several")
    func cycles() throws {
        var chicken = Entity(name: "Chicken")
        chicken.relationships = [
            Relationship(name: "hatchedFrom", destinationName: "Egg", inverseName: "chick"),
            Relationship(name: "lays", destinationName: "Egg", inverseName: "layer", isToMany: true, minimumCount: 2),
        ]
        var egg = Entity(name: "Egg")
        egg.relationships = [
            Relationship(name: "chick", destinationName: "Chicken", inverseName: "hatchedFrom", isOptional: true),
            Relationship(name: "layer", destinationName: "Chicken", inverseName: "lays"),
        ]
        var link = Entity(name: "Link")
        link.relationships = [
            Relationship(name: "next", destinationName: "Link", inverseName: "previous"),
            Relationship(name: "previous", destinationName: "Link", inverseName: "next"),
        ]
        let model = try ManagedObjectModel(Model(entities: [chicken, egg, link]))
        let coordinator = try inMemory(model)
        let counts = try DemoData(model: model, seed: 5, size: 200).fill(coordinator)
        #expect(counts["Chicken"] ?? 0 > 10 && counts["Egg"] ?? 0 >= 2 * (counts["Chicken"] ?? 0))
        #expect(counts["Link"] ?? 0 > 10)
    }

    @Test("objects with an unknown required pattern, and objects that require them, are left out")
    func impossible() throws {
        let odd = Attribute(name: "odd", type: .string, regularExpression: "(?=x)x\\b")
        let model = try ManagedObjectModel(
            Model(entities: [
                Entity(name: "Odd", attributes: [odd]), Entity(name: "Even"),
                Entity(name: "Needy", relationships: [Relationship(name: "odd", destinationName: "Odd")]),
            ])
        )
        let counts = try DemoData(model: model, seed: 5, size: 30).fill(inMemory(model))
        #expect(counts.keys.sorted() == ["Even"])
    }

    @Test("unique attributes with few values limit the number of objects")
    func fewValues() throws {
        var flag = Entity(name: "Flag", attributes: [Attribute(name: "isOn", type: .bool)])
        flag.uniquenessConstraints = [["isOn"]]
        let model = try ManagedObjectModel(Model(entities: [flag]))
        #expect(try DemoData(model: model, seed: 5, size: 5_000).fill(inMemory(model)) == ["Flag": 2])
    }
}

private func inMemory(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    return coordinator
}

private func count(_ entity: String, _ coordinator: PersistentStoreCoordinator) throws -> Int {
    try coordinator.withContext { context in
        var request = FetchRequest<ManagedObject>(entity)
        request.includesSubentities = false
        return try context.count(request)
    }
}

private func demoModel() throws -> ManagedObjectModel {
    let file = try ModelFile.read(path: Checkout.path + "/Config/Demo.xcdatamodeld")
    return try ManagedObjectModel(file.current.model)
}
