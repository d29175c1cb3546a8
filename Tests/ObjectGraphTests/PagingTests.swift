// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Paging by key")
struct PagingTests {
    private static let orders = [
        "", "sold", "-sold", "title", "-title", "title[cd],sold", "-title[c],-sold", "price,-title", "-price,sold",
        "writer.name",
        "-writer.name,price", "-writer.home.city,title", "writer", "-writer,-price", "sold,objectID", "price,-objectID",
    ]

    private static func values(_ random: inout SeededGenerator) -> [String: Value] {
        var values: [String: Value] = ["sold": .integer(Int64.random(in: 0...3, using: &random))]
        if random.chance(70) {
            values["title"] = .string(["ash", "Ash", "Äsh", "bread", "𝄞", "", "a"].randomElement(using: &random) ?? "")
        }
        if random.chance(60) { values["price"] = .double(Double(Int.random(in: -2...2, using: &random)) / 2) }
        return values
    }

    private static func insert(_ count: Int, _ shop: Bookshop, _ random: inout SeededGenerator) throws {
        let rows = (0..<count).map { _ in (values(&random), Int.random(in: 0...4, using: &random), random.chance(50)) }
        try shop.run { context in
            let writers = try context.fetch(FetchRequest<ManagedObject>("Writer"))
            for (values, writer, isSecond) in rows {
                let book = try context.insert("Book")
                for (key, value) in values { try book.setValue(value, forKey: key) }
                // Books and their writers are in one store.
                if let second = shop.second {
                    if isSecond { try context.assign(book, to: second) }
                } else if writer < writers.count {
                    try book.relate("writer", writers[writer])
                }
            }
            try context.save()
        }
    }

    /// The IDs of all pages, with an action between them.
    private static func pages(
        _ request: FetchRequest<ManagedObject>,
        _ reader: some GraphReading,
        between: () throws -> Void = {}
    ) throws -> [ManagedObjectID] {
        var found: [ManagedObjectID] = []
        var page = try reader.page(request)
        while let last = page.last {
            #expect(page.count <= request.fetchLimit)
            found += page.map(\.objectID)
            if page.count < request.fetchLimit { break }
            let keys = try reader.sortKeys(of: last, for: request)
            try between()
            page = try reader.page(request, after: keys)
        }
        return found
    }

    @Test("paging returns each row once, in order, for any keys", arguments: SeededGenerator.seeds(4), [false, true])
    func order(seed: UInt64, spansStores: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let shop = try Bookshop(spansStores: spansStores)
        try Self.insert(40, shop, &random)
        for order in Self.orders {
            var request = try FetchRequest("Book", where: random.chance(50) ? nil : "sold < 3", by: order)
            request.fetchLimit = Int.random(in: 1...20, using: &random)
            var all = request
            (all.sortDescriptors, all.fetchLimit) = (request.keyedSortDescriptors, 0)
            let expected = try shop.coordinator.read { [all] in try $0.objectIDs(all) }
            let (sortDescriptors, predicate) = (all.sortDescriptors, request.predicate)
            let inMemory = try shop.run { context in
                let unsorted = FetchRequest<ManagedObject>("Book", predicate: predicate)
                return try context.fetch(unsorted).sorted(by: sortDescriptors).map(\.objectID)
            }
            #expect(expected == inMemory, "\(order), seed \(seed)")
            let asked = request
            let read = try shop.coordinator.read { try Self.pages(asked, $0) }
            #expect(read == expected, "\(order) by \(request.fetchLimit), seed \(seed)")
            let pages = try shop.run { try Self.pages(asked, $0) }
            #expect(pages == expected, "\(order) in a context, seed \(seed)")
        }
    }

    @Test("paging neither skips nor repeats a row during insertions and deletions", arguments: SeededGenerator.seeds(4))
    func whileWriting(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for order in Self.orders {
            let shop = try Bookshop()
            try Self.insert(30, shop, &random)
            var request = try FetchRequest("Book", by: order)
            request.fetchLimit = Int.random(in: 1...7, using: &random)
            let before = Set(try shop.coordinator.read { try $0.objectIDs(FetchRequest("Book")) })
            let (found, next) = try shop.coordinator.read { [request, random] reader in
                var random = random
                let found = try Self.pages(request, reader) {
                    if random.chance(50) { try Self.insert(2, shop, &random) }
                    let books = try shop.coordinator.read { try $0.objectIDs(FetchRequest("Book")) }
                    guard random.chance(70), let gone = books.randomElement(using: &random) else { return }
                    try shop.coordinator.execute(BatchDeleteRequest(objectIDs: [gone]))
                }
                return (found, random)
            }
            random = next
            #expect(Set(found).count == found.count, "\(order), seed \(seed)")
            var all = request
            (all.sortDescriptors, all.fetchLimit) = (request.keyedSortDescriptors, 0)
            let after = try shop.coordinator.read { [all] in try $0.objectIDs(all) }
            let survivors = after.filter(before.contains)
            #expect(Set(survivors).isSubset(of: found), "\(order), seed \(seed)")
            #expect(found.filter(Set(after).contains) == after.filter(Set(found).contains), "\(order), seed \(seed)")
        }
    }

    @Test("paging returns a context's pending objects, each once")
    func pending() throws {
        let shop = try Bookshop()
        try shop.run { context in
            try context.book("Bread").setValue(1, forKey: "sold")
            context.delete(try context.book("Dew"))
            for _ in 0..<3 { try context.insert("Book").setValue(20, forKey: "sold") }
            for order in ["sold", "-sold", "-title"] {
                var request = try FetchRequest("Book", by: order)
                request.fetchLimit = 2
                let found = try Self.pages(request, context)
                #expect(found.count == 7 && Set(found).count == 7, "\(order)")
            }
        }
    }

    @Test("a wrong number of keys is an error that gives the required number")
    func keys() throws {
        let model = try Bookshop.model.get()
        let error = #expect(throws: GraphError.self) {
            try FetchRequest<ManagedObject>("Book", by: "-sold").continuations(after: [1], in: model)
        }
        #expect(error?.message == "The order -sold, -objectID has 2 keys, but there are 1 values.")
    }

    @Test("paging by ID orders references by number, store after store", arguments: [false, true])
    func identifiers(spansStores: Bool) throws {
        let shop = try Bookshop(spansStores: spansStores)
        var random = SeededGenerator(seed: 7)
        try Self.insert(30, shop, &random)
        let sorted = try shop.coordinator.read { try $0.objectIDs(FetchRequest("Book", by: "objectID")) }
        #expect(sorted.count == 35)
        func number(_ objectID: ManagedObjectID) -> Int64 {
            if case .integer(let number)? = objectID.reference { number } else { -1 }
        }
        let expected = sorted.sorted {
            ($0.storeIdentifier?.uuidString ?? "", number($0)) < ($1.storeIdentifier?.uuidString ?? "", number($1))
        }
        #expect(sorted == expected)
        for (place, objectID) in sorted.enumerated() {
            for (format, count) in [
                ("objectID < %@", place), ("objectID <= %@", place + 1), ("SELF > %@", 34 - place),
                ("%@ <= SELF", 35 - place),
            ] {
                let request = FetchRequest<ManagedObject>("Book", predicate: try ObjectPredicate(format, objectID))
                #expect(try shop.coordinator.read { try $0.count(request) } == count, "\(format) \(place)")
                let predicate = try ObjectPredicate(format, objectID)
                let evaluated = try shop.run { context in
                    let evaluator = Evaluator(now: .now)
                    return try context.fetch(FetchRequest<ManagedObject>("Book")).count {
                        try evaluator.matches(predicate, $0)
                    }
                }
                #expect(evaluated == count, "\(format) \(place)")
            }
        }
        let mine = FetchRequest<ManagedObject>("Book", predicate: try ObjectPredicate("writer > 3 OR writer < nil"))
        #expect(try shop.coordinator.read { try $0.count(mine) } == 0)
    }
}
