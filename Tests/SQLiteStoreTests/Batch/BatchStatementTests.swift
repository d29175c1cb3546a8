// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import SQLiteStore
import StoreConformance
import Testing

@Suite("The SQL of batches")
struct BatchStatementTests {
    let club: Club

    init() throws {
        club = try Club(.unrecorded)
    }

    @Test("rows of any number are inserted by one statement if they need no relationships")
    func insert() throws {
        let writer = try club.insert("Writer", [["number": 1]])[0]
        let insertion = "INSERT INTO ZDRAFT (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZWRITER) VALUES (?, ?, ?, ?, ?)"
        for count in [1, 1_000] {
            let rows: [[String: Value]] = (1...count).map { ["number": .integer(Int64($0)), "writer": writer.value] }
            let statements = try club.statements { try club.insert("Draft", rows) }
            #expect(
                Set(statements) == [
                    "SELECT Z_ENT FROM ZPERSON WHERE Z_PK = ?", "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
                    insertion, "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                ]
            )
            #expect(statements.count == count + 3)
        }
    }

    @Test("rows with limited values are checked without reading, and inserted by the same statement")
    func limitedValues() throws {
        let rows: [[String: Value]] = (1...3).map { ["number": .integer($0), "code": "AB"] }
        let statements = try club.statements { try club.insert("Note", rows) }
        let insertion = "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZCODE, ZBOOK) VALUES (?, ?, ?, ?, ?, ?)"
        #expect(statements.filter { $0.hasPrefix("INSERT") } == [insertion, insertion, insertion])
        let error = #expect(throws: GraphError.self) { try club.insert("Note", [["number": 1, "code": "ab"]]) }
        #expect(error?.failures.map(\.code) == [.stringPatternMatching])
        #expect(error?.row == 1)
    }

    @Test("rows without gaps of which all are changed or deleted are only counted")
    func denseRows() throws {
        let drafts = try club.insert("Draft", (0..<3).map { ["number": .integer($0)] })
        var result: BatchResult?
        var statements = try club.statements { result = try club.update("Draft", ["number": .constant(5)]) }
        #expect(
            statements == [
                Self.count, Self.exception,
                "UPDATE ZDRAFT AS t0 SET ZNUMBER = ?, Z_OPT = Z_OPT + 1 WHERE t0.ZNUMBER IS NOT ?",
            ]
        )
        #expect(result?.objectIDs == drafts)
        statements = try club.statements { result = try club.update("Draft", ["number": .constant(5)]) }
        #expect(statements == [Self.count, Self.exception, Self.finding])
        #expect(result?.objectIDs == drafts)
        #expect(try club.store.snapshots(of: drafts, at: nil).map { $0?.version } == [2, 2, 2])
        statements = try club.statements { result = try club.delete("Draft") }
        #expect(statements.first == Self.count)
        #expect(statements.last == "DELETE FROM ZDRAFT AS t0")
        #expect(result?.objectIDs == drafts)
    }

    private static let count = """
        SELECT (SELECT count(*) FROM ZDRAFT), (SELECT min(Z_PK) FROM ZDRAFT), (SELECT max(Z_PK) FROM ZDRAFT)
        """
    private static let exception = "SELECT 1 FROM ZDRAFT AS t0 WHERE NOT (t0.ZNUMBER IS NOT ?) LIMIT 1"
    private static let finding = "SELECT t0.Z_PK, t0.Z_ENT, t0.ZNUMBER IS NOT ?, 0 FROM ZDRAFT AS t0"

    @Test("an update with constants finds the rows and updates those that differ")
    func update() throws {
        let loans = try club.insert("Draft", (0..<3).map { ["number": .integer($0)] })
        var result: BatchResult?
        let statements = try club.statements { result = try club.update("Draft", ["number": .constant(2)]) }
        #expect(
            statements == [
                Self.count, Self.exception, Self.finding,
                "UPDATE ZDRAFT AS t0 SET ZNUMBER = ?, Z_OPT = Z_OPT + 1 WHERE t0.ZNUMBER IS NOT ?",
            ]
        )
        #expect(result?.count == 3)
        #expect(result?.objectIDs == loans)
        let versions = try club.store.snapshots(of: loans, at: nil).map { $0?.version }
        #expect(versions == [2, 2, 1])
    }

    @Test(
        "a deletion without delete rules uses one condition, and affected owners are found by key"
    )
    func plainDeletion() throws {
        try club.insert("Page", [["number": 1], ["number": 2]])
        let statements = try club.statements { try club.delete("Page", "number > 1") }
        #expect(
            statements == [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZPAGE AS t0 WHERE t0.ZNUMBER > ?",
                """
                SELECT o.Z_PK, m.Z_PK, m.Z_ENT FROM (SELECT Z_PK FROM ZPAGE WHERE Z_PK IN (?)) AS o \
                CROSS JOIN ZPAGE AS t ON t.Z_PK = o.Z_PK CROSS JOIN ZBOOK AS m ON m.Z_PK = t.ZBOOK
                """,
                "DELETE FROM ZPAGE AS t0 WHERE t0.ZNUMBER > ?",
            ]
        )
    }

    @Test("the number of a deletion's statements doesn't depend on the number of rows")
    func deletion() throws {
        func fill(_ count: Int64) throws {
            let books = try club.insert("Book", (1...count).map { ["number": .integer($0)] })
            let pages: [[String: Value]] = (books + books + books).map { ["number": 1, "book": $0.value] }
            try club.insert("Page", pages)
            try club.insert("Tag", [["number": 1, "books": .array(books.map(\.value))]])
        }
        var counts: Set<Int> = []
        for count in [1, 50] {
            try fill(Int64(count))
            var result: BatchResult?
            let statements = try club.statements { result = try club.delete("Book") }
            #expect(result?.count == 4 * count)
            #expect(
                statements.filter { !$0.contains("temp.Z_DERIVED") && !$0.contains("temp.Z_CHANGED") } == Self.deletion
            )
            counts.insert(statements.count)
        }
        #expect(counts.count == 1)
        #expect(try club.count("Page") == 0)
    }

    private static let deletion = [
        """
        INSERT OR IGNORE INTO temp.Z_BATCH SELECT 2, Z_PK, Z_ENT FROM \
        (SELECT t0.Z_PK, t0.Z_ENT FROM ZBOOK AS t0 ORDER BY t0.Z_PK)
        """,
        """
        INSERT OR IGNORE INTO temp.Z_BATCH SELECT 6, m.Z_PK, m.Z_ENT FROM temp.Z_BATCH AS o \
        CROSS JOIN ZPAGE AS m ON m.ZBOOK = o.Z_PK WHERE o.ZROOT = 2
        """,
        "SELECT COUNT(*) FROM temp.Z_BATCH",
        """
        SELECT o.Z_PK, o.Z_ENT, COUNT(*) FROM temp.Z_BATCH AS o CROSS JOIN ZLOAN AS m ON m.ZBOOK = o.Z_PK \
        WHERE o.ZROOT = 2 AND NOT EXISTS (SELECT 1 FROM temp.Z_BATCH AS k WHERE k.ZROOT = 4 AND k.Z_PK = m.Z_PK) \
        GROUP BY o.Z_PK ORDER BY o.Z_PK LIMIT ?
        """,
        """
        SELECT 1 FROM temp.Z_BATCH AS o CROSS JOIN ZREVIEW AS m ON m.ZBOOK = o.Z_PK WHERE o.ZROOT = 2 \
        AND NOT EXISTS (SELECT 1 FROM temp.Z_BATCH AS k WHERE k.ZROOT = 9 AND k.Z_PK = m.Z_PK) LIMIT 1
        """,
        "SELECT ZROOT, Z_PK, Z_ENT FROM temp.Z_BATCH ORDER BY ZROOT, Z_PK",
        """
        SELECT DISTINCT m.Z_PK, m.Z_ENT FROM temp.Z_BATCH AS o CROSS JOIN ZBOOK AS t ON t.Z_PK = o.Z_PK \
        CROSS JOIN ZPERSON AS m ON m.Z_PK = t.ZAUTHOR WHERE o.ZROOT = 2 \
        AND NOT EXISTS (SELECT 1 FROM temp.Z_BATCH AS k WHERE k.ZROOT = 7 AND k.Z_PK = m.Z_PK) LIMIT 1001
        """,
        """
        SELECT DISTINCT m.Z_PK, m.Z_ENT FROM temp.Z_BATCH AS o CROSS JOIN Z_2TAGS AS p ON p.Z_2BOOKS = o.Z_PK \
        CROSS JOIN ZTAG AS m ON m.Z_PK = p.Z_10TAGS WHERE o.ZROOT = 2 \
        AND NOT EXISTS (SELECT 1 FROM temp.Z_BATCH AS k WHERE k.ZROOT = 10 AND k.Z_PK = m.Z_PK) LIMIT 1001
        """,
        """
        SELECT DISTINCT m.Z_PK, m.Z_ENT FROM temp.Z_BATCH AS o CROSS JOIN ZPAGE AS t ON t.Z_PK = o.Z_PK \
        CROSS JOIN ZBOOK AS m ON m.Z_PK = t.ZBOOK WHERE o.ZROOT = 6 \
        AND NOT EXISTS (SELECT 1 FROM temp.Z_BATCH AS k WHERE k.ZROOT = 2 AND k.Z_PK = m.Z_PK) LIMIT 1001
        """,
        """
        INSERT OR IGNORE INTO temp.Z_SAVED SELECT 9, m.Z_PK, m.Z_ENT FROM ZREVIEW AS m \
        WHERE m.ZBOOK IN (SELECT Z_PK FROM temp.Z_BATCH WHERE ZROOT = 2) \
        AND NOT EXISTS (SELECT 1 FROM temp.Z_BATCH AS k WHERE k.ZROOT = 9 AND k.Z_PK = m.Z_PK)
        """,
        "DELETE FROM Z_2TAGS WHERE Z_2BOOKS IN (SELECT Z_PK FROM temp.Z_BATCH WHERE ZROOT = 2)",
        """
        UPDATE ZREVIEW AS m SET ZBOOK = NULL, Z_OPT = Z_OPT + 1 \
        WHERE m.ZBOOK IN (SELECT Z_PK FROM temp.Z_BATCH WHERE ZROOT = 2) \
        AND NOT EXISTS (SELECT 1 FROM temp.Z_BATCH AS k WHERE k.ZROOT = 9 AND k.Z_PK = m.Z_PK) RETURNING Z_PK, Z_ENT
        """,
        "DELETE FROM ZBOOK WHERE Z_PK IN (SELECT Z_PK FROM temp.Z_BATCH WHERE ZROOT = 2)",
        "DELETE FROM ZPAGE WHERE Z_PK IN (SELECT Z_PK FROM temp.Z_BATCH WHERE ZROOT = 6)",
    ]

    @Test("an expression is computed in the update, or before it for all rows if it reads other rows")
    func expressions() throws {
        let writers = try club.insert("Writer", [["number": 1], ["number": 2]])
        try club.insert("Draft", [["number": 1, "writer": writers[0].value]])
        #expect(
            try club.statements {
                try club.update(
                    "Draft",
                    ["number": try ObjectExpression("number + 1")],
                    where: try ObjectPredicate("writer.number == 1")
                )
            } == [
                """
                SELECT t0.Z_PK, t0.Z_ENT, t0.ZNUMBER IS NOT (t0.ZNUMBER + ?), ifnull((t0.ZNUMBER + ?) IS NULL, 0) \
                OR ifnull(CASE typeof((t0.ZNUMBER + ?)) WHEN 'real' THEN \
                (t0.ZNUMBER + ?) <> CAST((t0.ZNUMBER + ?) AS INTEGER) \
                OR abs((t0.ZNUMBER + ?)) >= 9223372036854775807 END, 0) \
                FROM ZDRAFT AS t0 LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZWRITER WHERE t1.ZNUMBER = ?
                """,
                """
                UPDATE ZDRAFT SET ZNUMBER = n.v0, Z_OPT = Z_OPT + 1 FROM (SELECT t0.Z_PK AS k, (t0.ZNUMBER + ?) AS v0 \
                FROM ZDRAFT AS t0 LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZWRITER \
                WHERE t1.ZNUMBER = ? AND t0.ZNUMBER IS NOT (t0.ZNUMBER + ?)) AS n WHERE ZDRAFT.Z_PK = n.k
                """,
            ]
        )
    }
}
