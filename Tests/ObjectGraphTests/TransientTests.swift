// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Transient values")
struct TransientTests {
    let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Car") {
                    Attribute("maker", .string).optional()
                    Attribute("seats", .int64).optional()
                    Attribute("label", .string).optional().default("new").transient()
                    Relationship("twin", toOne: "Car").optional().transient()
                }
            }
        )
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        try coordinator.withContext { context in
            try context.insert("Car").setValue("FIAT", forKey: "maker")
            try context.save()
        }
    }

    private func car(_ context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.fetch(FetchRequest<ManagedObject>("Car")).first)
    }

    @Test(
        "a transient change alone, or with values that stay the same, doesn't write the row"
    )
    func unchanged() throws {
        for _ in 0..<2 {
            try coordinator.withContext { context in
                let car = try car(context)
                for label in ["new", "other"] {
                    try car.setValue("FIAT", forKey: "maker")
                    try car.setValue(.string(label), forKey: "label")
                    try car.setObject(car, forKey: "twin")
                    #expect(!car.hasPersistentChangedValues)
                    try context.save()
                    #expect(car.rowVersion == 1)
                    #expect(try car.value(forKey: "label") == .string(label))
                }
            }
        }
        try coordinator.withContext { context in
            let car = try car(context)
            try car.setValue("other", forKey: "label")
            try car.setValue("VW", forKey: "maker")
            #expect(car.hasPersistentChangedValues)
            try context.save()
            #expect(car.rowVersion == 2)
        }
    }

    @Test("transient values are kept when the store's values win")
    func storeTrump() throws {
        try coordinator.withContext { context in
            context.mergePolicy = .mergeByPropertyStoreTrump
            let car = try car(context)
            try car.setValue("VW", forKey: "maker")
            try car.setValue("mine", forKey: "label")
            try coordinator.withContext { other in
                let car = try self.car(other)
                try car.setValue("BMW", forKey: "maker")
                try car.setValue(4, forKey: "seats")
                try other.save()
            }
            try context.save()
            #expect(try car.value(forKey: "maker") == "BMW")
            #expect(try car.value(forKey: "seats") == 4)
            #expect(try car.value(forKey: "label") == "mine")
        }
    }
}
