// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Self-referential derived values")
struct EndlessDerivationTests {
    private static let model = Model {
        Entity("Node") {
            Attribute("name", .string).optional()
            Attribute("total", .double).optional().derived("children.total.@sum")
            Relationship("children", toMany: "Node", inverse: "parents").optional()
            Relationship("parents", toMany: "Node", inverse: "children").optional()
        }
    }

    /// Two nodes that are children of both, with a sum in the column that grows with each computation.
    private func withCircle(_ body: (PersistentStoreCoordinator, [ManagedObjectID]) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let model = try ManagedObjectModel(Self.model)
            let store = try SQLiteStore(path: folder + "/Nodes.sqlite", model: model)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let nodes = try coordinator.withContext { context in
                let nodes = try (0..<2).map { _ in try context.insert("Node") }
                for node in nodes {
                    for child in nodes {
                        try node.add(child, to: #require(node.entity.relationship(named: "children")))
                    }
                }
                try context.save()
                return nodes.map(\.objectID)
            }
            try store.database.write { try $0.execute("UPDATE ZNODE SET ZTOTAL = 1e-320") }
            let other = PersistentStoreCoordinator(model: model)
            try other.add(store)
            try body(other, nodes)
        }
    }

    @Test("a save with endlessly changing derived values fails, and the error names them")
    func saving() throws {
        try withCircle { coordinator, nodes in
            let error = #expect(throws: GraphError.self) {
                try coordinator.withContext { context in
                    try context.existingObject(with: nodes[0]).setValue("new", forKey: "name")
                    try context.save()
                }
            }
            #expect(error?.code == .endlessDerivation)
            #expect(error?.message.contains("Node.total") == true)
            let name = try coordinator.withContext { try $0.existingObject(with: nodes[0]).value(forKey: "name") }
            #expect(name == .null)
        }
    }

    @Test("a batch with endlessly changing derived values fails with the same error")
    func batches() throws {
        try withCircle { coordinator, nodes in
            let row: [String: Value] = ["name": "new", "parents": .array([.reference(nodes[0].objectReference)])]
            let error = #expect(throws: GraphError.self) {
                try coordinator.execute(BatchInsertRequest("Node", rows: [row]))
            }
            #expect(error?.code == .endlessDerivation)
            let count = try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Node")) }
            #expect(count == 2)
        }
    }
}
