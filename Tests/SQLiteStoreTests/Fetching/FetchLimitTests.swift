// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectGraph
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Fetches beyond SQLite's limits")
struct FetchLimitTests {
    /// Forms that can be nested arbitrarily.
    private static let forms: [(name: String, predicate: @Sendable (Int) -> ObjectPredicate)] = [
        (
            "functions",
            { depth in
                let text = (0..<depth).reduce(ObjectExpression.keyPath("title")) { text, level in
                    .function(level.isMultiple(of: 2) ? .uppercase : .lowercase, [text])
                }
                return .comparing(text, .notEqual, .constant("x"))
            }
        ),
        (
            "arithmetic",
            { depth in
                let sum = (0..<depth).reduce(ObjectExpression.keyPath("views")) { sum, _ in
                    .function(.add, [.constant(1), sum])
                }
                return .comparing(sum, .greater, .constant(3))
            }
        ),
        (
            "decimals",
            { depth in
                let sum = (0..<depth).reduce(ObjectExpression.keyPath("price")) { sum, _ in
                    .function(.add, [.constant(1), sum])
                }
                return .comparing(sum, .greater, .constant(3))
            }
        ),
        (
            "choices",
            { depth in
                let choice = (0..<depth).reduce(ObjectExpression.keyPath("views")) { other, level in
                    .ternary(
                        .comparing(.keyPath("score"), .less, .constant(.integer(Int64(level)))),
                        .constant(7),
                        other
                    )
                }
                return .comparing(choice, .greater, .constant(3))
            }
        ),
        (
            "chosen by",
            { depth in
                (0..<depth).reduce(.comparing(.keyPath("views"), .greater, .constant(2))) { condition, _ in
                    .comparing(.ternary(condition, .keyPath("views"), .keyPath("score")), .greater, .constant(0))
                }
            }
        ),
        (
            "NOT",
            { depth in
                (0..<depth).reduce(.comparing(.keyPath("views"), .greater, .constant(2))) { condition, level in
                    .not(.and([condition, .comparing(.keyPath("score"), .less, .constant(.integer(Int64(level))))]))
                }
            }
        ),
        (
            "subqueries",
            { depth in
                (0..<depth).reduce(.comparing(.keyPath("views"), .greater, .constant(2))) { inner, level in
                    let members = ObjectExpression.subquery(
                        .keyPath(level.isMultiple(of: 2) ? "posts" : "tags"),
                        variable: "v",
                        inner.looking(into: "v")
                    )
                    return .comparing(members.followed(by: .count), .greater, .constant(0))
                }
            }
        ),
        (
            "wide levels",
            { depth in
                (0..<depth).reduce(.comparing(.keyPath("views"), .greater, .constant(2))) { inner, level in
                    let terms = (0..<95).map {
                        ObjectPredicate.comparing(.keyPath("score"), .notEqual, .constant(.integer(Int64($0) - 200)))
                    }
                    return level.isMultiple(of: 2) ? .and(terms + [inner]) : .or(terms + [inner])
                }
            }
        ),
    ]

    @Test("a predicate nested to any depth finds the right objects", arguments: forms.map(\.name))
    func nesting(form: String) throws {
        let predicate = try #require(Self.forms.first { $0.name == form }?.predicate)
        try Blog.withStore { blog in
            try blog.fill()
            var kinds: Set<Bool> = []
            for depth in Array(1...32) + [40, 60] + (form == "subqueries" ? [] : [90]) {
                let root = form == "subqueries" && !depth.isMultiple(of: 2) ? "Tag" : "Post"
                var request = try blog.request(root)
                request.predicate = predicate(depth)
                let expected = try blog.evaluated(request)
                guard case .snapshots(let found) = try blog.store.fetch(request, at: nil) else { return }
                #expect(found.map(\.objectID) == expected, "\(depth) deep")
                kinds.insert(try blog.plan(request).remainder == nil)
                request.kind = .count
                guard case .count(expected.count) = try blog.store.fetch(request, at: nil) else {
                    Issue.record("\(depth) deep, another number is counted")
                    return
                }
            }
            // Shallower predicates run in SQL, and deeper ones in memory.
            #expect(kinds == [true, false])
        }
    }

    @Test("conditions can have more values than SQLite can bind")
    func bindings() throws {
        try Blog.withStore { blog in
            try blog.fill()
            var request = try blog.request("Post")
            request.predicate = .and(
                (0..<200).map { term in
                    let values = (0..<256).map { Value.integer(Int64($0 * (term + 1))) }
                    return .comparing(.keyPath("views"), .in, .constant(.array(values)))
                }
            )
            let plan = try blog.plan(request)
            #expect(plan.statement.bindings.count <= 10_000 && plan.remainder != nil)
            guard case .snapshots(let found) = try blog.store.fetch(request, at: nil) else { return }
            #expect(try found.map(\.objectID) == blog.evaluated(request))
            #expect(found.count == 1)
        }
    }

    @Test("a table may have more columns than a statement, and a function more operands")
    func columns() throws {
        try Blog.withStore { blog in
            try blog.fill()
            var request = try blog.request("Post")
            let many = (0..<2_100).map { ExpressionDescription("c\($0)", .keyPath("views")) }
            request.kind = .table(TableRequest(columns: many))
            guard case .table(let table) = try blog.store.fetch(request, at: nil) else { return }
            #expect(table.rows.allSatisfy { $0.count == 2_100 } && table.rows.count == 6)
            let sum = ObjectExpression.function(.sum, Array(repeating: .keyPath("views"), count: 200))
            request.kind = .snapshots
            request.predicate = .comparing(sum, .greater, .constant(500))
            guard case .snapshots(let found) = try blog.store.fetch(request, at: nil) else { return }
            #expect(try found.map(\.objectID) == blog.evaluated(request))
        }
    }

    @Test("the end of a window may be beyond the greatest integer")
    func window() throws {
        try Blog.withStore { blog in
            try blog.fill()
            var request = try blog.request("Post", "random() > -1")
            (request.offset, request.limit) = (.max, .max)
            guard case .snapshots(let none) = try blog.store.fetch(request, at: nil) else { return }
            #expect(none.isEmpty)
            request.offset = 2
            guard case .snapshots(let found) = try blog.store.fetch(request, at: nil) else { return }
            #expect(found.count == 4)
        }
    }

    @Test("an evaluation error in a row is the same in SQL as in memory")
    func errors() throws {
        try Blog.withStore { blog in
            try blog.fill()
            let request = try blog.request("Post", "'x' MATCHES title")
            #expect(try blog.plan(request).remainder == nil)
            let expected = #expect(throws: EvaluationError.self) { _ = try blog.evaluated(request) }
            let error = #expect(throws: EvaluationError.self) { try blog.store.fetch(request, at: nil) }
            #expect(error?.code == .invalidRegularExpression && error == expected)
        }
    }
}

extension ObjectPredicate {
    /// The same predicate on a variable.
    fileprivate func looking(into variable: String) -> ObjectPredicate {
        guard case .comparison(var comparison) = self else { return self }
        comparison.left = comparison.left.rooted(in: variable)
        return .comparison(comparison)
    }
}

extension ObjectExpression {
    fileprivate func followed(by function: CollectionOperator) -> ObjectExpression {
        .keyPath(of: self, [.collection(function)])
    }

    fileprivate func rooted(in variable: String) -> ObjectExpression {
        switch self {
        case .evaluatedObject: .variable(variable)
        case .keyPath(let root, let keys): .keyPath(of: root.rooted(in: variable), keys)
        case .subquery(let members, let name, let condition):
            .subquery(members.rooted(in: variable), variable: name, condition)
        default: self
        }
    }
}

extension Blog {
    /// Six posts, one with a tag.
    fileprivate func fill() throws {
        var request = StoreSaveRequest()
        let (post, tag) = (try entity("Post"), try entity("Tag"))
        let tags = try #require(post.relationship(named: "tags"))
        let label = try store.permanentIDs(for: [tag])[0]
        request.insertions.append(
            .init(objectID: label, row: Row(attributes: tag.attributes.map { _ in .null }, toOnes: []))
        )
        for (place, objectID) in try store.permanentIDs(for: Array(repeating: post, count: 6)).enumerated() {
            var row = Row(attributes: post.attributes.map { _ in .null }, toOnes: post.toOnes.map { _ in nil })
            let values: [String: Value] = [
                "title": place == 3 ? "(" : .string("t\(place)"), "views": .integer(Int64(place)),
                "score": .double(Double(place) / 2), "price": .decimal(Decimal(place)),
            ]
            for (name, value) in values { row.attributes[try #require(post.attribute(named: name)).slot] = value }
            request.insertions.append(.init(objectID: objectID, row: row))
            if place == 5 { request.members.append(.init(owner: objectID, relationship: tags, added: [label])) }
        }
        _ = try store.save(request)
    }

    /// The objects that evaluation in memory finds among all rows.
    fileprivate func evaluated(_ request: StoreFetchRequest) throws -> [ManagedObjectID] {
        try store.database.read { connection in
            let reader = StoreReader(connection: connection, tables: store.tables)
            let rows = try #require(store.tables.rowReader(of: request.entity))
            let source = RowSource(reader)
            let all = try connection.rows(
                "SELECT \(rows.columns(of: "t0")) FROM \(identifier: rows.table.name) AS t0 ORDER BY t0.Z_PK"
            ) { StoredRow(snapshot: rows.snapshot($0), source: source) }
            return try request.objects(among: all, with: Evaluator(now: Self.now)).map(\.snapshot.objectID)
        }
    }
}
