// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectGraph
import Predicates
import SQLiteDriver
import Testing

@testable import SQLiteStore

@Suite("SQL functions of the store")
struct StoreFunctionTests {
    @Test("sort keys of numbers have the order of the numbers")
    func sortKeys() {
        let numbers =
            RandomValues.decimals.map(Value.decimal) + RandomValues.doubles.map(Value.double)
            + (RandomValues.integers + RandomValues.large).map(Value.integer)
        for left in numbers {
            for right in numbers {
                let (one, other) = (DecimalSortKey(left).text, DecimalSortKey(right).text)
                let order: ComparisonResult =
                    one == other ? .orderedSame : one < other ? .orderedAscending : .orderedDescending
                #expect(left.order(to: right) == order, "\(left) against \(right)")
            }
        }
    }

    @Test("triggers of applications for derived attributes don't prevent writes")
    func triggers() throws {
        try Blog.withStore { blog in
            try blog.store.database.write { connection in
                try connection.execute(
                    """
                    CREATE TRIGGER Z_DA_ZPOST_Post_views_SOURCE_INSERT AFTER INSERT ON ZPOST FOR EACH ROW BEGIN \
                    SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZPOST', NEW.Z_ENT, NEW.Z_PK, 'views', 1); \
                    SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZPOST', NEW.Z_ENT, NEW.Z_PK, 'views', 1); \
                    SELECT NSCoreDataTriggerUpdateAffectedObjectValue('ZPOST', NEW.Z_ENT, NEW.Z_PK, 'views', 1); END
                    """
                )
            }
            try blog.insert(2)
            guard case .count(2) = try blog.store.fetch(blog.counting("Post"), at: nil) else {
                Issue.record("the rows weren't written")
                return
            }
        }
    }

    @Test("text functions process text after a NUL character")
    func nul() throws {
        try Blog.withStore { blog in
            let texts = try blog.store.database.read { connection in
                try connection.first(
                    """
                    SELECT outcrop_length(\(value: "a\0b")), outcrop_ends(\(value: "a\0b"), 'b'), outcrop_fold(\(value: "A\0B"), 1), \
                    outcrop_begins(\(value: "a\0b"), \(value: "a\0")), outcrop_length(NULL)
                    """
                ) { row in (0..<5).map { row.value($0) } }
            }
            #expect(texts == [3, 1, "a\0b", 1, nil])
        }
    }
}
