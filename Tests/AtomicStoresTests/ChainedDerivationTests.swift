// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Chained derived attributes")
struct ChainedDerivationTests {
    @Test("derived values are correct along long chains")
    func chain() throws {
        let length = 50
        let model = try ManagedObjectModel(
            Model {
                for place in 0..<length {
                    Entity("Link\(place)") {
                        if place == 0 {
                            Attribute("text", .string).optional()
                        } else {
                            Attribute("text", .string).optional().derived("before.text")
                            Relationship("before", toOne: "Link\(place - 1)", inverse: "after").optional()
                        }
                        if place < length - 1 {
                            Relationship("after", toOne: "Link\(place + 1)", inverse: "before").optional()
                        }
                    }
                }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        let last = try coordinator.withContext { context in
            let links = try (0..<length).map { try context.insert("Link\($0)") }
            for (before, after) in zip(links, links.dropFirst()) {
                try after.setObject(before, of: #require(after.entity.relationship(named: "before")))
            }
            try context.save()
            try links[0].setValue("new", forKey: "text")
            try context.save()
            return links[length - 1].objectID
        }
        #expect(try coordinator.withContext { try $0.existingObject(with: last).value(forKey: "text") } == "new")
    }

    @Test("a save with endlessly changing derived values fails and changes nothing", arguments: [false, true])
    func circle(isInFile: Bool) throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Node") {
                    Attribute("text", .string).optional().derived("other.text")
                    Relationship("other", toOne: "Node", inverse: "same").optional()
                    Relationship("same", toOne: "Node", inverse: "other").optional()
                }
            }
        )
        try Checkout.withFolder { folder in
            let store =
                if isInFile {
                    try AtomicStore(path: folder + "/Nodes.xml", format: .xml, model: model)
                } else {
                    InMemoryStore(model: model)
                }
            let node = try #require(model.entity(named: "Node"))
            let ids = store.permanentIDs(for: [node, node])
            // The two exchange their texts again and again.
            var request = StoreSaveRequest()
            for (id, other, text) in [(ids[0], ids[1], "one"), (ids[1], ids[0], "two")] {
                let row = Row(attributes: [.string(text)], toOnes: [other, other])
                request.insertions.append(.init(objectID: id, row: row))
            }
            let error = #expect(throws: GraphError.self) { try store.save(request) }
            #expect(error?.code == .endlessDerivation)
            #expect(error?.message.contains("Node.text") == true)
            #expect(store.snapshots(of: ids, at: nil).allSatisfy { $0 == nil })
            #expect(!FileManager.default.fileExists(atPath: folder + "/Nodes.xml"))
        }
    }
}
