// SPDX-License-Identifier: Apache-2.0

// Many rows in one save.

import ObjectGraph
import Predicates

extension ConformanceCase {
    static let manyRows = ConformanceCase("Ten thousand rows are saved at once, changed, and deleted") { world in
        let total = 10_000
        let room = try world.coordinator.withContext { context in
            let room = try context.make("Room", "hall")
            let exhibits = try (0..<total).map { number in
                try context.make("Statue", "\(number)", ["worth": .integer(Int64(number))])
            }
            for exhibit in exhibits { try exhibit.relate("room", room) }
            try context.save()
            return room.objectID
        }
        try world.change { context in
            for exhibit in try context.all("Statue") {
                guard case .integer(let worth) = try exhibit.value(forKey: "worth") else { continue }
                if worth % 10 == 0 {
                    context.delete(exhibit)
                } else {
                    try exhibit.setValue(.integer(-worth), forKey: "worth")
                }
            }
        }
        for world in [world, try world.reopened()] {
            var request = StoreFetchRequest(entity: try world.entity("Exhibit"))
            request.predicate = try ObjectPredicate("worth < 0 AND room.name == 'hall'")
            request.sortDescriptors = [ObjectSortDescriptor("worth", ascending: false)]
            let ids = try world.objectIDs(request)
            try require("The number of rows", ids.count, is: total * 9 / 10)
            let members = try world.store.members(of: world.relationship("Room", "exhibits"), owners: [room], at: nil)
            try require(members[0] == ids, "The members are others than the rows, or in another order")
            let slot = try world.slot("Statue", "worth")
            let worths = try world.store.snapshots(of: ids, at: nil).map { $0?.row.attributes[slot] }
            let expected = (0..<total).filter { $0 % 10 != 0 }.map { Value.integer(-Int64($0)) }
            try require(worths == expected, "The values are others than those saved")
        }
    }
}
