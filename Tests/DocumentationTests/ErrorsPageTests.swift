// SPDX-License-Identifier: Apache-2.0

// docs/errors.md, compared with the codes of problems.

import HTTPMessage
import RESTAPI
import Testing

@Suite("docs/errors.md")
struct ErrorsPageTests {
    @Test("docs/errors.md has exactly the problem codes, with their status, meaning and remedy")
    func codes() throws {
        let rows = try #require(try Page("docs/errors.md").section("Codes")).rows
        #expect(rows.map { $0[0] } == ProblemCode.all.map { "`\($0)`" })
        for (row, code) in zip(rows, ProblemCode.all) {
            try #require(row.count == 5)
            #expect(row[1] == code.statuses.map { "\($0.code)" }.joined(separator: ", "), "\(code)")
            #expect(row[2] == code.meaning, "\(code)")
            #expect(row[3] == code.remedy, "\(code)")
            #expect(row[4].hasPrefix("`"), "\(code) has no example.")
        }
    }
}
