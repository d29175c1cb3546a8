// SPDX-License-Identifier: Apache-2.0

// A model whose objects change along with others.

import ObjectGraph
import ObjectModel
import Predicates

/// People with managers, and with passes, of which each has one owner.
enum Staff {
    static let model = Model {
        Entity("Person", userInfo: ["path": "people"]) {
            Attribute("name", .string)
            Attribute("level", .int64).default(0)
            Attribute("address", .composite("Address")).optional()
            Attribute("foldedName", .string).optional().derived("canonical:(name)")
            Attribute("reportCount", .int64).optional().derived("reports.@count")
            Relationship("manager", toOne: "Person", inverse: "reports").optional()
            Relationship("reports", toMany: "Person", inverse: "manager").optional()
            Relationship("friends", toMany: "Person", inverse: "friends").optional()
            Relationship("pass", toOne: "Pass", inverse: "owner").optional()
            Relationship("doors", toMany: "Door", inverse: "keepers").optional()
        }
        Entity("Pass", userInfo: ["path": "passes"]) {
            Attribute("name", .string)
            Relationship("owner", toOne: "Person", inverse: "pass").optional()
        }
        Entity("Door", userInfo: ["path": "doors"]) {
            Attribute("name", .string)
            Relationship("keepers", toMany: "Person", inverse: "doors").optional()
        }
        Composite("Address") { Attribute("city", .string).optional() }
    }

    /// Dora manages Emil and Finn. Dora and Emil have a pass each, and one has no owner.
    static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            func insert(_ entity: String, _ name: String) throws -> ManagedObject {
                let object = try context.insert(entity)
                try object.setValue(.string(name), forKey: "name")
                return object
            }
            let people = try ["Dora", "Emil", "Finn"].map { try insert("Person", $0) }
            let passes = try ["red", "blue", "free"].map { try insert("Pass", $0) }
            let doors = try ["front", "back"].map { try insert("Door", $0) }
            try people[0].setValue(.integer(5), forKey: "level")
            for person in people.dropFirst() { try person.setObject(people[0], forKey: "manager") }
            for (person, pass) in zip(people, passes.dropLast()) { try person.setObject(pass, forKey: "pass") }
            try people[0].setObjects([doors[0]], forKey: "doors")
            try context.save()
        }
    }
}
