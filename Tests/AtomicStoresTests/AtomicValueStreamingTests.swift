// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Predicates
import Testing

@Suite("Streamed values in stores without streaming")
struct AtomicValueStreamingTests {
    @Test("a streamed value is collected in memory and read from its row")
    func roundTrip() throws {
        let model = try Fixture.model.get()
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(AtomicStore(model: model))
        let item = try #require(model.entity(named: "Item"))
        let bytes = try #require(item.attribute(named: "bytes"))
        let writer = try coordinator.stageValue(for: bytes, of: item)
        try writer.append([1, 2, 3].span)
        try writer.append([4].span)
        let staged = try writer.finish()
        #expect(staged.value == .data(Data([1, 2, 3, 4])))
        let id = try coordinator.withContext { context in
            let object = try context.insert("Gift")
            try object.setValue(staged.value, forKey: "bytes")
            try context.save()
            return object.objectID
        }
        let reader = try #require(try coordinator.openValue(of: bytes, object: id))
        #expect(reader.size == 4)
        #expect(try reader.read(1..<3) == [2, 3])
        #expect(try reader.read(3..<9) == [4])
        #expect(try reader.read(5..<9) == [])
        let name = try #require(item.attribute(named: "name"))
        #expect(throws: GraphError.self) { try coordinator.openValue(of: name, object: id) }
    }
}
