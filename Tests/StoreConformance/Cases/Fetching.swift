// SPDX-License-Identifier: Apache-2.0

// What fetches find, in which order, and how many.

import FoundationEssentials
import ObjectGraph
import Predicates

extension ConformanceCase {
    static let fetching = [
        predicates, objectPredicates, leadingNowhere, sorting, nilFirst, windows, subentities, kindsOfAnswers,
        rowsInOrder, chosenMembers, pagesOfMembers,
    ]

    static let chosenMembers = ConformanceCase(
        "Related requests give each owner the members that filtering in memory gives, in order"
    ) {
        world in
        try world.change { context in try Museum.fill(context) }
        for world in [world, try world.reopened()] {
            for (entity, name) in [("Label", "exhibits"), ("Room", "exhibits"), ("Tour", "exhibits")] {
                let relationship = try world.relationship(entity, name)
                var requests = Museum.predicates[0].formats.map { (format: $0, order: "", limit: Int?.none) }
                requests += Museum.orders[0].orders.flatMap { order in
                    [nil, 0, 1, 2, 100].map { ("worth != 3", order, $0) }
                }
                for (format, order, limit) in requests {
                    let request = RelatedRequest(
                        predicate: try ObjectPredicate(format),
                        sortDescriptors: order.isEmpty ? [] : try ObjectSortDescriptor.list(parsing: order),
                        limit: limit
                    )
                    try requireAgreement(on: request, along: relationship, of: entity, world)
                }
            }
        }
    }

    static let pagesOfMembers = ConformanceCase(
        "Members are fetched page by page, each page starting after the previous one"
    ) {
        world in
        try world.change { context in try Museum.fill(context) }
        for world in [world, try world.reopened()] {
            for (entity, name) in [("Label", "exhibits"), ("Room", "exhibits"), ("Tour", "exhibits")] {
                let relationship = try world.relationship(entity, name)
                let owners = try world.read { try $0.all(entity).map(\.objectID) }
                let all = try world.store.related(along: relationship, owners: owners, matching: nil, at: nil)
                for (owner, members) in zip(owners, all.members) {
                    for size in [1, 2, members.count + 1] {
                        let found = try pages(of: relationship, owner, size, world)
                        try require("\(entity) \(name) by \(size)", found, is: members)
                    }
                }
                let count = all.members.joined().count
                for limit in [1, count - 1, count] {
                    let request = RelatedRequest(totalLimit: limit)
                    let some = try world.store.related(along: relationship, owners: owners, matching: request, at: nil)
                    try require(some.members.joined().count >= limit, "Of \(limit) members some are left out")
                }
            }
        }
    }

    private static func pages(
        of relationship: RelationshipDescription,
        _ owner: ManagedObjectID,
        _ size: Int,
        _ world: World
    ) throws -> [ManagedObjectID] {
        var request = RelatedRequest(limit: size)
        request.includesPositions = true
        var found: [ManagedObjectID] = []
        // The bound detects paging that never ends.
        for _ in 0..<100 {
            let page = try world.store.related(along: relationship, owners: [owner], matching: request, at: nil)
            let (members, places) = (page.members[0], page.places.first ?? [])
            try require("The number of places", places.count, is: members.count)
            found += members
            guard let last = members.last, let place = places.last else { break }
            request.start = MemberPosition(number: place, member: last)
        }
        return found
    }

    private static func requireAgreement(
        on request: RelatedRequest,
        along relationship: RelationshipDescription,
        of entity: String,
        _ world: World
    ) throws {
        try world.read { context in
            let owners = try context.all(entity)
            // A missing owner and one of another entity have no members.
            let other = try context.the("Wing", "north").objectID
            let asked = owners.map(\.objectID) + [other]
            let found = try world.store.related(along: relationship, owners: asked, matching: request, at: nil)
            let evaluator = Evaluator(now: .now)
            var rows: Set<ManagedObjectID> = []
            for (owner, members) in zip(owners, found.members) {
                var expected = try owner.objects(of: relationship)
                if let predicate = request.predicate {
                    expected = try expected.filter { try evaluator.matches(predicate, $0) }
                }
                if !request.sortDescriptors.isEmpty { expected = try expected.sorted(by: request.sortDescriptors) }
                let ids = expected.prefix(request.limit ?? .max).map(\.objectID)
                let name = try owner.name
                try require("\(entity) \(name) by \(request)", members, is: ids)
                rows.formUnion(ids)
            }
            try require("The members of another entity", found.members.last ?? [], is: [])
            try require("The number of rows", found.rows.count, is: rows.count)
            try require(Set(found.rows.map(\.objectID)) == rows, "The rows are not those of the members")
        }
    }

    static let predicates = ConformanceCase("A predicate finds the same objects in the store as in memory") { world in
        try world.change { context in
            try Museum.fill(context)
            for (name, values) in Museum.specimens { try context.makeSpecimen(name, values) }
        }
        for world in [world, try world.reopened()] {
            for (entity, formats) in Museum.predicates {
                for format in formats {
                    try requireAgreement(on: ObjectPredicate(format), of: entity, world)
                }
            }
        }
    }

    static let objectPredicates = ConformanceCase("Objects are found by identity and by related objects") {
        world in
        try world.change { context in try Museum.fill(context) }
        let again = try world.reopened()
        let ids = try again.read { context in
            (
                red: try context.the("Room", "red").objectID, oil: try context.the("Label", "oil").objectID,
                zoo: try context.the("Statue", "zoo").objectID, arger: try context.the("Painting", "Ärger").objectID
            )
        }
        for world in [world, again] {
            for predicate in [
                try ObjectPredicate("room == %@", ids.red), try ObjectPredicate("room != %@", ids.red),
                try ObjectPredicate("SELF == %@", ids.zoo), try ObjectPredicate("SELF IN %@", [ids.zoo, ids.arger]),
                try ObjectPredicate("objectID == %@", ids.arger), try ObjectPredicate("NOT SELF IN %@", [ids.zoo]),
                try ObjectPredicate("labels CONTAINS %@", ids.oil), try ObjectPredicate("%@ IN labels", ids.oil),
                try ObjectPredicate("ANY labels == %@", ids.oil),
                try ObjectPredicate("ANY tours.exhibits == %@", ids.zoo),
                try ObjectPredicate("room IN %@ OR SELF == %@", [ids.red], ids.zoo),
                try ObjectPredicate("room.objectID == %@", ids.red),
            ] {
                try requireAgreement(on: predicate, of: "Exhibit", world)
            }
        }
    }

    static let leadingNowhere = ConformanceCase(
        "A reference to a deleted object isn't nil, and key paths through it are"
    ) {
        world in
        try world.change { context in
            let statue = try context.make("Statue", "gone")
            for name in ["Eve", "Fay"] { try context.make("Visitor", name).relate("favourite", statue) }
            try context.make("Visitor", "Gus").relate("favourite", context.make("Statue", "here"))
            try context.make("Visitor", "Hal")
        }
        try world.change { context in context.delete(try context.the("Statue", "gone")) }
        for world in [world, try world.reopened()] {
            let id = try world.read { context in
                let gone = try context.the("Visitor", "Eve").related("favourite")
                return try require(gone.first, "What leads to a deleted object is nil").objectID
            }
            for predicate in [
                try ObjectPredicate("favourite == nil"), try ObjectPredicate("favourite != nil"),
                try ObjectPredicate("favourite == %@", id), try ObjectPredicate("favourite.objectID == %@", id),
                try ObjectPredicate("favourite.name == nil"), try ObjectPredicate("favourite.name == 'here'"),
                try ObjectPredicate("favourite.room == nil AND favourite != nil AND favourite.name == nil"),
                try ObjectPredicate("favourite.labels.@count == 0 AND favourite.name == nil AND favourite != nil"),
            ] {
                try requireAgreement(on: predicate, of: "Visitor", world)
            }
        }
    }

    /// Requires that the store and the evaluator find the same objects, some but not all of them.
    private static func requireAgreement(on predicate: ObjectPredicate, of entity: String, _ world: World) throws {
        let found = try world.objectIDs(StoreFetchRequest(entity: world.entity(entity), predicate: predicate))
        let (expected, total) = try world.read { context in
            let (all, evaluator) = (try context.all(entity), Evaluator(now: .now))
            return (try all.filter { try evaluator.matches(predicate, $0) }.map(\.objectID), all.count)
        }
        try require(Set(found).count == found.count, "\(entity): \(predicate) finds objects twice")
        try require(
            Set(found) == Set(expected),
            "\(entity): \(predicate) finds \(found) in the store and \(expected) in memory"
        )
        try require(!expected.isEmpty && expected.count < total, "\(entity): \(predicate) doesn't tell objects apart")
    }

    static let sorting = ConformanceCase("Objects are in the requested order") { world in
        try world.change { context in
            try Museum.fill(context)
            for (name, values) in Museum.specimens { try context.makeSpecimen(name, values) }
        }
        for world in [world, try world.reopened()] {
            for (entity, orders) in Museum.orders {
                for text in orders {
                    // The last key leaves no two objects equal.
                    let order = try ObjectSortDescriptor.list(parsing: text) + [ObjectSortDescriptor("name")]
                    let request = StoreFetchRequest(entity: try world.entity(entity), sortDescriptors: order)
                    let found = try world.objectIDs(request)
                    let expected = try world.read { context in
                        try context.all(entity).sorted(by: order).map(\.objectID)
                    }
                    try require("\(entity) sorted by \(text)", found, is: expected)
                }
            }
        }
    }

    static let nilFirst = ConformanceCase("Nil is first in ascending and last in descending order") { world in
        try world.change { context in
            for (name, rank) in [("b", 2), ("n", .null), ("z", 0), ("l", .integer(.min))] as [(String, Value)] {
                try context.make("Specimen", name, ["rank": rank])
            }
        }
        for (ascending, expected) in [(true, ["n", "l", "z", "b"]), (false, ["b", "z", "l", "n"])] {
            try world.verify { context in
                var request = FetchRequest<ManagedObject>("Specimen")
                request.sortDescriptors = [ObjectSortDescriptor("rank", ascending: ascending)]
                try require("The order", context.fetch(request).map { try $0.name }, is: expected)
            }
        }
    }

    static let windows = ConformanceCase("An offset and a limit select a window of the result") { world in
        try world.change { context in
            for number in 0..<10 { try context.make("Statue", "\(number)", ["worth": .integer(Int64(number))]) }
        }
        let again = try world.reopened()
        for world in [world, again] {
            var request = StoreFetchRequest(
                entity: try world.entity("Exhibit"),
                predicate: try ObjectPredicate("worth > 1")
            )
            request.sortDescriptors = [ObjectSortDescriptor("worth", ascending: false)]
            let slot = try world.slot("Exhibit", "worth")
            let all = Array((2...9).reversed())
            for (offset, limit) in [(0, nil), (3, nil), (0, 3), (2, 3), (6, 5), (8, 1), (100, nil), (0, 100), (2, 0)]
                as [(Int, Int?)]
            {
                (request.offset, request.limit) = (offset, limit)
                let expected = all.dropFirst(offset).prefix(limit ?? .max).map { Value.integer(Int64($0)) }
                let window = "The window from \(offset), at most \(limit ?? .max) long"
                try require(window, world.snapshots(request).map { $0.row.attributes[slot] }, is: expected)
                try require("The IDs of it", world.objectIDs(request), is: world.snapshots(request).map(\.objectID))
                try require("The count of it", world.count(request), is: expected.count)
            }
        }
    }

    static let subentities = ConformanceCase(
        "An entity's objects include those of its subentities if requested"
    ) {
        world in
        try world.insert("Painting", "painting")
        try world.insert("Sketch", "sketch 1", "sketch 2")
        try world.insert("Statue", "statue")
        try world.insert("Room", "room")
        for world in [world, try world.reopened()] {
            for (name, all, own) in [("Exhibit", 4, 0), ("Painting", 3, 1), ("Sketch", 2, 2), ("Statue", 1, 1)] {
                var request = StoreFetchRequest(entity: try world.entity(name))
                try require("Objects of \(name)", world.count(request), is: all)
                try require("Objects of \(name)", world.objectIDs(request).count, is: all)
                request.includesSubentities = false
                try require("Objects of \(name) alone", world.count(request), is: own)
                try require("Objects of \(name) alone", world.objectIDs(request).count, is: own)
            }
            let ids = try world.objectIDs(StoreFetchRequest(entity: world.entity("Exhibit")))
            let entities = ids.map(\.entity.name).sorted()
            try require("The IDs' entities", entities, is: ["Painting", "Sketch", "Sketch", "Statue"])
            var request = StoreFetchRequest(entity: try world.entity("Exhibit"))
            request.predicate = try ObjectPredicate("entity == 'Sketch'")
            try require("Objects by the name of their entity", world.count(request), is: 2)
        }
    }

    static let kindsOfAnswers = ConformanceCase("Snapshots, IDs and counts of a fetch agree") { world in
        try world.change { context in try Museum.fill(context) }
        let again = try world.reopened()
        for world in [world, again] {
            for entity in world.model.entities {
                var request = StoreFetchRequest(entity: entity)
                request.sortDescriptors = [ObjectSortDescriptor("name", ascending: false)]
                let (snapshots, ids) = (try world.snapshots(request), try world.objectIDs(request))
                try require("The IDs", ids, is: snapshots.map(\.objectID))
                try require("The count", world.count(request), is: ids.count)
                let rows = try world.store.snapshots(of: ids, at: nil).map { $0?.row }
                try require("The rows", rows, is: snapshots.map(\.row))
            }
        }
    }

    static let rowsInOrder = ConformanceCase("Snapshots are in the order of their IDs, with nil for missing rows") {
        world in
        let ids = try world.insert("Statue", "a", "b", "c")
        let unused = try world.newIDs("Statue", "Statue")
        for world in [world, try world.reopened()] {
            let asked = [ids[2], unused[0], ids[0], ids[2], unused[1], ids[1]]
            let found = try world.store.snapshots(of: asked, at: nil).map { $0?.objectID }
            try require("The rows", found, is: [ids[2], nil, ids[0], ids[2], nil, ids[1]])
            try require("The rows of no IDs", world.store.snapshots(of: [], at: nil).count, is: 0)
            // An ID that has only a parent entity refers to the same row.
            let above = ManagedObjectID(
                entity: try world.entity("Exhibit"),
                store: world.store.identifier,
                reference: try require(ids[0].reference, "The ID has no reference")
            )
            let row = try require(world.snapshot(above), "The row isn't found by the entity above")
            try require("The entity of the row", row.objectID.entity.name, is: "Statue")
        }
    }
}
