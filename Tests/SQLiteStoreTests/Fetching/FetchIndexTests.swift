// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@testable import SQLiteStore

@Suite("Fetch indexes")
struct FetchIndexTests {
    @Test(
        "a fetch uses an index if one fits",
        arguments: [
            ("title == 'x'", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byTitle (ZTITLE=?)"),
            ("title IN {'x', 'y'}", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byTitle (ZTITLE=?)"),
            ("title == nil", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byTitle (ZTITLE=?)"),
            ("title > 'x'", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byTitle (ZTITLE>?)"),
            ("title BEGINSWITH 'x'", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byTitle (ZTITLE>? AND ZTITLE<?)"),
            ("title ==[cd] 'X'", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byPlainTitle (ZPLAINTITLE=?)"),
            (
                "title BEGINSWITH[cd] 'X'", nil,
                "SEARCH t0 USING COVERING INDEX Z_Post_byPlainTitle (ZPLAINTITLE>? AND ZPLAINTITLE<?)"
            ),
            ("score >= 5 AND score < 6", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byScore (ZSCORE>? AND ZSCORE<?)"),
            ("price == 19.90", nil, "SEARCH t0 USING COVERING INDEX Z_Post_byPrice (ZPRICE=?)"),
            ("author.name == 'Ann'", nil, "SEARCH t1 USING COVERING INDEX Z_Person_byName (ZNAME=?)"),
            ("ANY tags.name == 'swift'", nil, "SEARCH t1 USING COVERING INDEX Z_Tag_byName (ZNAME=?)"),
            ("comments.@count > 0", nil, "SEARCH t1 USING COVERING INDEX ZCOMMENT_ZPOST_INDEX (ZPOST=?)"),
            (nil, "-createdAt", "SCAN t0 USING INDEX Z_Post_byCreatedAt"),
        ] as [(String?, String?, String)]
    )
    func steps(predicate: String?, sort: String?, step: String) throws {
        try Blog.withStore { blog in
            var request = try blog.request("Post", predicate, sort: sort)
            if sort == nil { request.kind = .count }
            let steps = try blog.steps(request)
            #expect(steps.contains(step), "\(steps)")
            #expect(!steps.contains { $0.contains("TEMP B-TREE FOR ORDER BY") })
        }
    }

    @Test("an attribute's index is preferred to the entity's")
    func entities() throws {
        try Blog.withStore { blog in
            let steps = try blog.steps(try blog.request("Editor", "name BEGINSWITH 'x'"))
            #expect(steps.contains("SEARCH t0 USING INDEX Z_Person_byName (ZNAME>? AND ZNAME<?)"), "\(steps)")
            let all = try blog.steps(try blog.request("Editor"))
            #expect(all == ["SEARCH t0 USING INDEX ZPERSON_Z_ENT_INDEX (Z_ENT=?)"])
        }
    }

    @Test("an index also finds decimals that are ordered by sort key")
    func decimals() throws {
        try Blog.withStore { blog in
            let steps = try blog.steps(try blog.counting("Post", "price > 10"))
            #expect(steps.contains { $0.contains("Z_Post_byPrice") }, "\(steps)")
        }
    }
}
