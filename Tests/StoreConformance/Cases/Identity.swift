// SPDX-License-Identifier: Apache-2.0

// The identity of objects and of the store.

import FoundationEssentials
import ObjectGraph
import Predicates

extension ConformanceCase {
    static let identity = [
        uris, references, newIDs, keptReferences, keptInBatches, metadata, metadataWithSave, readOnly,
    ]

    static let uris = ConformanceCase("An object's URI refers to it after reopening") { world in
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

    static let references = ConformanceCase("References are read back from their text, and other text refers to no row")
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

    static let newIDs = ConformanceCase("No ID is issued twice, saved or not, also after reopening") { world in
        var current = world
        var saved: Set<ManagedObjectID> = []
        var unsaved: Set<ManagedObjectID> = []
        for _ in 0..<3 {
            // A second request returns new IDs.
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
            // IDs that were never saved are no longer in use, so they may be issued again after reopening.
            if next.store !== current.store { unsaved = [] }
            current = next
        }
    }

    static let keptReferences = ConformanceCase(
        "Kept reference numbers are issued once each, and later versions are greater"
    ) { world in
        guard case .integer(let given)? = try world.insert("Statue", "first")[0].reference else { return }
        let statue = try world.entity("Statue")
        let wanted: [Int64?] = [given, given + 40, given + 20, given + 40, nil]
        func ids() throws -> [ManagedObjectID] {
            var references: [Int: ManagedObjectID.Reference] = [:]
            for (place, number) in wanted.enumerated() { references[place] = number.map { .integer($0) } }
            return try world.store.permanentIDs(for: wanted.map { _ in statue }, keeping: references)
        }
        let first = try ids()
        try require("The number of IDs", Set(first).count, is: wanted.count)
        try require(first[0].reference != .integer(given), "An object's reference was given again")
        guard first[1].reference == .integer(given + 40) else {
            return try require(first[2].reference != .integer(given + 20), "One of two numbers was kept")
        }
        try require("A smaller number", first[2].reference, is: .integer(given + 20))
        // A number that no save has used can still be kept.
        try require("The same numbers", try ids()[1...2].map(\.reference), is: first[1...2].map(\.reference))
        let kept = try world.insert("kept", keeping: given + 20, version: 7)
        try require("The kept reference", kept.reference, is: .integer(given + 20))
        try require("The version of an object that was kept", world.version(kept), is: 8)
        let other = try world.insert("other", keeping: given + 20, version: 7)
        try require(other != kept, "A reference was kept twice")
        try require("The version of an object that wasn't", world.version(other), is: 1)
        try world.change { context in context.delete(try context.existingObject(with: kept)) }
        let again = try world.insert("again", keeping: given + 20, version: 7)
        try require(again != kept, "The reference of a deleted object was given again")
        let later = try world.newIDs("Statue", "Sketch", "Room") + world.insert("Statue", "a", "b")
        try require(Set(later).isDisjoint(with: first + [kept, other, again]), "A kept reference was given to others")
        let next = try world.reopened().insert("next", keeping: given + 20)
        try require(next != kept, "It was given again after reopening")
    }

    static let keptInBatches = ConformanceCase(
        "Batch rows keep their reference numbers in any order and refer to each other by them"
    ) {
        world in
        guard case .integer(let given)? = try world.insert("Statue", "first")[0].reference else { return }
        let numbers: [Int64] = [given + 9, given + 10, given + 3, given + 30, given + 3, given, given + 4]
        var rows = numbers.enumerated().makeIterator()
        var request = BatchInsertRequest(rowsOf: "Room") {
            rows.next().map { place, number in
                let identity = RetainedReference(reference: .integer(number), version: Int64(place))
                return BatchInsertRequest.Row(["name": .string("\(place)")], keeping: identity)
            }
        }
        request.resultType = .objectIDs
        let ids = try world.coordinator.execute(request).objectIDs
        try require("The number of rows", Set(ids).count, is: numbers.count)
        try require("The rows", world.names("Room"), is: numbers.indices.map { "\($0)" })
        let kept = ids.indices.filter { ids[$0].reference == .integer(numbers[$0]) }
        for place in kept {
            try require("The version of row \(place)", world.version(ids[place]), is: Int64(place) + 1)
        }
        for place in Set(ids.indices).subtracting(kept) {
            try require("The version of row \(place)", world.version(ids[place]), is: 1)
        }
        for (place, id) in ids.enumerated() {
            let row = try require(world.snapshot(id), "A row isn't there")
            try require("The name of row \(place)", row.row.attributes.contains(.string("\(place)")), is: true)
        }
        if kept.contains(0) { try require(kept.contains(2) && kept.contains(3), "Numbers that were free weren't kept") }
    }

    static let metadata = ConformanceCase(
        "Metadata are stored along with the store's type and identifier",
        needs: [.metadata]
    ) { world in
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
        "Metadata can't change a store's type or identifier",
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
        "A read-only store can be read and refuses to write",
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
