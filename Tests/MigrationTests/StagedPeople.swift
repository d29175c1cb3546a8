// SPDX-License-Identifier: Apache-2.0

// The versions of a model and the objects that migrations in stages are tested with.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates

enum StagedPeople {
    /// A name, which the second version splits, and the third has only in parts.
    static let models = [
        Model {
            Entity("Person") {
                Attribute("name", .string).optional()
                Attribute("photo", .binary).optional().externalStorage()
            }
        },
        Model {
            Entity("Person") {
                Attribute("name", .string).optional()
                Attribute("first", .string).default("")
                Attribute("last", .string).default("").length(0...20)
                Attribute("photo", .binary).optional().externalStorage()
                Relationship("team", toOne: "Team", inverse: "members").optional()
            }
            Entity("Team") {
                Attribute("title", .string)
                Attribute("size", .int64).optional().derived("members.@count")
                Relationship("members", toMany: "Person", inverse: "team").optional().ordered()
                UniquenessConstraint("title")
            }
        },
        Model {
            Entity("Person") {
                Attribute("first", .string).default("")
                Attribute("last", .string).default("").length(0...20)
                Attribute("photo", .binary).optional().externalStorage()
                Relationship("team", toOne: "Team", inverse: "members").optional()
            }
            Entity("Team") {
                Attribute("title", .string)
                Attribute("size", .int64).optional().derived("members.@count")
                Relationship("members", toMany: "Person", inverse: "team").optional().ordered()
                UniquenessConstraint("title")
            }
        },
    ]

    static func versions() throws -> [ManagedObjectModel] { try models.map { try ManagedObjectModel($0) } }

    /// Ann with a photo in a file, Ben with one in his row, and Cid.
    static func stores(_ model: ManagedObjectModel) throws -> MigratedStores {
        try MigratedStores(model) { coordinator in
            try coordinator.withContext { context in
                for (name, size) in [("Ann Ash", 200_000), ("Ben Birch", 10), ("Cid Cox", 0)] {
                    let person = try context.insert("Person")
                    try person.setValue(.string(name), forKey: "name")
                    if size > 0 { try person.setValue(photo(size), forKey: "photo") }
                }
                try context.save()
            }
        }
    }

    static func photo(_ size: Int, _ byte: UInt8 = 1) -> Value { .data(Data(repeating: byte, count: size)) }

    static let split: MigrationStage.Closure = { context in
        for person in try context.fetch(FetchRequest<ManagedObject>("Person")) {
            let words = try person.text("name").split(separator: " ")
            try person.setValue(.string(String(words[0])), forKey: "first")
            try person.setValue(.string(String(words[1])), forKey: "last")
            try person.setValue(.null, forKey: "name")
        }
    }

    /// Replaces a file, writes a new one, and saves in between.
    static let changePhotos: MigrationStage.Closure = { context in
        for (place, person) in try context.fetch(FetchRequest<ManagedObject>("Person")).enumerated() {
            try person.setValue(photo(150_000 + place, 2), forKey: "photo")
            if place == 1 { try context.save() }
        }
    }
}

extension ManagedObject {
    func text(_ key: String) throws -> String {
        if case .string(let text) = try value(forKey: key) { text } else { "" }
    }
}
