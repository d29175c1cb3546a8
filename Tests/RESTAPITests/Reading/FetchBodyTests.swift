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
                "400 There is no argument for placeholder 1: 0 of 1 were given."
            ),
            ("{\"title\":null}", ""), ("{\"limit\":null,\"sort\":null,\"views\":0}", "Contexts"),
            ("{\"nothing\":null}", "400 There is no parameter “nothing” here."),
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
                "400 predicate at 8: There is no argument for placeholder 1: 0 of 1 were given."
            ),
            (
                "{\"where\":\"createdAt > %@\",\"args\":[\"soon\"]}",
                "400 predicate at 12: “createdAt” is of type Date, and “soon” is none. A date is written 2026-11-21T09:30:00Z; a plus sign in a query is %2B."
            ),
            ("{\"limt\":3}", "400 parameter There is no parameter “limt” here. Did you mean “limit”?"),
            ("{\"args\":3}", "400 parameter “args” is a list, not a number."),
            ("{\"vars\":[]}", "400 parameter “vars” is an object with names and values, not an array."),
            ("{\"limit\":1.5}", "400 parameter The parameter “limit” is a whole number from 0, not “1.5”."),
            ("{\"count\":1}", "400 parameter “count” is true or false, not 1."),
            ("{\"includePending\":\"false\"}", "400 parameter “includePending” is true or false, not “false”."),
            ("{\"limit\":\"3\"}", "400 parameter “limit” is a whole number from 0, not “3”."),
            ("{\"search\":5}", "400 parameter “search” is a string, not 5."),
            ("{\"search\":[\"a\",\"b\"]}", "400 parameter “search” is a string, not an array."),
            (
                "{\"where\":{}}",
                "400 parameter “where” can't be an object. “where” with “args” compares with values of any kind."
            ),
            ("[]", "400 malformed The body is a JSON object with the parameters of a fetch."),
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
