// SPDX-License-Identifier: Apache-2.0

// Migrations of stores with references that aren't returned.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore
import Testing

@Suite("Migrations of one-sided references")
struct OneSidedReferenceTests {
    private static let model = Model {
        Entity("Person") {
            Attribute("name", .string).optional()
            Relationship("passport", toOne: "Passport", inverse: "person").optional()
        }
        Entity("Passport") {
            Attribute("number", .string).optional()
            Relationship("person", toOne: "Person", inverse: "passport").optional()
        }
    }

    @Test("a one-to-one reference that isn't returned is reported when it is cleared", arguments: [true, false])
    func unreturned(isWritten: Bool) throws {
        try StoreCopy.inFolder { folder in
            let path = folder + "/People.sqlite"
            let model = try ManagedObjectModel(Self.model)
            do {
                let coordinator = PersistentStoreCoordinator(model: model)
                try coordinator.add(SQLiteStore(path: path, model: model))
                try coordinator.withContext { context in
                    let person = try context.insert("Person")
                    try person.setObject(context.insert("Passport"), forKey: "passport")
                    try context.save()
                }
            }
            try Connection(path: path).execute("UPDATE ZPERSON SET ZPASSPORT = NULL")
            var next = Self.model
            // A removed attribute makes the table be written.
            if isWritten { next.entities[1].attributes = [] }
            next.entities[0].attributes.append(Attribute(name: "age", type: .int16, isOptional: true))
            let migration = try ModelMigration(from: model, to: ManagedObjectModel(next))
            let report = try SQLiteStore.migrate(path: path, by: migration, as: .rehearsal)
            let losses = report.stages[0].losses.map { "\($0.entity).\($0.property): \($0.objectCount)" }
            #expect(losses == (isWritten ? ["Passport.person: 1"] : []))
            if isWritten {
                #expect(throws: (any Error).self) { try SQLiteStore.migrate(path: path, by: migration, as: .lossless) }
            }
        }
    }
}
