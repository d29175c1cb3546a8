// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Testing

@testable import SQLiteStore

@Suite("New values in SQL")
struct AssignmentPlanTests {
    private func plan(
        _ blog: Blog,
        _ predicate: String?,
        _ values: [(String, ObjectExpression)]
    ) throws -> AssignmentPlan? {
        let rows = try blog.request("Post", predicate)
        let assignments = values.compactMap { name, value in
            rows.entity.property(named: name).map { (property: $0, value: value) }
        }
        return AssignmentPlan(assignments, to: rows, blog.store.tables, now: Blog.now)
    }

    @Test("stand by themselves where they come from the row alone")
    func local() throws {
        try Blog.withStore { blog in
            let values = [
                ("views", try ObjectExpression("views + 1")), ("title", try ObjectExpression("uppercase:(title)")),
                ("score", try ObjectExpression("score * 2")), ("author", .constant(.null)),
            ]
            let plan = try plan(blog, "views < 10", values)
            #expect(plan?.keys.text == "SELECT t0.Z_PK FROM ZPOST AS t0 WHERE t0.ZVIEWS < ?")
            #expect(plan?.columns == ["ZVIEWS", "ZTITLE", "ZSCORE", "ZAUTHOR", "Z2_AUTHOR"])
            #expect(
                plan?.local?.map(\.value.text) == [
                    "outcrop_assigned('8', 'n', (t0.ZVIEWS + ?))", "outcrop_call('uppercase:', 't', t0.ZTITLE)",
                    "(t0.ZSCORE * ?)", "NULL", "NULL",
                ]
            )
        }
    }

    @Test("are read beforehand where they come from other rows")
    func joined() throws {
        try Blog.withStore { blog in
            let plan = try plan(blog, nil, [("title", try ObjectExpression("author.name"))])
            #expect(plan?.local == nil)
            #expect(
                plan?.statement.text
                    == "SELECT t0.Z_PK, t1.ZNAME FROM ZPOST AS t0 LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZAUTHOR"
            )
        }
    }

    @Test("are left to memory where the types don't fit, or the rows can't be found")
    func refused() throws {
        try Blog.withStore { blog in
            let number = try plan(blog, nil, [("title", try ObjectExpression("views"))])
            #expect(number == nil)
            let unknown = try plan(blog, "payload.kind == 'x'", [("views", .constant(1))])
            #expect(unknown == nil)
        }
    }

    @Test("are an error where the attribute can't have them")
    func outOfRange() throws {
        #expect(throws: StoreError.self) { try AssignedValue.stored(.integer(40_000), letter: "2") }
        #expect(throws: StoreError.self) { try AssignedValue.stored(.double(0.5), letter: "8") }
        #expect(try AssignedValue.stored(.double(5), letter: "8") == .integer(5))
        #expect(try AssignedValue.stored(.double(0.1), letter: "f") == .real(Double(Float(0.1))))
        #expect(try AssignedValue.stored(.decimal(Decimal(5)), letter: "d") == .real(5))
        #expect(try AssignedValue.stored(.null, letter: "8") == .null)
    }
}
