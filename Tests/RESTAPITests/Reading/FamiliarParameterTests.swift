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
                ("format=csv", "Accept: text/csv"), ("id=1", "_id=posts/1"), ("ids=1,2", "_id=posts/1"),
                ("author_id=1", "author=users/1"), ("authorId=1", "author=users/1"), ("tag_ids=1", "tags=tags/1"),
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
        "comparisons as in SQL are refused with what works here",
        arguments: [
            ("id == 1", "Use a reference: _id == %@ with arg=posts/1."),
            ("author.id == 1", "Use a reference: author == %@ with arg=users/1."),
            ("author_id == 1", "Use a reference: author == %@ with arg=users/1."),
            ("ANY tags.id == 1", "Use a reference: ANY tags == %@ with arg=tags/1."),
            ("tag_ids CONTAINS 1", "Use a reference: ANY tags == %@ with arg=tags/1."),
            ("title == 1", "Text is written in quotes."),
            (
                "createdAt > 2024-01-01",
                "An argument is read as a date: %@ with arg=2026-01-31. Write a date as CAST(\"2026-01-31T00:00:00Z\", \"NSDate\")."
            ),
            (
                "tags CONTAINS 'swift'",
                "Compare a property: ANY tags.name == \"swift\". An argument is read as a reference: %@ with arg=tags/1."
            ),
            (
                "author == 'users/1'",
                "Compare a property: author.name == \"users/1\". An argument is read as a reference: %@ with arg=users/1."
            ),
            ("_id == 'posts/1'", "An argument is read as a reference: %@ with arg=posts/1."),
        ]
    )
    func comparisons(condition: String, hint: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?where=\(condition)")
            #expect(answer.status == 400 && answer["hint"]?.string == hint, "\(answer.text)")
        }
    }

    @Test("what the hints for references and dates say works")
    func followedHints() throws {
        try APIWorld.each { world throws in
            let undo = try world.post("Undo")
            let author = try world.get("/api/\(undo)")["author"]?.string ?? ""
            #expect(try world.list("/api/posts?_id=\(undo)") == "Undo")
            #expect(try world.list("/api/posts?where=_id == %25@&arg=\(undo)") == "Undo")
            let byAuthor = try world.list("/api/posts?author=\(author)")
            #expect(byAuthor.contains("Undo"))
            #expect(try world.list("/api/posts?where=author == %25@&arg=\(author)") == byAuthor)
            #expect(try world.get("/api/posts?where=ANY tags == %25@&arg=tags/1").status == 200)
            #expect(try world.get("/api/posts?where=createdAt > %25@&arg=2026-01-31").status == 200)
        }
    }

    @Test("the word null in place of a value other than text gets the hint at an empty value")
    func null() throws {
        try APIWorld.each { world throws in
            for name in ["views", "createdAt", "published", "uuid", "author", "tags"] {
                let answer = try world.get("/api/posts?\(name)=null")
                #expect(answer.status == 400 && answer["hint"]?.string == "An empty value means null: \(name)=")
            }
            #expect(try world.get("/api/posts?title=null").list == "")
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
