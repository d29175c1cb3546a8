// SPDX-License-Identifier: Apache-2.0

// `POST /api/{E}/fetch`.

import HTTPMessage
import JSON
import Testing

@Suite("Fetch bodies")
struct FetchBodyTests {
    @Test(
        "null in a fetch body finds properties without a value",
        arguments: [
            ("{\"price\":null,\"views\":10}", "Faults"),
            ("{\"price\":null}", "Contexts Faults Saving Undo Merging Élan"),
            ("{\"createdAt\":null}", ""), ("{\"author\":null}", ""),
            ("{\"extra\":null,\"views\":[0,10]}", "Contexts Faults"),
            ("{\"price\":[null,\"5\"],\"views\":0}", "Contexts"), ("{\"__hidden\":null,\"title\":\"Undo\"}", "Undo"),
            ("{\"args\":null,\"vars\":null,\"views\":10}", "Faults"),
            (
                "{\"where\":\"views > %@\",\"args\":null}",
                "400 Placeholder 1 has no argument: 0 of 1 were passed."
            ),
            ("{\"title\":null}", ""), ("{\"limit\":null,\"sort\":null,\"views\":0}", "Contexts"),
            ("{\"nothing\":null}", "400 The parameter “nothing” is unknown."),
        ]
    )
    func nulls(body: String, titles: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/posts/fetch", body)
            if titles.hasPrefix("400") {
                #expect("\(answer.status) \(answer["detail"]?.string ?? "")" == titles)
            } else {
                #expect(answer.list == titles)
            }
        }
    }

    @Test(
        "a fetch body has the parameters' names, args and vars, with JSON types",
        arguments: [
            ("{}", "Contexts Faults Saving Undo Merging Élan"),
            ("{\"where\":\"views > %@\",\"args\":[30]}", "Merging Élan"),
            (
                "{\"where\":\"published == %@ AND createdAt > %@\",\"args\":[true,\"2026-05-11T00:00:00Z\"]}",
                "Saving Merging"
            ),
            ("{\"where\":\"%K IN %@\",\"args\":[\"title\",[\"Undo\",\"Élan\"]],\"sort\":\"-title\"}", "Élan Undo"),
            ("{\"where\":\"title == $NAME\",\"vars\":{\"NAME\":\"Undo\"}}", "Undo"),
            ("{\"where\":\"price == %@\",\"args\":[null],\"limit\":2,\"offset\":1}", "Faults Saving"),
            ("{\"sort\":[\"-author.name\",\"-views\"],\"limit\":3,\"select\":[\"title\"]}", "Élan Merging Undo"),
            ("{\"published\":true,\"views\":[0,20]}", "Contexts Saving"),
            ("{\"where\":\"title == %@\",\"args\":[\"[x\"]}", ""),
            ("{\"where\":\"price < %@\",\"args\":[\"12.5\"]}", ""),
            ("{\"include\":\"tags(where=name == %@)\",\"args\":[\"core\"],\"limit\":1}", "Contexts"),
        ]
    )
    func bodies(body: String, titles: String) throws {
        try APIWorld.each { world throws in #expect(try world.send(.post, "/api/posts/fetch", body).list == titles) }
    }

    @Test("a fetch body accepts references as objects and as text")
    func references() throws {
        try APIWorld.each { world throws in
            let bea = try world.user("Bea")
            for argument in ["\"\(bea)\"", "{\"_id\":\"\(bea)\"}"] {
                let body = "{\"where\":\"author == %@\",\"args\":[\(argument)]}"
                #expect(try world.send(.post, "/api/posts/fetch", body).list == "Merging Élan")
            }
        }
    }

    @Test(
        "a malformed fetch body is refused with 400",
        arguments: [
            (
                "{\"where\":\"views > %@\",\"args\":[\"30\"]}",
                "400 predicate at 0: “views > \"30\"” compares a number with text, which are never equal and have no order. Numbers are written without quotes."
            ),
            (
                "{\"where\":\"views > %@\",\"args\":[]}",
                "400 predicate at 8: Placeholder 1 has no argument: 0 of 1 were passed."
            ),
            (
                "{\"where\":\"createdAt > %@\",\"args\":[\"soon\"]}",
                "400 predicate at 12: “soon” isn't a valid Date for “createdAt”. Write a date as 2026-11-21T09:30:00Z; encode a plus sign in a query as %2B."
            ),
            ("{\"limt\":3}", "400 parameter The parameter “limt” is unknown. Did you mean “limit”?"),
            ("{\"args\":3}", "400 parameter “args” must be an array, not a number."),
            ("{\"vars\":[]}", "400 parameter “vars” must be an object, not an array."),
            ("{\"limit\":1.5}", "400 parameter The parameter “limit” must be a non-negative integer, not “1.5”."),
            ("{\"count\":1}", "400 parameter “count” must be true or false, not 1."),
            ("{\"includePending\":\"false\"}", "400 parameter “includePending” must be true or false, not “false”."),
            ("{\"limit\":\"3\"}", "400 parameter “limit” must be a non-negative integer, not “3”."),
            ("{\"search\":5}", "400 parameter “search” must be a string, not 5."),
            ("{\"search\":[\"a\",\"b\"]}", "400 parameter “search” must be a string, not an array."),
            (
                "{\"where\":{}}",
                "400 parameter “where” can't be an object. To compare with other values, use “where” with “args”."
            ),
            ("[]", "400 malformed The body must be a JSON object with the parameters of a fetch."),
        ]
    )
    func mistakes(body: String, problem: String) throws {
        try APIWorld.each { world throws in #expect(try world.send(.post, "/api/posts/fetch", body).problem == problem)
        }
    }

    @Test("the next page of a fetch body is a path with a cursor for the same body")
    func pages() throws {
        try APIWorld.each { world throws in
            let body = "{\"where\":\"views > %@\",\"args\":[0],\"sort\":\"title\",\"limit\":2}"
            var target: String? = "/api/posts/fetch"
            var pages: [String] = []
            while let path = target, pages.count < 9 {
                let answer = try world.send(.post, path, body)
                pages.append(answer.list)
                target = answer["next"]?.string
                #expect(target?.hasPrefix("/api/posts/fetch?cursor=") ?? true)
            }
            #expect(pages == ["Faults Merging", "Saving Undo", "Élan"])
        }
    }

    @Test("the next page of a fetch body follows the first one, although the body has an offset")
    func offsets() throws {
        try APIWorld.each { world throws in
            for result in ["objects", "dictionary"] {
                let body = "{\"result\":\"\(result)\",\"select\":\"title\",\"sort\":\"title\",\"limit\":2,\"offset\":1}"
                var titles: [String] = []
                var target: String? = "/api/posts/fetch"
                while let path = target, titles.count < 9 {
                    let answer = try world.send(.post, path, body)
                    #expect(answer.status == 200)
                    titles += answer["items"]?.array?.compactMap { $0["title"]?.string } ?? []
                    target = answer["next"]?.string
                }
                #expect(titles == ["Faults", "Merging", "Saving", "Undo", "Élan"])
            }
        }
    }
}
