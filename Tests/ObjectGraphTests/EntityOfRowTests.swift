// SPDX-License-Identifier: Apache-2.0

// IDs that name an object by an entity above its own, or beside it.

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("IDs under another entity of the hierarchy")
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

    /// The number of the car under another entity.
    private func id(_ entity: String) throws -> ManagedObjectID {
        ManagedObjectID(
            entity: try #require(coordinator.model.entity(named: entity)),
            store: try #require(car.storeIdentifier),
            reference: try #require(car.reference)
        )
    }

    @Test("an object that is read turns out to be of the entity that its row says")
    func existing() throws {
        let vehicle = try id("Vehicle")
        try coordinator.withContext { (context) throws in
            #expect(try context.existingObject(with: vehicle).entity.name == "Car")
            #expect(try context.object(with: vehicle).value(forKey: "doors") == 4)
        }
    }

    @Test("a fault that was made before its entity was known is an error when it is read, and the object is had then")
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

    @Test("a fetch puts the object of the row in the place of a fault of the entity above")
    func fetched() throws {
        let vehicle = try id("Vehicle")
        try coordinator.withContext { (context) throws in
            let fault = context.object(with: vehicle)
            let found = try #require(try context.fetch(FetchRequest<ManagedObject>("Vehicle")).first)
            #expect(found !== fault && found.entity.name == "Car")
            #expect(try found.value(forKey: "doors") == 4)
        }
    }

    @Test("a row of an entity beside is nobody's object")
    func beside() throws {
        let bike = try id("Bike")
        try coordinator.withContext { (context) throws in
            #expect(throws: GraphError.self) { try context.existingObject(with: bike) }
            #expect(try context.snapshots(of: [bike])[0] == nil)
        }
        _ = try coordinator.read { reader in try reader.snapshots(of: [car]) }
        #expect(try coordinator.read { reader in try reader.snapshots(of: [bike])[0] } == nil)
    }

    @Test("batches delete no row of an entity beside, whatever else is named")
    func deleting() throws {
        let (bike, vehicle) = (try id("Bike"), try id("Vehicle"))
        #expect(try coordinator.execute(BatchDeleteRequest(objectIDs: [bike])).count == 0)
        #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Vehicle")) } == 1)
        #expect(try coordinator.execute(BatchDeleteRequest(objectIDs: [bike, vehicle])).count == 1)
    }

    @Test("looking for an object under an entity beside its own doesn't hide it, nor what others do with it")
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
