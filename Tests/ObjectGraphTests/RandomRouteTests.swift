// SPDX-License-Identifier: Apache-2.0

// Fetches along relationships with random pending changes, compared with evaluating all objects of the context.

import FoundationEssentials
import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Fetches along relationships compared with evaluation in memory")
struct RandomRouteTests {
    @Test(
        "a fetch and evaluation in memory give the same objects in the same order",
        arguments: SeededGenerator.seeds(12)
    )
    func sameAnswer(seed: UInt64) throws {
        let forum = try Forum()
        try forum.run { context in
            var run = RandomRoutes(seed: seed)
            for _ in 0..<40 { try run.change(context) }
            try context.save()
        }
        for round in 0..<12 {
            // A new context knows only the objects that it changes.
            try forum.run { context in
                var run = RandomRoutes(seed: seed &* 100 &+ UInt64(round))
                for _ in 0..<Int.random(in: 1...4, using: &run.random) { try run.change(context) }
                for _ in 0..<4 { try run.compare(context) }
                guard run.random.chance(50) else { return try context.save() }
                try context.withOpenChild { child in
                    for _ in 0..<Int.random(in: 0...3, using: &run.random) { try run.change(child) }
                    for _ in 0..<4 { try run.compare(child, childOf: context) }
                    if run.random.chance(50) { try child.save() }
                }
                try run.compare(context)
            }
        }
    }
}

private struct RandomRoutes {
    var random: SeededGenerator
    private var made = 0
    private var log: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    // MARK: Changes

    mutating func change(_ context: ManagedObjectContext) throws {
        let entity = ["Person", "Post", "Tag", "Page", "Badge"].randomElement(using: &random) ?? "Post"
        guard random.chance(75), let object = try any(entity, context) else { return try insert(entity, context) }
        if random.chance(8) { return try delete(object, context) }
        if random.chance(40) {
            let name = name()
            log.append("\(object.objectID.description.suffix(12)) \(name)")
            return try object.setValue(.string(name), forKey: "name")
        }
        if let number = ["Person": "age", "Post": "views"][entity], random.chance(30) {
            return try object.setValue(.integer(.random(in: 0...4, using: &random)), forKey: number)
        }
        try relate(object, context)
    }

    private mutating func insert(_ entity: String, _ context: ManagedObjectContext) throws {
        let object = try context.insert(entity == "Person" && random.chance(50) ? "Admin" : entity, named: name())
        log.append("insert \(object.entity.name)")
        for _ in 0..<2 { try relate(object, context) }
    }

    /// Deletes an object after removing the references to it that have no inverse.
    private mutating func delete(_ object: ManagedObject, _ context: ManagedObjectContext) throws {
        if ["Person", "Admin"].contains(object.entity.name) {
            for post in try context.fetch(FetchRequest<ManagedObject>("Post")) {
                try post.unrelate("readers", object)
                if try post.related("editor") == [object] { try post.relate("editor", nil) }
            }
        }
        log.append("delete \(object.objectID.description.suffix(12))")
        context.delete(object)
    }

    private mutating func relate(_ object: ManagedObject, _ context: ManagedObjectContext) throws {
        guard let relationship = object.entity.relationships.randomElement(using: &random) else { return }
        let destination = context.model.destination(of: relationship).name
        let members = try object.related(relationship.name)
        log.append("\(object.objectID.description.suffix(12)) \(relationship.name)")
        if random.chance(25), let member = members.randomElement(using: &random) {
            return try object.unrelate(relationship.name, member)
        }
        if let other = try any(destination, context) { try object.relate(relationship.name, other) }
    }

    private mutating func any(_ entity: String, _ context: ManagedObjectContext) throws -> ManagedObject? {
        let ids = try context.objectIDs(FetchRequest<ManagedObject>(entity))
        return ids.randomElement(using: &random).map(context.object(with:))
    }

    private mutating func name() -> String { ["a", "b", "c", "d"].randomElement(using: &random) ?? "" }

    // MARK: Comparing

    private static let conditions: [String: [String]] = [
        "Post": [
            "author.name == 'a'", "author.boss.name == 'b'", "editor.name < 'c'", "ANY readers.name == 'a'",
            "readers.@count > 1", "question.name == 'a'", "question.author.name == 'b'", "author.badge.name == 'c'",
            "ANY answers.author.name == 'a'", "ANY tags.name == 'a'", "ALL tags.name != 'a'", "NONE tags.name == 'b'",
            "SUBQUERY(tags, $t, $t.name == 'a' AND $t.admin.age > 1).@count > 0", "author.posts.@count > 1",
            "SUBQUERY(answers, $a, $a.author.age > 2 OR ANY $a.tags.name == 'b').@count == 1", "question == nil",
            "author.age + views > 3", "author.posts.@sum.views > 3", "TERNARY(author.age > 2, 1, 0) == 1",
            "pages[FIRST].name == 'a'", "tags[SIZE] == 1", "author.age == question.author.age", "author.name == name",
            "ANY author.posts.tags.name == 'c'", "answers.@max.views > 1", "ANY pages.name IN {'a', 'b'}",
            "ANY editor.staff.name == 'a'", "editor.boss.badge.name == 'a'",
        ],
        "Person": [
            "ANY posts.name == 'a'", "ANY posts.tags.name == 'b'", "boss.badge.name == 'a'", "badge.name == 'b'",
            "ANY staff.posts.name == 'a'", "SUBQUERY(posts, $p, $p.question.author.name == 'a').@count > 0",
            "boss.name == name", "boss.boss.name == 'a'", "ANY posts.pages.name == 'b'",
        ],
        "Tag": [
            "admin.name == 'a'", "admin.badge.name > 'a'", "ANY posts.author.name == 'a'", "ANY posts.editor.age > 2",
        ],
        "Badge": ["owner.name == 'a'", "owner.boss.name < 'c'", "ANY owner.posts.views > 2"],
    ]

    private static let keys: [String: [String]] = [
        "Post": [
            "author.name", "question.author.name", "author.boss.age", "editor.name", "author.badge.name", "views",
            "question.name", "editor.boss.name",
        ],
        "Person": ["boss.name", "badge.name", "boss.badge.name", "age"],
        "Tag": ["admin.name", "admin.boss.name"], "Badge": ["owner.name", "owner.boss.name"],
    ]

    private mutating func condition(_ entity: String) -> String {
        let condition = Self.conditions[entity]?.randomElement(using: &random) ?? "TRUEPREDICATE"
        if random.chance(20) { return "NOT (\(condition))" }
        return random.chance(20) ? "(\(condition)) OR (\(self.condition(entity)))" : condition
    }

    /// - Parameter parent: The parent of a child context.
    mutating func compare(_ context: ManagedObjectContext, childOf parent: ManagedObjectContext? = nil) throws {
        let entity = ["Post", "Post", "Person", "Tag", "Badge"].randomElement(using: &random) ?? "Post"
        let keys = (Self.keys[entity] ?? []).filter { _ in random.chance(30) }.shuffled(using: &random)
        var request = FetchRequest<ManagedObject>(entity)
        if random.chance(75) { request.predicate = try ObjectPredicate(template: condition(entity)) }
        request.sortDescriptors = keys.map { ObjectSortDescriptor($0, ascending: random.chance(50)) }
        request.sortDescriptors = request.keyedSortDescriptors
        request.fetchOffset = random.chance(50) ? 0 : Int.random(in: 0...6, using: &random)
        request.fetchLimit = random.chance(40) ? 0 : Int.random(in: 1...6, using: &random)
        request.includesPropertyValues = random.chance(70)
        let (found, count) = (try context.objectIDs(request), try context.count(request))
        let fetched = try context.fetch(request).map(\.objectID)
        var paged = request
        (paged.fetchOffset, paged.fetchLimit) = (0, .random(in: 1...4, using: &random))
        let pages = try pages(paged, context)
        if entity == "Post", let owner = try any(random.chance(50) ? "Tag" : "Person", context) {
            let chosen = RelatedRequest(
                predicate: request.predicate,
                sortDescriptors: request.sortDescriptors,
                limit: random.chance(50) ? nil : 2
            )
            let posts = try owner.relationship("posts")
            let found = try context.related(along: posts, owners: [owner.objectID], matching: chosen).members[0]
            let matching = try owner.related("posts").filter { post in
                try request.predicate.map { try Evaluator(now: .now).matches($0, post) } ?? true
            }
            let sorted = try matching.sorted(by: request.sortDescriptors).map(\.objectID)
            try #require(found == Array(sorted.prefix(chosen.limit ?? .max)), "\(request) of \(owner.objectID)")
        }
        paged.includesPendingChanges = false
        let beneath = try self.pages(paged, context)

        let evaluator = Evaluator(now: .now)
        let all = try context.fetch(FetchRequest<ManagedObject>(entity))
        let matching = try all.filter { object in
            try request.predicate.map { try evaluator.matches($0, object) } ?? true
        }
        let ordered = try matching.sorted(by: request.sortDescriptors)
        let sorted = ordered.map(\.objectID)
        try compareTables(request, ordered, context)
        let expected = Array(
            sorted.dropFirst(request.fetchOffset).prefix(request.fetchLimit == 0 ? .max : request.fetchLimit)
        )
        let note = Comment(rawValue: "\(request) after \(log.suffix(20))")
        try #require(found == expected, note)
        try #require(fetched == expected, note)
        try #require(count == expected.count, note)
        try #require(pages == sorted, note)
        // Without its own changes, a child shows its parent's state.
        request.includesPendingChanges = parent != nil
        (request.fetchOffset, request.fetchLimit) = (0, 0)
        try #require(try beneath == (parent ?? context).objectIDs(request), note)
    }

    /// Compares rows of values and groups of them with a computation here.
    ///
    /// - Parameter matching: All objects that match, in order.
    private mutating func compareTables(
        _ request: FetchRequest<ManagedObject>,
        _ matching: [ManagedObject],
        _ context: ManagedObjectContext
    ) throws {
        guard let key = Self.keys[request.entityName]?.randomElement(using: &random) else { return }
        let note = Comment(rawValue: "\(request) by \(key) after \(log.suffix(20))")
        let evaluator = Evaluator(now: .now)
        let values = try matching.map { object -> Value in
            guard case .value(let value) = try evaluator.operand(of: .keyPath(key), for: object) else { return .null }
            return value
        }
        func window(_ rows: [[Value]]) -> [[Value]] {
            Array(rows.dropFirst(request.fetchOffset).prefix(request.fetchLimit == 0 ? .max : request.fetchLimit))
        }
        var table = request
        table.propertiesToFetch = [ExpressionDescription(keyPath: key), "name"]
        let rows = try zip(values, matching).map { [$0, try $1.value(forKey: "name")] }
        try #require(try context.table(table).rows == window(rows), note)

        table.propertiesToFetch = [ExpressionDescription(keyPath: key), ExpressionDescription("objects", .count)]
        table.propertiesToGroupBy = [key]
        table.sortDescriptors = [ObjectSortDescriptor(key)]
        if random.chance(30) { table.havingPredicate = try ObjectPredicate("objects > 1") }
        let counts = Dictionary(grouping: values) { $0 }.mapValues(\.count)
        let groups = counts.filter { table.havingPredicate == nil || $0.value > 1 }.map { value, count in
            [value, .integer(Int64(count))]
        }
        let found = try context.table(table).rows
        try #require(Set(found).count == found.count && Set(found).isSubset(of: groups), note)
        try #require(found.count == window(groups).count, note)
        table.propertiesToFetch = [ExpressionDescription(keyPath: key)]
        (table.propertiesToGroupBy, table.havingPredicate, table.returnsDistinctResults) = ([], nil, true)
        try #require(try context.table(table).rows.count == window(counts.keys.map { [$0] }).count, note)
    }

    private func pages(
        _ request: FetchRequest<ManagedObject>,
        _ context: ManagedObjectContext
    ) throws -> [ManagedObjectID] {
        var found: [ManagedObjectID] = []
        var page = try context.page(request)
        while let last = page.last, found.count < 200 {
            found += page.map(\.objectID)
            page = try context.page(request, after: context.sortKeys(of: last, for: request))
        }
        return found
    }
}
