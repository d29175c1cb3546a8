// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Fetches along pending relationships")
struct PendingRouteTests {
    let forum: Forum

    init() throws {
        forum = try Forum()
        try forum.fill()
    }

    /// The names of posts that satisfy a condition, in the order of their names.
    private static func posts(_ predicate: String, _ context: ManagedObjectContext) throws -> [String] {
        try context.titles(FetchRequest("Post", where: predicate, by: "name"))
    }

    private static let bos = ["Bo1", "Bo2", "Bo3", "Bo4"]
    private static let adas = ["Ada1", "Ada2", "Ada3", "Ada4"]

    @Test(
        "a condition along a path uses pending values instead of saved ones",
        arguments: [
            ("Bo", "author.name", bos), ("Ada", "question.author.name", bos), ("Ada", "author.boss.name", bos),
            ("Cy", "editor.name", adas), ("Cy", "ANY readers.name", adas), ("Bo", "ANY answers.author.name", adas),
        ]
    )
    func renamed(person: String, path: String, expected: [String]) throws {
        try forum.run { (context) throws in
            try context.object("Person", named: person).setValue("New", forKey: "name")
            let found = Set(try Self.posts("\(path) == 'New'", context))
            #expect(found.isSuperset(of: expected))
            #expect(found.isDisjoint(with: try Self.posts("\(path) == '\(person)'", context)))
            var request = try FetchRequest<ManagedObject>("Post", where: "\(path) == 'New'")
            #expect(try context.count(request) == found.count)
            #expect(try context.objectIDs(request).count == found.count)
            request.includesPendingChanges = false
            #expect(try context.count(request) == 0)
            try context.withChild { child throws in
                #expect(Set(try Self.posts("\(path) == 'New'", child)) == found)
                try child.object("Person", named: "New").setValue("Newer", forKey: "name")
                #expect(try Self.posts("\(path) == 'New'", child).isEmpty)
                #expect(Set(try Self.posts("\(path) == 'Newer'", child)) == found)
            }
        }
    }

    @Test("conditions on members, subqueries and counts use pending changes")
    func members() throws {
        try forum.run { (context) throws in
            try context.object("Tag", named: "x").setValue("y", forKey: "name")
            #expect(try Self.posts("ANY tags.name == 'y'", context) == ["Ada1", "Bo1", "Cy1"])
            #expect(try Self.posts("ANY author.posts.tags.name == 'x'", context).isEmpty)
            #expect(try Self.posts("SUBQUERY(answers, $a, ANY $a.tags.name == 'y').@count == 1", context) == ["Ada1"])
            #expect(try Self.posts("author.posts.@count == 3", context).isEmpty)
            context.delete(try context.object("Post", named: "Cy4"))
            #expect(try Self.posts("author.posts.@count == 3", context) == ["Cy1", "Cy2", "Cy3"])
            try context.insert("Post", named: "Bo5").relate("author", context.object("Person", named: "Bo"))
            #expect(try Self.posts("author.posts.@count == 5", context) == Self.bos + ["Bo5"])
            #expect(try Self.posts("author.posts.@max.name == 'Bo5'", context) == Self.bos + ["Bo5"])
        }
    }

    @Test("an order along a path uses pending values, with any window", arguments: [0, 3, 6, 10], [0, 1, 4])
    func order(offset: Int, limit: Int) throws {
        try forum.run { (context) throws in
            try context.object("Person", named: "Ada").setValue("Zoe", forKey: "name")
            var request = try FetchRequest<ManagedObject>("Post", by: "author.name,name")
            (request.fetchOffset, request.fetchLimit) = (offset, limit)
            let all = Self.bos + ["Cy1", "Cy2", "Cy3", "Cy4"] + Self.adas
            #expect(try context.titles(request) == Array(all.dropFirst(offset).prefix(limit == 0 ? .max : limit)))
        }
    }

    @Test(
        "paging works with an order by pending values",
        arguments: ["author.name", "-author.name", "editor.name,-author.name"]
    )
    func pages(order: String) throws {
        try forum.run { (context) throws in
            for name in ["Ada", "Bo"] { try context.object("Person", named: name).setValue("Bz", forKey: "name") }
            for limit in [1, 2, 5] {
                var request = try FetchRequest<ManagedObject>("Post", by: order)
                request.fetchLimit = limit
                var found: [String] = []
                var page = try context.page(request)
                while let last = page.last, found.count < 20 {
                    found += try page.map { try context.object(with: $0.objectID).title() }
                    page = try context.page(request, after: context.sortKeys(of: last, for: request))
                }
                #expect(found.count == 12 && Set(found).count == 12, "\(found)")
            }
        }
    }

    @Test("related requests use pending values along a path")
    func related() throws {
        try forum.run { (context) throws in
            let ada = try context.object("Person", named: "Ada")
            let tag = try context.object("Tag", named: "x")
            try ada.setValue("Zoe", forKey: "name")
            let request = RelatedRequest(
                predicate: try ObjectPredicate("author.name > 'B'"),
                sortDescriptors: [ObjectSortDescriptor("author.name", ascending: false)],
                limit: 2
            )
            let found = try context.related(along: tag.relationship("posts"), owners: [tag.objectID], matching: request)
            #expect(try found.members[0].map { try context.object(with: $0).title() } == ["Ada1", "Cy1"])
        }
    }

    @Test("a fetch makes no additional store calls if its paths don't reach pending changes")
    func calls() throws {
        try forum.run { (context) throws in
            let (ada, tag) = (try context.object("Person", named: "Ada"), try context.object("Tag", named: "x"))
            try ada.setValue(1, forKey: "age")
            try tag.setValue("y", forKey: "name")
            _ = forum.store.takeCalls()
            for predicate in ["author.name == 'Ada'", "author == nil", "views == 0", "tags.@count == 1"] {
                _ = try context.fetch(FetchRequest("Post", where: predicate, by: "name"))
                #expect(forum.store.takeCalls() == CountingStore.Calls(fetch: 1), "\(predicate)")
            }
            _ = try context.count(FetchRequest<ManagedObject>("Post", where: nil, by: "author.age"))
            #expect(forum.store.takeCalls() == CountingStore.Calls(fetch: 1))
        }
    }

    @Test("a fetch reads only the objects that are related to pending ones")
    func reading() throws {
        try forum.run { (context) throws in
            try context.object("Person", named: "Bo").setValue(9, forKey: "age")
            let before = context.registeredObjects.count
            #expect(try Self.posts("author.age == 9 AND author.name == 'Bo'", context) == Self.bos)
            #expect(context.registeredObjects.count <= before + 4)
        }
    }
}
