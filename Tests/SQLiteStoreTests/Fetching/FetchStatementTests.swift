// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectGraph
import Predicates
import SQLiteDriver
import Testing

@testable import SQLiteStore

@Suite("The SQL of fetches")
struct FetchStatementTests {
    private static let exists = "EXISTS (SELECT 1 FROM"

    @Test(
        "a predicate is translated to SQL with bound values",
        arguments: [
            ("title == 'x'", "WHERE t0.ZTITLE = 'x'"),
            ("title != 'x'", "WHERE t0.ZTITLE IS NOT 'x'"),
            ("title == nil", "WHERE t0.ZTITLE IS NULL"),
            ("NOT views > 1", "WHERE (t0.ZVIEWS > 1) IS NOT TRUE"),
            (
                "views > 1 AND (score < 2 OR isDraft == YES)",
                "WHERE t0.ZVIEWS > 1 AND (t0.ZSCORE < 2.0 OR t0.ZISDRAFT = 1)"
            ),
            ("views BETWEEN {1, 5}", "WHERE t0.ZVIEWS >= 1 AND t0.ZVIEWS <= 5"),
            ("views IN {1, 2, 3}", "WHERE t0.ZVIEWS IN (1, 2, 3, 3)"),
            ("title IN {'a', nil}", "WHERE t0.ZTITLE IN ('a') OR t0.ZTITLE IS NULL"),
            ("title == 5", "WHERE 0"),
            ("title BEGINSWITH 'ab'", "WHERE t0.ZTITLE >= 'ab' AND t0.ZTITLE < 'ac'"),
            ("title LIKE 'ab*'", "WHERE t0.ZTITLE >= 'ab' AND t0.ZTITLE < 'ac'"),
            ("title LIKE '*ab'", "WHERE outcrop_like(t0.ZTITLE, '*ab', 0)"),
            ("title CONTAINS 'ab'", "WHERE instr(t0.ZTITLE, 'ab') > 0"),
            ("title MATCHES[c] 'a+'", "WHERE outcrop_matches(t0.ZTITLE, 'a+', 1)"),
            ("title ==[cd] 'Ole'", "WHERE t0.ZPLAINTITLE = 'ole'"),
            ("title ==[c] 'Ole'", "WHERE outcrop_fold(t0.ZTITLE, 1) = 'ole'"),
            ("title CONTAINS[cd] 'Ole'", "WHERE instr(t0.ZPLAINTITLE, 'ole') > 0"),
            ("price == 19.90", "WHERE t0.ZPRICE = 19.9"),
            ("price < 20", "WHERE (t0.ZPRICE < 20 OR t0.ZPRICE >= x'' AND outcrop_order(t0.ZPRICE, 20) < 0)"),
            ("views + 1 > score", "WHERE (t0.ZVIEWS + 1) > +t0.ZSCORE"),
            ("length:(title) < 80", "WHERE outcrop_length(t0.ZTITLE) < 80"),
            ("createdAt < now()", "WHERE t0.ZCREATEDAT < 0.0"),
            ("author == nil", "WHERE t0.ZAUTHOR IS NULL"),
            ("author.name == 'Ann'", "LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZAUTHOR WHERE t1.ZNAME = 'Ann'"),
            (
                "author.name == 'Ann' AND author.age > 3",
                "LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZAUTHOR WHERE t1.ZNAME = 'Ann' AND t1.ZAGE > 3"
            ),
            (
                "author.entity == 'Editor'",
                "WHERE t0.Z2_AUTHOR = 3"
            ),
            (
                "ANY comments.likes > 3",
                "WHERE EXISTS (SELECT 1 FROM ZCOMMENT AS t1 WHERE t1.ZPOST = t0.Z_PK AND t1.ZLIKES > 3)"
            ),
            (
                "ALL comments.likes > 3",
                """
                WHERE NOT EXISTS (SELECT 1 FROM ZCOMMENT AS t1 WHERE t1.ZPOST = t0.Z_PK AND (t1.ZLIKES > 3) IS NOT TRUE)
                """
            ),
            (
                "NONE comments.text == nil",
                "WHERE NOT EXISTS (SELECT 1 FROM ZCOMMENT AS t1 WHERE t1.ZPOST = t0.Z_PK AND t1.ZTEXT IS NULL)"
            ),
            (
                "ANY tags.name == 'swift'",
                """
                WHERE t0.Z_PK IN (SELECT p1.Z_4POSTS FROM Z_4TAGS AS p1 JOIN ZTAG AS t1 ON t1.Z_PK = p1.Z_5TAGS \
                WHERE t1.ZNAME = 'swift')
                """
            ),
            ("comments.@count > 0", "WHERE EXISTS (SELECT 1 FROM ZCOMMENT AS t1 WHERE t1.ZPOST = t0.Z_PK)"),
            ("comments.@count >= 5", "WHERE (SELECT COUNT(*) FROM ZCOMMENT AS t1 WHERE t1.ZPOST = t0.Z_PK) >= 5"),
            (
                "comments.@sum.likes > 10",
                "WHERE (SELECT IFNULL(SUM(t1.ZLIKES), 0) FROM ZCOMMENT AS t1 WHERE t1.ZPOST = t0.Z_PK) > 10"
            ),
            (
                "SUBQUERY(comments, $c, $c.likes > 1 AND $c.text == title).@count == 0",
                """
                WHERE NOT EXISTS (SELECT 1 FROM ZCOMMENT AS t1 WHERE t1.ZPOST = t0.Z_PK AND \
                (t1.ZLIKES > 1 AND t1.ZTEXT IS t0.ZTITLE))
                """
            ),
            (
                "tags[FIRST].name == 'news'",
                """
                LEFT JOIN ZTAG AS t2 ON t2.Z_PK = (SELECT t1.Z_PK FROM Z_4TAGS AS p1 JOIN ZTAG AS t1 \
                ON t1.Z_PK = p1.Z_5TAGS WHERE p1.Z_4POSTS = t0.Z_PK ORDER BY p1.Z_FOK_5TAGS, t1.Z_PK LIMIT 1) \
                WHERE t2.ZNAME = 'news'
                """
            ),
            (
                "TERNARY(isDraft == YES, 0, views) > 5",
                "WHERE CASE WHEN t0.ZISDRAFT = 1 THEN 0 ELSE t0.ZVIEWS END > 5"
            ),
        ]
    )
    func predicates(predicate: String, sql: String) throws {
        try Blog.withStore { blog in
            #expect(try blog.condition("Post", predicate) == sql)
            _ = try blog.store.fetch(blog.counting("Post", predicate), at: nil)
        }
    }

    @Test("the SQL tests the entity only if the table has others")
    func entities() throws {
        try Blog.withStore { blog in
            #expect(try blog.plan(blog.counting("Post")).statement == "SELECT COUNT(*) FROM ZPOST AS t0")
            #expect(try blog.plan(blog.counting("Person")).statement == "SELECT COUNT(*) FROM ZPERSON AS t0")
            #expect(
                try blog.plan(blog.counting("Editor")).statement
                    == "SELECT COUNT(*) FROM ZPERSON AS t0 WHERE t0.Z_ENT = 3"
            )
            var request = try blog.counting("Person")
            request.includesSubentities = false
            #expect(
                try blog.plan(request).statement
                    == "SELECT COUNT(*) FROM ZPERSON AS t0 WHERE t0.Z_ENT = 2"
            )
        }
    }

    @Test("the SQL of a fetch has the order and the window")
    func windows() throws {
        try Blog.withStore { blog in
            var request = try blog.request("Post", "views > 3", sort: "-createdAt,title[cd],author.name")
            (request.kind, request.offset, request.limit) = (.objectIDs, 20, 10)
            #expect(
                try blog.plan(request).statement == """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPOST AS t0 LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZAUTHOR \
                    WHERE t0.ZVIEWS > \(value: 3) ORDER BY t0.ZCREATEDAT DESC, t0.ZPLAINTITLE, t1.ZNAME, t0.Z_PK \
                    LIMIT \(value: 10) OFFSET \(value: 20)
                    """
            )
            request.kind = .count
            #expect(
                try blog.plan(request).statement.text == """
                    SELECT COUNT(*) FROM (SELECT 1 FROM ZPOST AS t0 WHERE t0.ZVIEWS > ? LIMIT ? OFFSET ?)
                    """
            )
        }
    }

    @Test("the SQL of a table groups rows and filters the groups")
    func groups() throws {
        try Blog.withStore { blog in
            var request = try blog.request("Post")
            request.kind = .table(
                TableRequest(
                    columns: [
                        "author.name", ExpressionDescription("posts", .count),
                        ExpressionDescription("readers", .sum, of: "views"),
                    ],
                    groupBy: [.keyPath("author.name")],
                    having: .comparing(.function(.count, [.evaluatedObject]), .greater, .constant(1))
                )
            )
            request.sortDescriptors = [ObjectSortDescriptor(.function(.count, [.evaluatedObject]), ascending: false)]
            #expect(
                try blog.plan(request).statement.text == """
                    SELECT t1.ZNAME, COUNT(*), outcrop_sum('sum:', 'i', t0.ZVIEWS, t0.Z_PK) FROM ZPOST AS t0 \
                    LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZAUTHOR GROUP BY t1.ZNAME HAVING COUNT(*) > ? \
                    ORDER BY COUNT(*) DESC, MIN(t0.Z_PK)
                    """
            )
            request.kind = .table(TableRequest(columns: ["author", "isDraft"], isDistinct: true))
            request.sortDescriptors = [ObjectSortDescriptor("isDraft")]
            #expect(
                try blog.plan(request).statement.text == """
                    SELECT t0.ZAUTHOR, t0.Z2_AUTHOR, t0.ZISDRAFT FROM ZPOST AS t0 \
                    GROUP BY t0.ZAUTHOR, t0.Z2_AUTHOR, t0.ZISDRAFT ORDER BY t0.ZISDRAFT, MIN(t0.Z_PK)
                    """
            )
        }
    }

    @Test("a long list of any type is bound as one value")
    func lists() throws {
        try Blog.withStore { blog in
            let numbers = (0..<40_000).map { Value.integer(Int64($0)) }
            let texts = (0..<300).map { Value.string("t\u{0}\($0)") }
            let doubles = (0..<300).map { Value.double(Double($0) + 0.1) }
            for (path, list, sql) in [
                ("views", numbers, "t0.ZVIEWS IN (SELECT value FROM json_each(?))"),
                ("title", texts, "t0.ZTITLE IN (SELECT outcrop_text(value) FROM json_each(?))"),
                ("score", doubles, "t0.ZSCORE IN (SELECT outcrop_double(value) FROM json_each(?))"),
            ] {
                var request = try blog.counting("Post")
                request.predicate = .comparing(.keyPath(path), .in, .constant(.array(list)))
                #expect(try blog.plan(request).statement.text == "SELECT COUNT(*) FROM ZPOST AS t0 WHERE \(sql)")
                guard case .count(0) = try blog.store.fetch(request, at: nil) else {
                    Issue.record("an empty store has posts")
                    return
                }
            }
        }
    }

    @Test("a condition that SQL can't express is evaluated in memory, on the rows that the rest finds")
    func residual() throws {
        try Blog.withStore { blog in
            let request = try blog.request("Post", "views > 3 AND payload.kind == 'x'", sort: "title")
            let plan = try blog.plan(request)
            #expect(plan.statement.text.hasSuffix(" FROM ZPOST AS t0 WHERE t0.ZVIEWS > ? ORDER BY t0.ZTITLE, t0.Z_PK"))
            let rest = try ObjectPredicate("payload.kind == 'x'")
            #expect(plan.remainder?.predicate == rest)
            #expect(plan.remainder?.sortDescriptors == [])
            #expect(
                try blog.store.explain(.fetch(request)).evaluated == [#"payload.kind == "x" (continues after a value)"#]
            )
        }
    }

    @Test("a fetch that must evaluate too many rows in memory is refused, with the condition")
    func evaluationLimit() throws {
        var options = SQLiteStoreOptions()
        options.evaluationLimit = 3
        try Blog.withStore(options) { blog in
            try blog.insert(5)
            let request = try blog.request("Post", "payload.kind == nil")
            let error = #expect(throws: StoreError.self) { try blog.store.fetch(request, at: nil) }
            #expect(error?.code == .tooExpensive)
            #expect(error?.message.contains("payload.kind == nil") == true)
            // The limit allows three rows.
            var few = request
            few.limit = 3
            guard case .snapshots(let found) = try blog.store.fetch(few, at: nil) else { return }
            #expect(found.count == 3)
        }
    }
}

extension Blog {
    func insert(_ count: Int) throws {
        var request = StoreSaveRequest()
        let post = try entity("Post")
        for objectID in try store.permanentIDs(for: Array(repeating: post, count: count)) {
            let row = Row(attributes: post.attributes.map { _ in .null }, toOnes: post.toOnes.map { _ in nil })
            request.insertions.append(.init(objectID: objectID, row: row))
        }
        _ = try store.save(request)
    }
}
