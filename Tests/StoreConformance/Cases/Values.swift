// SPDX-License-Identifier: Apache-2.0

// Attributes' values after saving and reopening.

import FoundationEssentials
import ObjectGraph
import Predicates

extension ConformanceCase {
    static let values = [
        everyValue, text, newText, lookAlikes, changedValues, everyValueByFetching, defaults, transients, composites,
        nilOfText,
    ]

    static let everyValue = ConformanceCase("Values of every type are read back as they were saved") { world in
        try world.change { context in
            for (name, values) in Museum.specimens { try context.makeSpecimen(name, values) }
        }
        try world.verify { context in
            for (name, values) in Museum.specimens { try context.the("Specimen", name).requireValues(values) }
        }
    }

    static let everyValueByFetching = ConformanceCase("A value is found by an equal value") { world in
        try world.change { context in
            for (name, values) in Museum.specimens { try context.makeSpecimen(name, values) }
        }
        try world.verify { context in
            for (name, values) in Museum.specimens {
                for key in [
                    "small", "middle", "large", "price", "ratio", "share", "flag", "made", "bytes", "tag", "link",
                ] {
                    let predicate = ObjectPredicate.comparing(.keyPath(key), .equal, .constant(values[key] ?? .null))
                    let found = try context.fetch(FetchRequest<ManagedObject>("Specimen", predicate: predicate))
                    let names = try found.map { try $0.name }
                    try require(names.contains(name), "“\(name)” isn't found by its \(key)")
                }
            }
        }
    }

    static let text = ConformanceCase("Text is read back code point by code point") { world in
        let ids = try world.coordinator.withContext { context in
            let objects = try Museum.texts.map { try context.make("Specimen", $0, ["link": .uri($0)]) }
            try context.save()
            return objects.map(\.objectID)
        }
        let again = try world.reopened()
        for world in [world, again] {
            let slots = [try world.slot("Specimen", "name"), try world.slot("Specimen", "link")]
            let snapshots = try world.store.snapshots(of: ids, at: nil)
            try require("The number of rows", snapshots.count, is: ids.count)
            for (expected, snapshot) in zip(Museum.texts, snapshots) {
                let row = try require(snapshot, "The row of a text is gone").row
                for (slot, value) in zip(slots, [Value.string(expected), .uri(expected)]) {
                    try require(
                        row.attributes[slot].isIdentical(to: value),
                        "\("\(row.attributes[slot])".debugDescription.prefix(200)) instead of \(expected.debugDescription)"
                    )
                }
            }
        }
    }

    static let newText = ConformanceCase("A save can replace text by canonically equivalent text") { world in
        let id = try world.insert("Specimen", "\u{E9}")[0]
        let before = try require(world.snapshot(id), "The row is gone")
        let slot = try world.slot("Specimen", "name")
        var row = before.row
        row.attributes[slot] = "e\u{301}"
        var request = StoreSaveRequest()
        request.updates = [.init(objectID: id, version: before.version, row: row, attributes: [slot], toOnes: [])]
        _ = try world.store.save(request, commit: Commit())
        for world in [world, try world.reopened()] {
            let value = try require(world.snapshot(id), "The row is gone").row.attributes[slot]
            try require(value.isIdentical(to: "e\u{301}"), "The text is still the old one")
        }
    }

    static let lookAlikes = ConformanceCase("Canonically equivalent texts are different values") { world in
        try world.insert("Room", "\u{E9}", "e\u{301}")
        try world.change { context in
            let statue = try context.make("Statue", "\u{E9}")
            try context.save()
            try statue.setValue("e\u{301}", forKey: "name")
        }
        try world.verify { context in
            try require("The rooms", context.all("Room").count, is: 2)
            let name = try context.all("Statue").map { try $0.value(forKey: "name") }
            try require(name.count == 1 && name[0].isIdentical(to: "e\u{301}"), "The text is still the old one")
        }
    }

    static let changedValues = ConformanceCase("Values can be replaced by other values and by nil") { world in
        let names = Museum.specimens.keys.sorted()
        let ids = try world.coordinator.withContext { context in
            let objects = try names.map { try context.makeSpecimen($0, Museum.specimens[$0] ?? [:]) }
            try context.save()
            return objects.map(\.objectID)
        }
        // Each object gets the values of another, so that every kind of value replaces every other kind.
        for shift in 1..<names.count {
            try world.change { context in
                for (place, id) in ids.enumerated() {
                    try context.existingObject(with: id).set(
                        Museum.specimens[names[(place + shift) % names.count]] ?? [:]
                    )
                }
            }
            try world.verify { context in
                for (place, id) in ids.enumerated() {
                    let values = Museum.specimens[names[(place + shift) % names.count]] ?? [:]
                    try context.existingObject(with: id).requireValues(values)
                }
            }
        }
    }

    static let defaults = ConformanceCase("Default values are stored, and so is nil in place of a default") { world in
        try world.change { context in
            try context.make("Specimen", "new")
            try context.make("Specimen", "nil", ["title": .null, "rank": .null])
            try context.make("Specimen", "other", ["title": "Mine", "rank": 1, "isNew": false])
        }
        try world.verify { context in
            for (name, title, rank, isNew) in [
                ("new", "Untitled", 7, true), ("nil", .null, .null, true), ("other", "Mine", 1, false),
            ] as [(String, Value, Value, Value)] {
                let object = try context.the("Specimen", name)
                try require("The title of “\(name)”", object.value(forKey: "title"), is: title)
                try require("The rank of “\(name)”", object.value(forKey: "rank"), is: rank)
                try require("isNew of “\(name)”", object.value(forKey: "isNew"), is: isNew)
            }
        }
    }

    static let transients = ConformanceCase("Transient values are not stored") { world in
        try world.change { context in try context.make("Specimen", "one", ["draft": "transient"]) }
        // Contexts give transient attributes values of their own, so the case reads the store itself.
        let id = try world.coordinator.withContext { try $0.the("Specimen", "one").objectID }
        for world in [world, try world.reopened()] {
            let row = try require(world.snapshot(id), "The row is gone").row
            let draft = try require(id.entity.attribute(named: "draft"), "There is no draft")
            try require("The draft", row.attributes[draft.slot], is: .null)
        }
    }

    static let composites = ConformanceCase("A composite's parts are read back and found by their key paths") {
        world in
        try world.change { context in
            for name in ["fraction", "least", "zero", "nil"] {
                try context.makeSpecimen(name, Museum.specimens[name] ?? [:])
            }
            let place: Value = .dictionary(["label": "default"])
            try context.make("Specimen", "default", ["place": place])
        }
        try world.verify { context in
            for (format, expected) in [
                ("place.label == 'fraction'", ["fraction"]), ("place.point.x < 0", ["least"]),
                ("place.floor == 3", ["default"]), ("place.floor == 0 AND place.label == ''", ["zero"]),
                ("place.point.y == -0.3", ["fraction"]), ("place == nil", ["nil"]),
            ] {
                let request = FetchRequest<ManagedObject>("Specimen", predicate: try ObjectPredicate(format))
                let names = try context.fetch(request).map { try $0.name }
                try require("The specimens where \(format)", names, is: expected)
            }
        }
    }

    static let nilOfText = ConformanceCase("Nil, empty text, empty data and zero are distinct values") { world in
        try world.change { context in
            try context.makeSpecimen("nil", [:])
            try context.makeSpecimen("empty", ["title": "", "bytes": .data(.init()), "rank": 0, "link": .uri("")])
        }
        try world.verify { context in
            for format in ["title == nil", "bytes == nil", "rank == nil", "link == nil"] {
                let request = FetchRequest<ManagedObject>("Specimen", predicate: try ObjectPredicate(format))
                try require(format, context.fetch(request).map { try $0.name }, is: ["nil"])
            }
            try context.the("Specimen", "nil").requireValues([:])
        }
    }
}
