// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("Stores of a configuration")
struct ConfigurationTests {
    @Test("a configuration's store is found by its file and refused for other configurations")
    func found() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Above", isAbstract: true) {}
                Entity("Left", parent: "Above") { Attribute("name", .string).optional() }
                Entity("Middle", parent: "Above") {}
                Entity("Right") { Attribute("name", .string).optional() }
                Configuration("Rights", entities: ["Right"])
                Configuration("Lefts", entities: ["Left"])
                Configuration("All", entities: ["Left", "Right"])
            }
        )
        try Checkout.withFolder { folder in
            let path = folder + "/Lefts.sqlite"
            var options = SQLiteStoreOptions()
            options.configuration = "Lefts"
            let made = try SQLiteStore(path: path, model: model, options: options)
            #expect(made.configuration == "Lefts")
            for name in [nil, "Rights", "All"] {
                options.configuration = name
                let error = #expect(throws: StoreError.self) {
                    try SQLiteStore(path: path, model: model, options: options)
                }
                #expect(
                    error?.code == .otherModel
                        && error?.message.contains("only the entities of the configuration “Lefts”") == true
                )
            }
            (options.configuration, options.findsConfiguration) = (nil, true)
            #expect(try SQLiteStore(path: path, model: model, options: options).configuration == "Lefts")
            #expect(try SQLiteStore(path: path, options: options).configuration == "Lefts")
            // A store of all entities fits each configuration.
            let whole = folder + "/All.sqlite"
            #expect(try SQLiteStore(path: whole, model: model, options: options).configuration == nil)
            #expect(try SQLiteStore(path: whole, model: model, options: options).configuration == nil)
            options.configuration = "Rights"
            #expect(try SQLiteStore(path: whole, model: model, options: options).configuration == "Rights")
        }
    }

    @Test("entities outside the store's configuration are refused in saves and batches")
    func otherEntities() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Left") { Attribute("name", .string).optional() }
                Entity("Right") { Attribute("name", .string).optional() }
                Configuration("Lefts", entities: ["Left"])
            }
        )
        try Checkout.withFolder { folder in
            var options = SQLiteStoreOptions()
            options.configuration = "Lefts"
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: folder + "/Lefts.sqlite", model: model, options: options))
            let failures: [() throws -> Void] = [
                {
                    try coordinator.withContext { context in
                        try context.insert("Right")
                        try context.save()
                    }
                },
                { _ = try coordinator.execute(BatchInsertRequest("Right", rows: [["name": "a"]])) },
                {
                    _ = try coordinator.execute(
                        BatchInsertRequest("Right", rows: [["name": "a"]]),
                        mergePolicy: .overwrite
                    )
                },
            ]
            for fail in failures {
                let error = #expect(throws: GraphError.self) { try fail() }
                let reason = error?.underlying as? StoreError
                #expect(reason?.code == .foreignObject && reason?.message.contains("Right") == true, "\(error as Any)")
            }
        }
    }
}
