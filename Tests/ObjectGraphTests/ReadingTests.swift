// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Reading rows")
struct ReadingTests {
    private static func titles(_ rows: [Snapshot]) -> [String] {
        rows.map { row in
            let name = row.objectID.entity.name == "Book" ? "title" : "name"
            guard let attribute = row.objectID.entity.attribute(named: name),
                case .string(let text) = row.row[attribute]
            else { return "" }
            return text
        }
    }

    /// A reader's answers to all kinds of requests.
    private static func answers(_ reader: some GraphReading) throws -> [[String]] {
        let books = try #require(reader.model.entity(named: "Writer")?.relationship(named: "books"))
        var page = try FetchRequest("Book", where: "sold > 5", by: "-sold,title")
        (page.fetchLimit, page.fetchOffset) = (2, 1)
        let writers = try reader.objectIDs(FetchRequest("Writer", by: "name"))
        let best = RelatedRequest(
            predicate: try ObjectPredicate("sold > 10"),
            sortDescriptors: [ObjectSortDescriptor("sold", ascending: false)],
            limit: 1
        )
        let all = try reader.related(along: books, owners: writers, matching: nil)
        let some = try reader.related(along: books, owners: writers, matching: best)
        var table = try FetchRequest("Book", where: "writer.name == 'Ada'", by: "title")
        table.propertiesToFetch = ["title"]
        return [
            titles(try reader.snapshots(page)), ["\(try reader.count(page))"],
            titles(try reader.snapshots(of: writers).compactMap(\.self)),
            try reader.table(table).rows.map { "\($0)" },
            all.members.map { "\($0.count)" }, titles(all.rows).sorted(),
            some.members.map { "\($0.count)" }, titles(some.rows).sorted(),
        ]
    }

    @Test(
        "a reader gives the same answers as a context without pending changes",
        arguments: [false, true],
        [false, true]
    )
    func agreement(spansStores: Bool, isPinned: Bool) throws {
        let shop = try Bookshop(spansStores: spansStores)
        let read = try shop.coordinator.read(pinned: isPinned) { try Self.answers($0) }
        #expect(
            read == [
                ["Bread", "Dew"], ["2"], ["Ada", "Bo", "Cy"],
                [#"[Predicates.Value.string("Ash")]"#, #"[Predicates.Value.string("Bread")]"#]
                    + [#"[Predicates.Value.string("Clay")]"#],
                ["3", "1", "0"], ["Ash", "Bread", "Clay", "Dew"], ["1", "1", "0"], ["Clay", "Dew"],
            ]
        )
        #expect(try shop.run { try Self.answers($0) } == read)
    }

    @Test("a reader makes one call for each request", arguments: [false, true])
    func calls(isPinned: Bool) throws {
        let shop = try Bookshop()
        let books = try #require(shop.coordinator.model.entity(named: "Writer")?.relationship(named: "books"))
        try shop.coordinator.read(pinned: isPinned) { reader in
            let writers = try reader.snapshots(FetchRequest("Writer"))
            _ = try reader.related(along: books, owners: writers.map(\.objectID))
        }
        #expect(shop.takeCalls() == .init(fetch: 1, related: 1))
    }

    @Test("a pinned reader sees one state, and any other the latest")
    func pinning() throws {
        let shop = try Bookshop()
        func counts(pinned: Bool) throws -> [Int] {
            try shop.coordinator.read(pinned: pinned) { reader in
                let before = try reader.count(FetchRequest("Book"))
                try shop.run { context in
                    try context.insert("Book")
                    try context.save()
                }
                return [before, try reader.count(FetchRequest("Book"))]
            }
        }
        #expect(try counts(pinned: false) == [5, 6])
        #expect(try counts(pinned: true) == [6, 6])
        #expect(try counts(pinned: true) == [7, 7])
    }

    @Test("reading through a context includes pending changes, with temporary IDs and base versions")
    func pending() throws {
        let shop = try Bookshop()
        try shop.run { context in
            let (ash, clay) = (try context.book("Ash"), try context.book("Clay"))
            try ash.setValue("Asp", forKey: "title")
            try ash.setValue(99, forKey: "sold")
            context.delete(clay)
            let new = try context.insert("Book")
            try new.setValue("New", forKey: "title")
            try new.relate("writer", context.writer("Ada"))
            let rows = try context.snapshots(FetchRequest("Book", by: "title"))
            #expect(Self.titles(rows) == ["Asp", "Bread", "Dew", "Elm", "New"])
            #expect(rows.map(\.version) == [1, 1, 1, 1, 0])
            #expect(rows.map(\.objectID.isTemporary) == [false, false, false, false, true])
            let again = try context.snapshots(of: [clay.objectID, new.objectID, ash.objectID])
            #expect(again.map { $0.map { Self.titles([$0]) } } == [nil, ["New"], ["Asp"]])
            let books = try #require(context.model.entity(named: "Writer")?.relationship(named: "books"))
            let writers = try context.objectIDs(FetchRequest("Writer", by: "name"))
            let all = try context.related(along: books, owners: writers)
            #expect(Self.titles(all.rows) == ["Asp", "Bread", "New", "Dew"])
            let request = RelatedRequest(
                predicate: try ObjectPredicate("title != 'Bread' AND sold != 7"),
                sortDescriptors: [ObjectSortDescriptor("sold", ascending: false)],
                limit: 1
            )
            let some = try context.related(along: books, owners: writers, matching: request)
            #expect(some.members == [[ash.objectID], [try context.book("Dew").objectID], []])
            #expect(Self.titles(some.rows).sorted() == ["Asp", "Dew"])
        }
    }

    @Test(
        "objects and members that no order distinguishes are in the order of their numbers"
    )
    func numbers() throws {
        let shop = try Bookshop()
        func inserted(_ entities: [String]) throws -> [ManagedObjectID] {
            try entities.map { entity in
                try shop.run { context in
                    let object = try context.insert(entity)
                    try context.save()
                    return object.objectID
                }
            }
        }
        let (tag, mentor) = (try inserted(["Tag"])[0], try shop.run { try $0.writer("Cy").objectID })
        let writers = try inserted(["Writer", "Poet", "Novelist", "Poet", "Writer"])
        let books = try inserted(["Book", "Book", "Book"])
        for (members, name, owner) in [(writers, "mentor", mentor), (books, "tags", tag)] {
            for member in members.reversed() {
                try shop.run { context in
                    try context.object(with: member).relate(name, context.object(with: owner))
                    try context.save()
                }
            }
        }
        for (name, owner, members) in [("students", mentor, writers), ("books", tag, books)] {
            let relationship = try #require(owner.entity.relationship(named: name))
            let found = try shop.coordinator.read { reader in
                try [nil, RelatedRequest(limit: 2)].map { request in
                    try reader.related(along: relationship, owners: [owner], matching: request).members[0]
                }
            }
            #expect(found == [members, Array(members.prefix(2))])
            #expect(try shop.run { try $0.object(with: owner).objectIDs(of: relationship) } == members)
            let all = try shop.coordinator.read {
                try $0.objectIDs(FetchRequest(name == "students" ? "Writer" : "Book"))
            }
            #expect(all.suffix(members.count) == members[...])
        }
    }

    @Test("reading through a child includes its parent's pending changes")
    func children() throws {
        let shop = try Bookshop()
        try shop.run { context in
            try context.book("Ash").setValue("Asp", forKey: "title")
            let titles = try context.withChild { child in
                let books = try #require(child.model.entity(named: "Writer")?.relationship(named: "books"))
                let owners = [try child.writer("Ada").objectID]
                let request = RelatedRequest(
                    sortDescriptors: [ObjectSortDescriptor("title", ascending: false)],
                    limit: 2
                )
                let last = try child.related(along: books, owners: owners, matching: request)
                let first = try child.snapshots(FetchRequest("Book", where: "title BEGINSWITH 'As'"))
                return Self.titles(last.rows).sorted() + Self.titles(first)
            }
            #expect(titles == ["Bread", "Clay", "Asp"])
        }
    }

    @Test(
        "related requests with unknown keys or a negative limit are refused",
        arguments: ["writers > 3", "writer.nothing == 1"]
    )
    func checks(predicate: String) throws {
        let shop = try Bookshop()
        let books = try #require(shop.coordinator.model.entity(named: "Writer")?.relationship(named: "books"))
        let request = RelatedRequest(predicate: try ObjectPredicate(predicate))
        let error = #expect(throws: GraphError.self) {
            try shop.coordinator.read { try $0.related(along: books, owners: [], matching: request) }
        }
        #expect(error?.code == .unknownName)
        let negative = #expect(throws: GraphError.self) {
            try shop.run { _ = try $0.related(along: books, owners: [], matching: RelatedRequest(limit: -1)) }
        }
        #expect(negative?.property == "limit")
        let many = RelatedRequest(sortDescriptors: [ObjectSortDescriptor("tags.name")])
        let order = #expect(throws: GraphError.self) {
            try shop.coordinator.read { try $0.related(along: books, owners: [], matching: many) }
        }
        #expect(order?.property == "tags.name")
    }

    @Test("a row that was read or saved is found in memory without a store call")
    func memory() throws {
        let model = try Bookshop.model.get()
        let store = try CountingStore(TestStore.make(model), keepsRowsInMemory: false)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        let objectID = try coordinator.withContext { context in
            let book = try context.insert("Book")
            try book.setValue("Ash", forKey: "title")
            try context.save()
            return book.objectID
        }
        _ = store.takeCalls()
        #expect(coordinator.cachedSnapshot(of: objectID).map { Self.titles([$0]) } == ["Ash"])
        let (book, writer) = (try #require(model.entity(named: "Book")), try #require(model.entity(named: "Writer")))
        let reference = try #require(objectID.reference)
        #expect(coordinator.objectID(entity: book, reference: reference) == objectID)
        let other = try #require(coordinator.objectID(entity: writer, reference: reference))
        #expect(coordinator.cachedSnapshot(of: other) == nil)
        #expect(store.takeCalls().all == 0)
        try coordinator.withContext { context in
            context.delete(context.object(with: objectID))
            try context.save()
        }
        #expect(coordinator.cachedSnapshot(of: objectID) == nil)
        coordinator.remove(store)
        #expect(coordinator.objectID(entity: book, reference: reference) == nil)
    }

    @Test("a reader recognizes a row of another entity than the ID's")
    func otherEntities() throws {
        let shop = try Bookshop()
        let model = shop.coordinator.model
        let ada = try shop.run { try $0.writer("Ada").objectID }
        let (writer, poet) = (try #require(model.entity(named: "Writer")), try #require(model.entity(named: "Poet")))
        let reference = try #require(ada.reference)
        let asWriter = try #require(shop.coordinator.objectID(entity: writer, reference: reference))
        let asPoet = try #require(shop.coordinator.objectID(entity: poet, reference: reference))
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try TestStore.make(model)
        try coordinator.add(store)
        #expect(coordinator.cachedSnapshot(of: asWriter) == nil)
        _ = try shop.coordinator.read { try $0.snapshots(of: [asWriter]) }
        #expect(shop.coordinator.cachedSnapshot(of: asPoet) == nil)
    }
}
