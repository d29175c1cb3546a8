// SPDX-License-Identifier: Apache-2.0

// Batches that add more rows to ordered relationships than are written at once.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Testing

@Suite("Batches into ordered relationships")
struct OrderedBatchTests {
    @Test("rows of a batch are appended to an ordered relationship in their order", arguments: [false, true])
    func order(isMany: Bool) throws {
        let back = isMany ? "albums" : "album"
        let model = try ManagedObjectModel(
            Model {
                Entity("Album") { Relationship("photos", toMany: "Photo", inverse: back).optional().ordered() }
                Entity("Photo") {
                    Attribute("number", .int64).default(0)
                    if isMany {
                        Relationship("albums", toMany: "Album", inverse: "photos").optional()
                    } else {
                        Relationship("album", toOne: "Album", inverse: "photos").optional()
                    }
                }
            }
        )
        try StoreCopy.inFolder { folder in
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: folder + "/Albums.sqlite", model: model))
            let album = try coordinator.withContext { context in
                let album = try context.insert("Album")
                try context.save()
                return album.objectID
            }
            var number: Int64 = 0
            for count in [700, 800] as [Int64] {
                let end = number + count
                try coordinator.execute(
                    BatchInsertRequest("Photo") {
                        guard number < end else { return nil }
                        number += 1
                        return ["number": .integer(number), back: isMany ? .array([album.value]) : album.value]
                    }
                )
            }
            try coordinator.withContext { context in
                let photos = try context.object(with: album).objects(forKey: "photos")
                #expect(try photos.map { try $0.value(forKey: "number") } == (1...1_500).map { .integer($0) })
            }
        }
    }
}
