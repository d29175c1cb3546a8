// SPDX-License-Identifier: Apache-2.0

// IDs that have a parent or sibling of the object's entity.

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("IDs with another entity of the hierarchy")
struct EntityOfRowTests {
    static let model = Model {
        Entity("Vehicle") { Attribute("name", .string).default("") }
        Entity("Car", parent: "Vehicle") { Attribute("doors", .int16).default(4) }
        Entity("Bike", parent: "Vehicle") { Attribute("gears", .int16).default(7) }
    }

    let coordinator: PersistentStoreCoordinator
    let car: ManagedObjectID

    init() throws {
        let model = try ManagedObjectModel(Self.model)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(try TestStore.make(model))
        car = try coordinator.withContext { (context) throws in
            let car = try context.insert("Car")
            try context.save()
            return car.objectID
        }
    }

    /// The car's ID with another entity.
    private func id(_ entity: String) throws -> ManagedObjectID {
        ManagedObjectID(
            entity: try #require(coordinator.model.entity(named: entity)),
            store: try #require(car.storeIdentifier),
            reference: try #require(car.reference)
        )
    }

    @Test("an object that is read by a parent entity's ID has the entity of its row")
    func existing() throws {
        let vehicle = try id("Vehicle")
        try coordinator.withContext { (context) throws in
            #expect(try context.existingObject(with: vehicle).entity.name == "Car")
            #expect(try context.object(with: vehicle).value(forKey: "doors") == 4)
        }
    }

    @Test("a fault of a parent entity fails when it is read, and then the real object is available")
    func fault() throws {
        let vehicle = try id("Vehicle")
        try coordinator.withContext { (context) throws in
            let fault = context.object(with: vehicle)
            let error = #expect(throws: GraphError.self) { try fault.value(forKey: "name") }
            #expect(error?.code == .invalidRequest)
            #expect(throws: GraphError.self) { try fault.setValue("x", forKey: "name") }
            #expect(try context.object(with: vehicle).value(forKey: "doors") == 4)
            #expect(try context.fetch(FetchRequest<ManagedObject>("Vehicle")).map(\.entity.name) == ["Car"])
        }
    }

    @Test("a fetch returns the row's object instead of a fault of a parent entity")
    func fetched() throws {
        let vehicle = try id("Vehicle")
        try coordinator.withContext { (context) throws in
            let fault = context.object(with: vehicle)
            let found = try #require(try context.fetch(FetchRequest<ManagedObject>("Vehicle")).first)
            #expect(found !== fault && found.entity.name == "Car")
            #expect(try found.value(forKey: "doors") == 4)
        }
    }

    @Test("an ID with a sibling entity finds no object")
    func beside() throws {
        let bike = try id("Bike")
        try coordinator.withContext { (context) throws in
            #expect(throws: GraphError.self) { try context.existingObject(with: bike) }
            #expect(try context.snapshots(of: [bike])[0] == nil)
        }
        _ = try coordinator.read { reader in try reader.snapshots(of: [car]) }
        #expect(try coordinator.read { reader in try reader.snapshots(of: [bike])[0] } == nil)
    }

    @Test("batch deletions ignore IDs with a sibling entity")
    func deleting() throws {
        let (bike, vehicle) = (try id("Bike"), try id("Vehicle"))
        #expect(try coordinator.execute(BatchDeleteRequest(objectIDs: [bike])).count == 0)
        #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Vehicle")) } == 1)
        #expect(try coordinator.execute(BatchDeleteRequest(objectIDs: [bike, vehicle])).count == 1)
    }

    @Test("a lookup under a sibling entity doesn't hide the object or later changes of it")
    func notHiding() async throws {
        let (bike, car) = (try id("Bike"), car)
        let lives = (0..<4).map { _ in coordinator.liveContext() }
        for (look, live) in lives.enumerated() {
            try await live.perform { (context) throws in
                switch look {
                case 0: #expect(try context.snapshots(of: [bike])[0] == nil)
                case 1: #expect(try context.object(with: bike).value(forKey: "name") == .null)
                case 2: #expect(throws: GraphError.self) { try context.existingObject(with: bike) }
                default: _ = context.object(with: bike)
                }
                if look < 3 {
                    #expect(try context.snapshots(of: [car])[0]?.objectID.entity.name == "Car")
                    #expect(try context.existingObject(with: car).value(forKey: "doors") == .integer(4 + Int64(look)))
                }
                #expect(try context.snapshots(of: [bike])[0]?.objectID.entity.name != "Bike")
            }
            try coordinator.withContext { (context) throws in
                try context.existingObject(with: car).setValue(.integer(5 + Int64(look)), forKey: "doors")
                try context.save()
            }
        }
        try coordinator.execute(BatchDeleteRequest(objectIDs: [car]))
        for live in lives {
            try await live.perform { (context) throws in
                #expect(try context.snapshots(of: [car, bike]).allSatisfy { $0 == nil })
            }
        }
    }
}
