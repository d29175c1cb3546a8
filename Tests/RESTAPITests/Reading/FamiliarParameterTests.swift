// SPDX-License-Identifier: Apache-2.0

// Hints for what other APIs have.

import JSON
import Testing

@testable import RESTAPI

@Suite("Familiar parameters")
struct FamiliarParameterTests {
    @Test("the parameters of other APIs are refused with what this one has")
    func parameters() throws {
        try APIWorld.each { world throws in
            for (query, part) in [
                ("page=2", "Use limit for the size of a page"), ("per_page=10", "limit=20"), ("perPage=3", "limit=20"),
                ("pageSize=3", "limit=20"), ("skip=3", "offset=20"), ("fields=title", "select=title"),
                ("filter=views", "where=views > 3"), ("q=forest", "Use search for words"),
                ("order=title", "sort=-createdAt"),
                ("orderBy=title", "sort=-createdAt"), ("sort_by=views", "sort=-createdAt"),
                ("expand=author", "include=author,tags"), ("populate=author", "include=author,tags"),
                ("group_by=author", "result=dictionary"), ("views>3", "where=views > 3"),
                ("views[gt]=3", "where=views > 3"),
                ("views_gt=3", "where=views > 3"), ("views__lte=3", "where=views > 3"),
            ] {
                let answer = try world.get("/api/posts?\(query)")
                #expect(
                    answer.status == 400 && answer["hint"]?.string?.contains(part) == true,
                    "\(query): \(answer.text)"
                )
            }
        }
    }

    @Test("a hint names only what the request may have, and names of properties come first")
    func others() throws {
        try APIWorld.each { world throws in
            let object = try "/api/" + world.post("Undo")
            #expect(try world.get(object + "?fields=title")["hint"]?.string?.contains("select=title") == true)
            #expect(try world.get(object + "?page=2")["hint"]?.string?.contains("Use limit") != true)
            #expect(try world.get("/api/posts?titel=Undo")["hint"] == "Did you mean “title”?")
        }
    }

    @Test(
        "words and signs for directions are explained",
        arguments: ["views desc", "views:desc", "views  ASC", "title,views desc"]
    )
    func directions(order: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?sort=\(order)")
            #expect(answer.status == 400)
            #expect(answer["hint"] == "A minus means descending: sort=-views. Ascending needs nothing: sort=views.")
        }
    }

    @Test("text without quotes in a predicate gets the hint to quote it")
    func quotes() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?where=title == forest")
            #expect(
                answer.status == 400 && answer["hint"] == "Put text in quotes, as in name == \"Ana\".",
                "\(answer.text)"
            )
            let typo = try world.get("/api/posts?where=titel == \"a\"")
            #expect(typo["hint"] == "Did you mean “title”?")
        }
    }

    @Test(
        "relationships in parentheses are explained",
        arguments: [
            "author(include=groups)", "author(groups(members))", "author(groups)",
            "author(select=name,groups(select=name))",
        ]
    )
    func includes(include: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?include=\(include)")
            #expect(answer.status == 400)
            #expect(answer["hint"]?.string == IncludeItem.nestingHint, "\(answer.text)")
        }
    }
}
