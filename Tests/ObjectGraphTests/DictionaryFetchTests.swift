// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Dictionary fetches")
struct DictionaryFetchTests {
    /// A request for columns: key paths, or `name = expression`.
    private static func request(
        _ columns: [String],
        of entity: String = "Book",
        group: [String] = [],
        having: String? = nil,
        by order: String = "",
        where predicate: String? = nil
    ) throws -> FetchRequest<ManagedObject> {
        var request = try FetchRequest(entity, where: predicate)
        request.propertiesToFetch = try columns.map { column in
            let parts = column.split(separator: "=", maxSplits: 1).map { $0.trimming() }
            return parts.count == 1
                ? ExpressionDescription(keyPath: column)
                : ExpressionDescription(parts[0], try ObjectExpression(template: parts[1]))
        }
        request.propertiesToGroupBy = group
        request.havingPredicate = try having.map { try ObjectPredicate($0) }
        request.sortDescriptors = try order.isEmpty ? [] : ObjectSortDescriptor.list(parsing: order)
        return request
    }

    private static func rows(
        _ columns: [String],
        spansStores: Bool,
        group: [String] = [],
        having: String? = nil,
        by order: String = "",
        where predicate: String? = nil,
        adjust: (inout FetchRequest<ManagedObject>) -> Void = { _ in }
    ) throws -> [[Value]] {
        let library = try Bookshop(spansStores: spansStores)
        var request = try request(columns, group: group, having: having, by: order, where: predicate)
        adjust(&request)
        let sent = request
        return try library.run { try $0.table(sent) }.rows
    }

    // MARK: Columns

    @Test("nil values are absent in dictionaries and null in tables")
    func nilValues() throws {
        let request = try Self.request(["title", "price"], by: "title", where: "sold >= 20")
        try Bookshop().run { (context) throws in
            #expect(
                try context.dictionaries(request) == [
                    ["title": "Bread"], ["title": "Clay", "price": 2.5], ["title": "Dew", "price": 3.0],
                ]
            )
            let table = try context.table(request)
            #expect(table.columns == ["title", "price"])
            #expect(table.rows == [["Bread", .null], ["Clay", 2.5], ["Dew", 3.0]])
        }
    }

    @Test(
        "columns can be key paths through objects and composites, and an object's value is its reference",
        arguments: [false, true]
    )
    func keyPaths(spansStores: Bool) throws {
        let library = try Bookshop(spansStores: spansStores)
        let request = try Self.request(
            ["title", "writer", "writer.name", "writer.home.city", "objectID", "upper = uppercase:(title)"],
            by: "title",
            where: "title IN {'Dew', 'Elm'}"
        )
        try library.run { (context) throws in
            let (dew, elm, bo) = (try context.book("Dew"), try context.book("Elm"), try context.writer("Bo"))
            library.takeCalls()
            #expect(
                try context.table(request).rows == [
                    ["Dew", bo.objectID.value, "Bo", "Oslo", dew.objectID.value, "DEW"],
                    ["Elm", .null, .null, .null, elm.objectID.value, "ELM"],
                ]
            )
            if !spansStores { #expect(library.takeCalls() == CountingStore.Calls(fetch: 1)) }
        }
    }

    @Test("by default, the columns are all stored attributes, or the grouping")
    func defaultColumns() throws {
        try Bookshop().run { (context) throws in
            var request = FetchRequest<ManagedObject>("Book")
            #expect(try context.table(request).columns == ["title", "sold", "price"])
            request.propertiesToGroupBy = ["writer.name"]
            #expect(try context.table(request).columns == ["writer.name"])
        }
    }

    @Test("a table fetched in pieces has the same rows", arguments: [1, 2, 100], [false, true])
    func pieces(count: Int, spansStores: Bool) throws {
        let library = try Bookshop(spansStores: spansStores)
        for (order, offset, limit) in [
            ("", 0, 0), ("-title", 0, 0), ("title", 1, 3), ("title", 2, 0), ("title", 99, 1),
        ] {
            var request = try Self.request(["title", "objectID"], by: order)
            (request.fetchOffset, request.fetchLimit) = (offset, limit)
            let sent = request
            try library.run { context in
                var rows: [[Value]] = []
                try context.tables(sent, rows: count) { table in
                    #expect(spansStores || table.rows.count <= count)
                    #expect(table.columns == ["title", "objectID"])
                    rows += table.rows
                }
                let all = try context.table(sent).rows
                #expect(rows == all)
                // A child context gets the same rows.
                try context.withChild { child in
                    var seen: [[Value]] = []
                    try child.tables(sent, rows: count) { seen += $0.rows }
                    #expect(seen == all)
                }
            }
        }
    }

    @Test("a table fetched in pieces shows one state despite concurrent saves")
    func oneState() throws {
        let library = try Bookshop()
        let request = try Self.request(["title"], by: "title")
        try library.run { context in
            let before = try context.table(request).rows
            var rows: [[Value]] = []
            try context.tables(request, rows: 1) { table in
                if rows.isEmpty {
                    try library.run { other in
                        for book in try other.fetch(FetchRequest<ManagedObject>("Book")) { other.delete(book) }
                        try other.save()
                    }
                }
                rows += table.rows
            }
            #expect(before.count > 1 && rows == before)
            #expect(try context.table(request).rows == [])
        }
    }

    @Test("a table fetched in pieces shows one state even if the context moves to the next generation")
    func oneStateOfLiveContexts() async throws {
        let library = try Bookshop()
        let request = try Self.request(["title"], by: "title")
        let live = library.coordinator.liveContext()
        let (rows, rest) = try await live.perform { context in
            var rows: [[Value]] = []
            try context.tables(request, rows: 1) { table in
                if rows.isEmpty {
                    try library.run { other in
                        for book in try other.fetch(FetchRequest<ManagedObject>("Book")) { other.delete(book) }
                        try other.save()
                    }
                    try context.mergeSavedChanges()
                    try context.setQueryGeneration(.current)
                    #expect(try context.table(request).rows == [])
                }
                rows += table.rows
            }
            try library.run { other in
                try other.insert("Book")
                try other.save()
            }
            return (rows, try context.table(request).rows)
        }
        #expect(rows == ["Ash", "Bread", "Clay", "Dew", "Elm"].map { [$0] })
        #expect(rest == [])
    }

    @Test("a table fetched in pieces includes pending changes, in a child too")
    func pendingPieces() throws {
        let request = try Self.request(["title"], by: "title", where: "title < 'C'")
        try Bookshop().run { context in
            try context.book("Ash").setValue("Oak", forKey: "title")
            try context.withOpenChild { child in
                for some in [context, child] {
                    var rows: [[Value]] = []
                    try some.tables(request, rows: 1) { rows += $0.rows }
                    #expect(rows == [["Bread"]])
                }
            }
        }
    }

    @Test("a grouped table is returned as one piece")
    func groupsAtOnce() throws {
        let request = try Self.request(["title", "n = count:(title)"], group: ["title"], by: "title")
        try Bookshop().run { context in
            var rows: [[Value]] = []
            try context.tables(request, rows: 1) { rows += $0.rows }
            #expect(try rows == context.table(request).rows)
        }
    }

    @Test("tables include pending changes, in a child too, unless they are excluded")
    func pendingChanges() throws {
        try Bookshop().run { (context) throws in
            try context.book("Ash").setValue("Oak", forKey: "title")
            try context.insert("Book")
            var request = try Self.request(["titles = count:(SELF)", "first = min:(title)"])
            #expect(try context.dictionaries(request) == [["titles": 6, "first": "Bread"]])
            try context.withChild { [request] (child) throws in
                #expect(try child.dictionaries(request) == [["titles": 6, "first": "Bread"]])
                try child.delete(child.book("Bread"))
                #expect(try child.dictionaries(request)[0]["titles"] == 5)
                var request = request
                request.includesPendingChanges = false
                #expect(try child.dictionaries(request)[0]["titles"] == 6)
            }
            request.includesPendingChanges = false
            #expect(try context.dictionaries(request) == [["titles": 5, "first": "Ash"]])
        }
    }

    // MARK: Groups

    @Test("rows are grouped across all stores", arguments: [false, true])
    func groups(spansStores: Bool) throws {
        let rows = try Self.rows(
            ["writer.name", "books = count:(SELF)", "total = sum:(sold)", "mean = average:(price)"],
            spansStores: spansStores,
            group: ["writer.name"],
            by: "writer.name"
        )
        #expect(rows == [[.null, 1, 5, .null], ["Ada", 3, 60, 2.0], ["Bo", 1, 20, 3.0]])
    }

    @Test("a group may have objects of several stores")
    func groupsAcrossStores() throws {
        for spansStores in [false, true] {
            let rows = try Self.rows(
                ["sold", "n = count:(title)"],
                spansStores: spansStores,
                group: ["sold"],
                by: "-n,sold"
            )
            #expect(rows == [[20, 2], [5, 1], [10, 1], [30, 1]])
        }
    }

    @Test("with several stores, each step of a key path needs one call per store")
    func callsAcrossStores() throws {
        let library = try Bookshop(spansStores: true)
        let second = try #require(library.second)
        let request = try Self.request(
            ["city = writer.home.city", "n = max:(writer.books.@count)"],
            group: ["writer.home.city"],
            by: "city"
        )
        try library.run { (context) throws in
            try context.book("Ash").relate("writer", try context.writer("Cy"))
            try context.save()
        }
        library.takeCalls()
        try library.run { (context) throws in
            #expect(try context.table(request).rows == [[.null, 0], ["Oslo", 1], ["Rome", 2]])
            // The books, their writers, and the writers' books; the last are cached.
            #expect(second.takeCalls() == CountingStore.Calls(fetch: 1, snapshots: 1, members: 1))
            #expect(library.store.takeCalls() == CountingStore.Calls(fetch: 1, snapshots: 1, members: 1))
        }
    }

    @Test("an aggregate without groups gives one row, even for no objects", arguments: [false, true])
    func oneRow(spansStores: Bool) throws {
        let columns = ["n = count:(SELF)", "sum = sum:(sold)", "most = max:(sold)", "span = max:(sold) - min:(sold)"]
        #expect(try Self.rows(columns, spansStores: spansStores) == [[5, 85, 30, 25]])
        #expect(try Self.rows(columns, spansStores: spansStores, where: "sold > 99") == [[0, 0, .null, .null]])
        #expect(
            try Self.rows(["sold", "n = count:(SELF)"], spansStores: spansStores, group: ["sold"], where: "sold > 99")
                == []
        )
    }

    @Test("aggregates of distinct values count and add each value once", arguments: [false, true])
    func distinctAggregates(spansStores: Bool) throws {
        let columns = [
            "prices = count:(price)", "all = count:(sold)", "some = count:(SELF.@distinctUnionOfObjects.sold)",
            "writers = count:(SELF.@distinctUnionOfObjects.writer)", "sum = sum:(SELF.@distinctUnionOfObjects.sold)",
            "objects = count:(SELF.@distinctUnionOfObjects.self)",
        ]
        #expect(try Self.rows(columns, spansStores: spansStores) == [[3, 5, 4, 2, 65, 5]])
    }

    @Test("a function of several values of one object isn't an aggregate")
    func rowFunctions() throws {
        let rows = try Self.rows(
            ["title", "most = max:(sold, 15)"],
            spansStores: false,
            by: "title",
            where: "sold < 20"
        )
        #expect(rows == [["Ash", 15], ["Elm", 15]])
    }

    // MARK: Having, order, window, distinct

    @Test(
        "conditions on groups may use aggregates, grouping keys and columns",
        arguments: [
            "count:(SELF) > 1", "n > 1", "sum:(sold) == 60", "name == 'Ada'", "writer.name == 'Ada' AND n == 3",
        ]
    )
    func having(condition: String) throws {
        let rows = try Self.rows(
            ["name = writer.name", "n = count:(SELF)"],
            spansStores: false,
            group: ["writer.name"],
            having: condition
        )
        #expect(rows == [["Ada", 3]])
    }

    @Test("a name that is both a grouping key and a column refers to the grouping key")
    func ambiguousName() throws {
        let rows = try Self.rows(
            ["title = sum:(price)", "sold = count:(SELF)"],
            spansStores: false,
            group: ["sold"],
            having: "sold >= 20 AND title > 0",
            by: "-sold"
        )
        #expect(rows == [[2.5, 1], [3.0, 2]])
    }

    @Test(
        "groups are sorted by columns, aggregates or grouping keys, with nil first",
        arguments: [false, true]
    )
    func order(spansStores: Bool) throws {
        func names(by order: [ObjectSortDescriptor]) throws -> [Value] {
            try Self.rows(["who = writer.name", "n = count:(SELF)"], spansStores: spansStores, group: ["writer.name"]) {
                $0.sortDescriptors = order
            }.map { $0[0] }
        }
        #expect(try names(by: [ObjectSortDescriptor("who")]) == [.null, "Ada", "Bo"])
        #expect(try names(by: [ObjectSortDescriptor("who", ascending: false)]) == ["Bo", "Ada", .null])
        let most = ObjectSortDescriptor(try ObjectExpression("max:(price)"), ascending: false)
        #expect(try names(by: [most]) == ["Bo", "Ada", .null])
        #expect(
            try names(by: [ObjectSortDescriptor("n"), ObjectSortDescriptor("writer.name", ascending: false)]) == [
                "Bo", .null, "Ada",
            ]
        )
    }

    @Test("limit and offset count the rows of the result", arguments: [false, true])
    func window(spansStores: Bool) throws {
        for (offset, limit, expected) in [(1, 1, ["Ada"]), (1, 0, ["Ada", "Bo"]), (9, 2, []), (2, .max, ["Bo"])] {
            let rows = try Self.rows(
                ["writer.name"],
                spansStores: spansStores,
                group: ["writer.name"],
                by: "writer.name"
            ) {
                ($0.fetchOffset, $0.fetchLimit) = (offset, limit)
            }
            #expect(rows == expected.map { [.string($0)] })
        }
        let rows = try Self.rows(["title"], spansStores: spansStores, by: "-title") {
            ($0.fetchOffset, $0.fetchLimit) = (1, 2)
        }
        #expect(rows == [["Dew"], ["Clay"]])
    }

    @Test(
        "distinct rows are reduced before the window is applied",
        arguments: [false, true]
    )
    func distinct(spansStores: Bool) throws {
        func rows(_ adjust: (inout FetchRequest<ManagedObject>) -> Void = { _ in }) throws -> [[Value]] {
            try Self.rows(["sold"], spansStores: spansStores, by: "-sold") {
                $0.returnsDistinctResults = true
                adjust(&$0)
            }
        }
        #expect(try rows() == [[30], [20], [10], [5]])
        #expect(try rows { ($0.fetchOffset, $0.fetchLimit) = (1, 2) } == [[20], [10]])
    }

    // MARK: Mistakes

    struct Mistake: Sendable, CustomTestStringConvertible {
        let columns: [String]
        var group: [String] = []
        var having: String?
        var order = ""
        var isDistinct = false
        let property: String
        let says: String

        var testDescription: String { property + ": " + says }
    }

    @Test(
        "an invalid table request is an error with the property and a remedy",
        arguments: [
            Mistake(columns: ["titel"], property: "titel", says: "Did you mean “title”?"),
            Mistake(columns: ["writer.nme"], property: "writer.nme", says: "Did you mean “name”?"),
            Mistake(columns: ["writer.home.cty"], property: "writer.home.cty", says: "Did you mean “city”?"),
            Mistake(
                columns: ["writer.prize"],
                property: "writer.prize",
                says: "Its subentity Novelist has this property"
            ),
            Mistake(columns: ["tags"], property: "tags", says: "tags.@count"),
            Mistake(columns: ["x = tags.name"], property: "x", says: "has many values"),
            Mistake(columns: ["writer.bestsellers"], property: "writer.bestsellers", says: "fetched property"),
            Mistake(columns: ["note"], property: "note", says: "transient"),
            Mistake(columns: ["title.x"], property: "title.x", says: "continues after"),
            Mistake(columns: ["n = count:(tags)"], property: "n", says: "sum:(tags.@count)"),
            Mistake(columns: ["n = sum:(count:(SELF))"], property: "n", says: "contains an aggregate"),
            Mistake(columns: ["n = sum:(title)"], property: "n", says: "takes numbers"),
            Mistake(columns: ["n = sold + $x"], property: "$x", says: "has no value"),
            Mistake(columns: ["title", "n = count:(SELF)"], property: "title", says: "Group by it too"),
            Mistake(columns: ["title"], group: ["sold"], property: "title", says: "use an aggregate of it"),
            Mistake(columns: ["objectID"], group: ["sold"], property: "objectID", says: "different values"),
            Mistake(columns: ["sold"], group: ["tags"], property: "tags", says: "has many values"),
            Mistake(columns: ["sold"], group: ["slod"], property: "slod", says: "Did you mean “sold”?"),
            Mistake(
                columns: ["sold"],
                having: "sold > 1",
                property: "havingPredicate",
                says: "belong in the predicate"
            ),
            Mistake(
                columns: ["sold"],
                group: ["sold"],
                having: "title == 'a'",
                property: "havingPredicate",
                says: "different values"
            ),
            Mistake(columns: ["sold"], group: ["sold"], order: "title", property: "title", says: "different values"),
            Mistake(
                columns: ["sold"],
                order: "title",
                isDistinct: true,
                property: "title",
                says: "isn't one of their columns"
            ),
            Mistake(columns: ["sold", "sold = price"], property: "sold", says: "a unique name"),
        ]
    )
    func mistakes(mistake: Mistake) throws {
        var request = try Self.request(
            mistake.columns,
            group: mistake.group,
            having: mistake.having,
            by: mistake.order
        )
        request.returnsDistinctResults = mistake.isDistinct
        let sent = request
        let library = try Bookshop()
        let error = try library.error { _ = try $0.dictionaries(sent) }
        #expect(error.property == mistake.property)
        #expect(error.description.contains(mistake.says), "\(error)")
        #expect(library.takeCalls().all == 0)
    }

    @Test("aggregates can't sort plain rows, and grouped requests can't return objects")
    func misplacedGroups() throws {
        let library = try Bookshop()
        #expect(
            try library.error { context in
                var request = try Self.request(["title"])
                request.sortDescriptors = [ObjectSortDescriptor(try ObjectExpression("count:(SELF)"))]
                _ = try context.dictionaries(request)
            }.property == "count:(SELF)"
        )
        for ask: @Sendable (ManagedObjectContext, FetchRequest<ManagedObject>) throws -> Void in [
            { _ = try $0.fetch($1) }, { _ = try $0.count($1) }, { _ = try $0.objectIDs($1) },
        ] {
            let error = try library.error { try ask($0, try Self.request([], group: ["sold"])) }
            #expect(error.property == "propertiesToGroupBy")
        }
    }
}

extension Substring {
    fileprivate func trimming() -> String {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
