// SPDX-License-Identifier: Apache-2.0

// Suggestions for unknown names.

import Testing

@Suite("Nearest names")
struct NearestNameTests {
    @Test(
        "an unknown name is refused with the nearest one as a hint",
        arguments: [
            ("querys", "404 not-found There is no entity “querys”. Did you mean “queries”?"),
            ("post", "404 not-found There is no entity “post”. Did you mean “posts”?"),
            ("nothing", "404 not-found There is no entity “nothing”. GET /api lists the entities."),
            ("transactions", "404 not-found There is no entity “transactions”. Did you mean “transaction”?"),
            (
                "posts?include=tags(srot=name)",
                "400 parameter at 5: In “include”: An option is expected, one of where, sort, limit, select. Did you mean “sort”?"
            ),
            (
                "posts?include=tags(limit=2,selct=name)",
                "400 parameter at 11: In “include”: “limit” must be an integer from 0 to 1000, not “2,selct=name”."
            ),
            ("Contact?emial=x", "400 parameter The parameter “emial” is unknown. Did you mean “email”?"),
            (
                "Contact?sort=emial",
                "400 parameter at 0: In “sort”: Contact has no property “emial”. Did you mean “email”?"
            ),
            (
                "Contact?include=grups",
                "400 parameter at 0: In “include”: Contact has no property “grups”. Did you mean “groups”?"
            ),
            (
                "Contact?email=x",
                "400 parameter The parameter “email” is unknown. Its subentity User has this property; use /api/users."
            ),
            ("Contact/1/grups", "404 not-found Contact has no property “grups”. Did you mean “groups”?"),
        ]
    )
    func names(path: String, problem: String) throws {
        try APIWorld.each { world throws in #expect(try world.get("/api/\(path)").problem == problem) }
    }
}
