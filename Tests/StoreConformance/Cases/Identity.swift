// SPDX-License-Identifier: Apache-2.0

// What a store calls its objects, and what it says of itself.

import FoundationEssentials
import ObjectGraph
import Predicates

extension ConformanceCase {
    static let identity = [
        uris, references, newIDs, metadata, metadataWithSave, readOnly,
    ]

    static let uris = ConformanceCase("An object's URI names it later too") { world in
        let ids = try world.insert("Statue", "a", "b") + world.insert("Sketch", "c")
        let again = try world.reopened()
        try require("The store's identifier", again.store.identifier, is: world.store.identifier)
        for (id, name) in zip(ids, ["a", "b", "c"]) {
            let found = try require(again.coordinator.objectID(forURI: id.uri), "\(id.uri) names nothing")
            try require("The ID of \(id.uri)", found, is: id)
            try again.read { context in
                let object = try context.existingObject(with: found)
                try require("The name behind \(id.uri)", object.name, is: name)
                try require("The ID of the object", context.the("Exhibit", name).objectID.uri, is: id.uri)
            }
        }
    }

    static let references = ConformanceCase("References are read from what they are written as, and from nothing else")
    { world in
        for id in try world.insert("Statue", "a", "b") {
            let reference = try require(id.reference, "The ID has no reference")
            let text =
                switch reference {
                case .integer(let number): "\(number)"
                case .text(let text): text
                }
            try require("The reference of \(text)", world.store.reference(from: text), is: reference)
        }
        for text in ["", "99999999999999999999999999"] {
            guard let reference = world.store.reference(from: text) else { continue }
            let id = ManagedObjectID(
                entity: try world.entity("Statue"),
                store: world.store.identifier,
                reference: reference
            )
            try require("The row of \(text)", world.snapshot(id)?.objectID, is: nil)
        }
    }

    static let newIDs = ConformanceCase("No ID is given twice, saved or not, opened again or not") { world in
        var current = world
        var saved: Set<ManagedObjectID> = []
        var unsaved: Set<ManagedObjectID> = []
        for _ in 0..<3 {
            // What is asked for twice is told anew.
            for _ in 0..<2 {
                let ids = try current.newIDs("Statue", "Sketch", "Room", "Statue", "Specimen")
                try require(
                    ids.allSatisfy { $0.storeIdentifier == world.store.identifier },
                    "An ID is of another store"
                )
                try require("The number of IDs", Set(ids).count, is: ids.count)
                try require(saved.union(unsaved).isDisjoint(with: ids), "An ID was given again")
                unsaved.formUnion(ids)
            }
            let new = try current.insert("Statue", "a", "b") + current.insert("Room", "a")
            try require(
                saved.union(unsaved).isDisjoint(with: new),
                "The ID of something else was given to a new object"
            )
            saved.formUnion(new)
            try current.change { context in
                for id in new { context.delete(try context.existingObject(with: id)) }
            }
            let next = try current.reopened()
            // Nobody has IDs any more that were never saved, so that they may be given again after reopening.
            if next.store !== current.store { unsaved = [] }
            current = next
        }
    }

    static let metadata = ConformanceCase("Metadata are kept, with the store's type and identifier", needs: [.metadata])
    { world in
        let metadata = StoreMetadata(values: [
            "note": "mine", "count": 5, "nested": .dictionary(["list": [1, "two", .null]]), "text": "é\u{0}\r\n",
        ])
        let given = world.store.metadata
        try world.store.setMetadata(metadata)
        try world.insert("Statue", "a")
        for world in [world, try world.reopened()] {
            let found = world.store.metadata.values
            for (key, value) in metadata.values { try require("“\(key)”", found[key], is: value) }
            let identifier = Value.string(world.store.identifier.uuidString)
            try require("The identifier", found[StoreMetadata.identifierKey], is: identifier)
            try require(found[StoreMetadata.typeKey] != nil, "The metadata have no type")
            try require(
                "The type",
                found[StoreMetadata.typeKey],
                is: given.values[StoreMetadata.typeKey]
            )
        }
    }

    static let metadataWithSave = ConformanceCase(
        "Metadata can't give a store another type or identifier",
        needs: [.metadata]
    ) { world in
        let before = world.store.metadata
        try? world.store.setMetadata(
            StoreMetadata(values: [StoreMetadata.typeKey: "Other", StoreMetadata.identifierKey: "Other", "note": 1])
        )
        try world.insert("Statue", "a")
        for world in [world, try world.reopened()] {
            let after = world.store.metadata
            for key in [StoreMetadata.typeKey, StoreMetadata.identifierKey] {
                try require("“\(key)”", after.values[key], is: before.values[key])
            }
        }
    }

    static let readOnly = ConformanceCase(
        "A store opened for reading is read, and not written",
        needs: [.reopening, .readOnly]
    ) { world in
        try world.change { context in try Museum.fill(context) }
        let before = try world.everything()
        let reading = try world.reopened(isReadOnly: true)
        try require(reading.store.isReadOnly, "The store doesn't know that it is read-only")
        try requireSame("The store", reading.everything(), as: before)
        try requireError(.readOnly, "Inserting into it") { try reading.insert("Statue", "new") }
        try require(
            (try? reading.change { try $0.the("Statue", "zoo").setValue("x", forKey: "name") }) == nil,
            "A read-only store was changed"
        )
        try require((try? reading.store.setMetadata(StoreMetadata())) == nil, "Its metadata were changed")
        try requireSame("The store", world.reopened().everything(), as: before)
    }
}
