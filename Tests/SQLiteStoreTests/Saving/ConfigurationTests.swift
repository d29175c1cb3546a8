// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("A store that keeps some entities")
struct ConfigurationTests {
    @Test("says of others that it doesn't keep them, whatever way they come")
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
