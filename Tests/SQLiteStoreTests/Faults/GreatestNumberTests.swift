// SPDX-License-Identifier: Apache-2.0

// Files with the greatest numbers that columns can have, which have no successor.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import StoreConformance
import Testing

@testable import SQLiteStore

@Suite("Greatest numbers in columns")
struct GreatestNumberTests {
    /// Positions of four articles in their group, and a new order for them.
    struct Places: Sendable {
        let places: [Int64]
        let order: [Int]
    }

    static let places = [
        Places(places: [.max - 3, .max - 2, .max - 1, .max], order: [0, 1, 3, 2]),
        Places(places: [.max - 3, .max - 2, .max - 1, .max], order: [3, 2, 1, 0]),
        Places(places: [.min, -5, 5, .max], order: [0, 2, 1, 3]),
        Places(places: [.min, .min + 1, .min + 2, .min + 3], order: [1, 0, 2, 3]),
        Places(places: [.max, .max, .max, .max], order: [2, 3, 0, 1]),
        Places(places: [-2048, -1024, 0, 1024], order: [3, 0, 1, 2]),
        Places(places: [0, 1, 2, .max - 1500], order: [1, 0, 3, 2]),
    ]

    @Test("members with extreme positions can be put in any order", arguments: places)
    func ordering(places: Places) throws {
        try Self.withGroup(places: places.places) { shop, group in
            try shop.coordinator.withContext { context in
                let group = try context.existingObject(with: group)
                let articles = try #require(group.entity.relationship(named: "articles"))
                let members = try group.objects(of: articles)
                try group.setObjects(places.order.map { members[$0] }, of: articles)
                try context.save()
            }
            #expect(try Self.names(of: group, shop) == places.order.map { "\($0)" })
        }
    }

    @Test(
        "members are appended after extreme positions, together and one by one",
        arguments: places,
        [[["4", "5"]], [["4"], ["5"]]]
    )
    func appending(places: Places, saves: [[String]]) throws {
        try Self.withGroup(places: places.places) { shop, group in
            for names in saves {
                try shop.coordinator.withContext { context in
                    for name in names {
                        let article = try context.insert("Article")
                        try article.setValue(.string(name), forKey: "name")
                        try article.relate("group", try context.existingObject(with: group))
                    }
                    try context.save()
                }
            }
            #expect(try Self.names(of: group, shop) == ["0", "1", "2", "3", "4", "5"])
        }
    }

    @Test("rows of a batch are appended after extreme positions", arguments: places)
    func appendingByBatch(places: Places) throws {
        let club = try Club()
        let book = try club.insert("Book", [["number": 1]])[0]
        try club.insert("Page", (0..<4).map { ["number": .integer($0), "book": book.value] })
        for (page, place) in places.places.enumerated() {
            let number = SQLValue.integer(Int64(page))
            try club.store.database.write {
                try $0.execute(
                    "UPDATE ZPAGE SET Z_FOK_BOOK = \(value: .integer(place)) WHERE ZNUMBER = \(value: number)"
                )
            }
        }
        try club.insert("Page", (4..<6).map { ["number": .integer($0), "book": book.value] })
        let numbers = try club.store.database.read {
            try $0.rows("SELECT ZNUMBER FROM ZPAGE ORDER BY Z_FOK_BOOK, Z_PK") { $0.int64(0) }
        }
        #expect(numbers == [0, 1, 2, 3, 4, 5])
    }

    @Test("an exhausted or negative greatest key refuses new rows", arguments: [Int64.max - 1, .max, -1, .min])
    func keys(greatest: Int64) throws {
        let club = try Club()
        try club.store.database.write {
            try $0.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(value: .integer(greatest))")
        }
        let save = {
            _ = try club.coordinator.withContext { context in
                try context.insert("Draft").setValue(1, forKey: "number")
                try context.save()
            }
        }
        for insert in [{ _ = try club.insert("Draft", [["number": 1]]) }, save] {
            let error = #expect(throws: GraphError.self) { try insert() }
            #expect(error.flatMap { StoreError(in: $0) }?.code == .noKeys, "\(String(describing: error))")
            #expect(error?.code == .noKeys)
        }
        #expect(try club.count("Draft") == 0)
    }

    @Test("an invalid greatest key refuses new rows")
    func textOfKeys() throws {
        let club = try Club()
        try club.insert("Draft", [["number": 1], ["number": 2]])
        let path = club.store.path
        for text in ["many", "9e99", "x'00'"] {
            try club.store.database.write {
                try $0.execute(SQL(text: "UPDATE Z_PRIMARYKEY SET Z_MAX = \(text == "x'00'" ? text : "'\(text)'")"))
            }
            let coordinator = PersistentStoreCoordinator(model: club.coordinator.model)
            try coordinator.add(SQLiteStore(path: path, model: club.coordinator.model))
            let save = {
                try coordinator.withContext { context in
                    try context.insert("Draft").setValue(3, forKey: "number")
                    try context.save()
                }
            }
            let batch = { _ = try coordinator.execute(BatchInsertRequest("Draft", rows: [["number": 3]])) }
            for insert in [save, batch] {
                let error = #expect(throws: GraphError.self) { try insert() }
                #expect(error?.code == .noKeys)
            }
            #expect(try club.count("Draft") == 2)
        }
    }

    @Test("a greatest key below those of rows is reported when a new row's key is already in use")
    func lesserKeys() throws {
        let club = try Club()
        try club.insert("Draft", [["number": 1], ["number": 2]])
        try club.store.database.write { try $0.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0") }
        let coordinator = PersistentStoreCoordinator(model: club.coordinator.model)
        try coordinator.add(SQLiteStore(path: club.store.path, model: club.coordinator.model))
        let batch = { _ = try coordinator.execute(BatchInsertRequest("Draft", rows: [["number": 3]])) }
        let save = {
            try coordinator.withContext { context in
                try context.insert("Draft").setValue(3, forKey: "number")
                try context.save()
            }
        }
        for insert in [batch, save] {
            let error = #expect(throws: GraphError.self) { try insert() }
            #expect(error?.code == .noKeys, "\(String(describing: error))")
        }
        #expect(try club.count("Draft") == 2)
    }

    @Test("entities without a number get a free one next to the greatest number")
    func entities() throws {
        let model = try Shop.model.get()
        let numbers = EntityNumbers(model, stored: ["Article": 4, "Book": 3, "Tag": .max])
        let given = model.entities.map { numbers[$0] }
        #expect(Set(given).count == given.count && given.allSatisfy { $0 > 0 })
        for entity in model.entities { #expect(numbers.entity(numbers[entity]) == entity) }
    }
}

extension GreatestNumberTests {
    /// A shop with a group of four articles, named by their order, at unusual positions.
    private static func withGroup(places: [Int64], _ body: (Shop, ManagedObjectID) throws -> Void) throws {
        try Shop.open { shop in
            let group = try shop.coordinator.withContext { context in
                let group = try context.insert("Group")
                try group.setValue("Group", forKey: "name")
                for name in places.indices {
                    let article = try context.insert("Article")
                    try article.setValue(.string("\(name)"), forKey: "name")
                    try group.relate("articles", article)
                }
                try context.save()
                return group.objectID
            }
            let connection = try Connection(path: shop.path)
            for (name, place) in places.enumerated() {
                let name = SQLValue.text("\(name)")
                try connection.execute(
                    "UPDATE ZARTICLE SET Z_FOK_GROUP = \(value: .integer(place)) WHERE ZNAME = \(value: name)"
                )
            }
            #expect(try names(of: group, shop) == ["0", "1", "2", "3"])
            let coordinator = PersistentStoreCoordinator(model: shop.coordinator.model, rowCacheLimit: 0)
            try coordinator.add(shop.store)
            try body(Shop(path: shop.path, store: shop.store, coordinator: coordinator), group)
        }
    }

    /// The articles as a new coordinator reads them.
    private static func names(of group: ManagedObjectID, _ shop: Shop) throws -> [String] {
        let coordinator = PersistentStoreCoordinator(model: shop.coordinator.model, rowCacheLimit: 0)
        try coordinator.add(shop.store)
        return try coordinator.withContext { context in
            let group = try context.existingObject(with: group)
            let articles = try #require(group.entity.relationship(named: "articles"))
            return try group.objects(of: articles).map { try $0.value(forKey: "name").plainName }
        }
    }
}

extension Value {
    fileprivate var plainName: String { if case .string(let name) = self { name } else { "?" } }
}
