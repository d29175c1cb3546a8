// SPDX-License-Identifier: Apache-2.0

// Uniqueness constraints, within a save and against existing rows.

import ObjectGraph
import ObjectModel
import Predicates

extension ConformanceCase {
    static let uniqueness = [
        uniqueAgainstRows, uniqueWithinSave, compoundUniqueness, swappedValues, nilIsNotUnique, uniqueAmongSubentities,
        freedValues, violations,
    ]

    static let uniqueAgainstRows = ConformanceCase(
        "A value that another row has is refused, and nothing is written",
        needs: [.uniqueness]
    ) { world in
        try world.insert("Room", "red", "blue")
        for world in [world, try world.reopened()] {
            let before = try world.everything()
            let error = try requireError(.constraint, "Inserting a name that is taken") {
                try world.insert("Room", "green", "red")
            }
            try require("The violations", error.constraintConflicts.count, is: 1)
            try requireError(.constraint, "Changing a name to one that is taken") {
                try world.change { try $0.the("Room", "blue").setValue("red", forKey: "name") }
            }
            try requireSame("The store", world.everything(), as: before)
        }
    }

    static let uniqueWithinSave = ConformanceCase(
        "Two new rows with the same unique value are refused, and nothing is written",
        needs: [.uniqueness]
    ) { world in
        try world.insert("Room", "red")
        let before = try world.everything()
        let error = try requireError(.constraint, "Inserting a name twice") {
            try world.insert("Room", "green", "blue", "green")
        }
        let violation = try require(error.constraintConflicts.first, "The error tells no violation")
        try require("The objects of the violation", violation.objects.count, is: 2)
        try require("The stored one", violation.stored?.objectID, is: nil)
        try requireSame("The store", world.everything(), as: before)
        try requireSame("The store", world.reopened().everything(), as: before)
    }

    static let compoundUniqueness = ConformanceCase(
        "Values that are unique in combination may repeat individually",
        needs: [.uniqueness]
    ) {
        world in
        let keys: [(section: Value, number: Value)] = [("A", 1), ("A", 2), ("B", 1)]
        try world.change { context in
            for (place, key) in keys.enumerated() {
                try context.make("Statue", "\(place)", ["section": key.section, "number": key.number])
            }
        }
        for world in [world, try world.reopened()] {
            try requireError(.constraint, "Inserting a section and number that are taken") {
                try world.change { try $0.make("Statue", "new", ["section": "A", "number": 2]) }
            }
            try requireError(.constraint, "Changing one part to what is taken with the other") {
                try world.change { try $0.the("Statue", "2").setValue("A", forKey: "section") }
            }
            try require("The names", world.names("Statue"), is: ["0", "1", "2"])
        }
    }

    static let swappedValues = ConformanceCase(
        "Rows can exchange unique values in one save",
        needs: [.uniqueness]
    ) { world in
        let ids = try world.insert("Room", "red", "blue", "green")
        for (shift, expected) in [(1, ["blue", "green", "red"]), (2, ["red", "blue", "green"])] {
            try world.change { context in
                let rooms = try ids.map { try context.existingObject(with: $0) }
                let names = try rooms.map { try $0.value(forKey: "name") }
                for (place, room) in rooms.enumerated() {
                    try room.setValue(names[(place + shift) % names.count], forKey: "name")
                }
            }
            try world.verify { context in
                let names = try ids.map { try context.existingObject(with: $0).name }
                try require("The names", names, is: expected)
            }
        }
        try world.change { context in
            let rooms = try ids.map { try context.existingObject(with: $0) }
            try rooms[0].setValue("blue", forKey: "name")
            try rooms[1].setValue("red", forKey: "name")
        }
        try requireError(.constraint, "Taking a name that was swapped") { try world.reopened().insert("Room", "red") }
    }

    static let nilIsNotUnique = ConformanceCase(
        "Nil values never violate a uniqueness constraint",
        needs: [.uniqueness]
    ) { world in
        for round in 0..<2 {
            try world.change { context in
                for name in ["a", "b"] {
                    try context.insert("Room")
                    let values: [String: Value] = round == 0 ? ["section": "A"] : ["number": 1]
                    try context.make("Statue", "\(name)\(round)", values)
                }
            }
        }
        let again = try world.reopened()
        try again.insert("Statue", "c")
        try require("The rooms", again.names("Room"), is: ["", "", "", ""])
        try require("The statues", again.names("Statue"), is: ["a0", "a1", "b0", "b1", "c"])
    }

    static let uniqueAmongSubentities = ConformanceCase(
        "A constraint applies across all subentities of its entity",
        needs: [.uniqueness]
    ) { world in
        try world.change { context in
            try context.make("Sketch", "sketch", ["code": "X", "signature": "V"])
            try context.make("Statue", "statue", ["code": "Y"])
        }
        for world in [world, try world.reopened()] {
            for (entity, key, value) in [
                ("Statue", "code", "X"), ("Painting", "code", "Y"), ("Painting", "code", "X"),
                ("Painting", "signature", "V"),
            ] {
                try requireError(.constraint, "\(entity) with \(key) \(value)") {
                    try world.change { try $0.make(entity, "new", [key: .string(value)]) }
                }
            }
        }
    }

    static let freedValues = ConformanceCase(
        "A unique value is free once its row is deleted or changed",
        needs: [.uniqueness]
    ) { world in
        let ids = try world.insert("Room", "red", "blue")
        try world.change { context in
            context.delete(try context.existingObject(with: ids[0]))
            try context.existingObject(with: ids[1]).setValue("red", forKey: "name")
        }
        try world.insert("Room", "blue")
        try world.change { context in try context.the("Room", "red").setValue(.null, forKey: "name") }
        let again = try world.reopened()
        try again.insert("Room", "red")
        try require("The names", again.names("Room"), is: ["", "blue", "red"])
    }

    static let violations = ConformanceCase(
        "A violation contains the constraint, the objects and the stored row",
        needs: [.uniqueness]
    ) { world in
        let id = try world.coordinator.withContext { context in
            let statue = try context.make("Statue", "old", ["section": "A", "number": 1])
            try context.save()
            return statue.objectID
        }
        let ids = try world.newIDs("Painting", "Painting", "Painting")
        let stored = try require(world.snapshot(id), "The row is gone")
        var row = Row(
            attributes: ids[0].entity.attributes.map { $0.attribute.defaultValue ?? .null },
            toOnes: ids[0].entity.toOnes.map { _ in nil }
        )
        var request = StoreSaveRequest()
        row.attributes[try world.slot("Painting", "section")] = "A"
        row.attributes[try world.slot("Painting", "number")] = 1
        request.insertions.append(.init(objectID: ids[0], row: row))
        row.attributes[try world.slot("Painting", "number")] = 2
        row.attributes[try world.slot("Painting", "signature")] = "V"
        request.insertions.append(.init(objectID: ids[1], row: row))
        row.attributes[try world.slot("Painting", "number")] = 3
        request.insertions.append(.init(objectID: ids[2], row: row))
        guard case .conflicts(let conflicts) = try world.store.save(request, commit: Commit()) else {
            throw ConformanceFailure(message: "The save was done in spite of violations", place: #fileID)
        }
        try require("The conflicts of rows", conflicts.rows.count, is: 0)
        let found = conflicts.constraints.sorted { $0.constraint.count < $1.constraint.count }
        try require(
            "The constraints",
            found.map { $0.constraint.map(\.name) },
            is: [["signature"], ["section", "number"]]
        )
        try require("The objects", found.map { Set($0.objects) }, is: [[ids[1], ids[2]], [ids[0]]])
        try require("The stored rows", found.map { $0.stored?.row }, is: [nil, stored.row])
        try require("The stored ID", found[1].stored?.objectID, is: id)
        try require("The objects of the store", world.count(StoreFetchRequest(entity: world.entity("Exhibit"))), is: 1)
    }
}
