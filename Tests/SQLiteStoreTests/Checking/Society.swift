// SPDX-License-Identifier: Apache-2.0

// A small store with one example of everything that can be damaged.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore

enum Society {
    static let model = Model {
        Entity("Person") {
            Attribute("name", .string)
            Attribute("nameKey", .string).optional().derived("lowercase:(name)")
            Attribute("photo", .binary).optional().externalStorage()
            Relationship("friends", toMany: "Person", inverse: "friends").ordered()
            Relationship("idol", toOne: "Person").optional()
            Relationship("boss", toOne: "Employee", inverse: "team").optional()
            Relationship("passport", toOne: "Passport", inverse: "holder").optional()
            Relationship("tags", toMany: "Tag", inverse: "people")
            Relationship("visits", toMany: "Visit", inverse: "visitor").ordered()
        }
        Entity("Employee", parent: "Person") {
            Relationship("team", toMany: "Person", inverse: "boss")
        }
        Entity("Passport") {
            Relationship("holder", toOne: "Person", inverse: "passport").optional()
        }
        Composite("Point") {
            Attribute("name", .string)
            Attribute("height", .int16).optional()
        }
        Entity("Place") {
            Attribute("title", .string)
            Attribute("summit", .composite("Point")).optional()
            Relationship("visits", toMany: "Visit", inverse: "place")
            UniquenessConstraint("title")
        }
        Entity("Tag") {
            Attribute("word", .string).optional()
            Relationship("people", toMany: "Person", inverse: "tags").count(1...2)
        }
        Entity("Visit") {
            Attribute("date", .date).optional()
            Relationship("visitor", toOne: "Person", inverse: "visits").optional()
            Relationship("place", toOne: "Place", inverse: "visits")
        }
    }

    /// Makes the store in a folder and passes its path to a closure: Ada, who is an employee, Bob and Cy; Ada and Bob
    /// are friends, Ada has a passport, a visit and, with Bob, a tag.
    static func withStore<Result>(_ body: (String) throws -> Result) throws -> Result {
        try StoreCopy.inFolder { folder in
            let path = folder + "/Society.sqlite"
            try make(path)
            return try body(path)
        }
    }

    private static func make(_ path: String) throws {
        let model = try ManagedObjectModel(model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(SQLiteStore(path: path, model: model))
        try coordinator.withContext { context in
            func insert(_ entity: String, _ values: [String: Value] = [:]) throws -> ManagedObject {
                let object = try context.insert(entity)
                for (key, value) in values { try object.setValue(value, forKey: key) }
                return object
            }
            func relate(_ object: ManagedObject, _ name: String, _ others: [ManagedObject]) throws {
                guard let relationship = object.entity.relationship(named: name) else { return }
                if relationship.isToMany {
                    try object.setObjects(others, of: relationship)
                } else {
                    try object.setObject(others.first, of: relationship)
                }
            }
            let ada = try insert("Employee", ["name": "Ada", "photo": .data(Data([1, 2, 3]))])
            let bob = try insert("Person", ["name": "Bob"])
            let cy = try insert("Person", ["name": "Cy"])
            let (passport, tag, visit) = (try insert("Passport"), try insert("Tag"), try insert("Visit"))
            let place = try insert("Place", ["title": "Here"])
            _ = try insert("Place", ["title": "There", "summit": .dictionary(["name": "Peak", "height": 3000])])
            try relate(ada, "friends", [bob])
            try relate(ada, "passport", [passport])
            try relate(tag, "people", [ada, bob])
            try visit.setValue(.date(Date(timeIntervalSinceReferenceDate: 0)), forKey: "date")
            try relate(visit, "visitor", [ada])
            try relate(visit, "place", [place])
            try relate(bob, "boss", [ada])
            try relate(cy, "idol", [bob])
            try context.save()
        }
    }

    /// Runs statements on the file as another program could.
    static func run(_ statements: [String], on path: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        for statement in statements { try connection.execute(SQL(text: statement)) }
    }
}
