// SPDX-License-Identifier: Apache-2.0

// Preferences, events and links, and what hostile values cost.

import HTTPMessage
import Testing

@Suite("Preferences")
struct PreferenceTests {
    @Test(
        "are names with values, of which the first counts",
        arguments: [
            ("return=minimal", ["return=minimal"]), ("Return = minimal, wait=10", ["return=minimal", "wait=10"]),
            ("respond-async, merge=\"store\"", ["respond-async", "merge=store"]),
            ("a=\"b, c\";d=e, f", ["a=\"b, c\"", "f"]),
            ("a=1, A=2", ["a=1"]), ("a=\"\", b", ["a", "b"]), ("a b, c", ["c"]), ("a=, c", ["c"]), ("a=\"b, c", []),
            ("", []), (",,", []), ("a;b;c = d;", ["a"]),
        ]
    )
    func reading(field: String, preferences: [String]) {
        #expect(Preference.all(in: ["Prefer": field]).map(\.description) == preferences)
    }

    @Test("have parameters, and may be in several fields")
    func parameters() {
        let fields: HeaderFields = ["Prefer": "a=b; C=d; e", "prefer": "return=minimal, a=x"]
        #expect(
            Preference.all(in: fields) == [
                Preference("a", "b", parameters: [.init("c", "d"), .init("e", "")]), Preference("return", "minimal"),
            ]
        )
    }
}

@Suite("Server-Sent Events")
struct ServerSentEventTests {
    private func text(_ event: ServerSentEvent) -> String { String(decoding: event.bytes, as: UTF8.self) }

    @Test("have a line for each part and each line of data, and end with an empty one")
    func writing() {
        let event = ServerSentEvent(id: "7", event: "merge", data: "a\nb\r\n\r c\n", retry: 500, comment: "x\ny")
        #expect(
            text(event) == ": x\n: y\nid: 7\nevent: merge\nretry: 500\ndata: a\ndata: b\ndata: \ndata:  c\ndata: \n\n"
        )
        #expect(text(ServerSentEvent(data: "")) == "data: \n\n")
        #expect(text(ServerSentEvent(comment: "")) == ": \n\n")
        #expect(text(ServerSentEvent(data: "ä{}")) == "data: ä{}\n\n")
    }

    @Test("can't be ended by what an id or a name has in it")
    func injection() {
        let event = ServerSentEvent(id: "1\n\ndata: x\0", event: "a\r\rid: 2", data: "\n")
        #expect(text(event) == "id: 1data: x\nevent: aid: 2\ndata: \ndata: \n\n")
    }
}

@Suite("Links")
struct LinkFieldTests {
    @Test("are a target in angle brackets and a relation in quotation marks")
    func writing() {
        #expect(LinkField("/api/posts?cursor=x", relation: "next").description == "</api/posts?cursor=x>; rel=\"next\"")
        #expect(LinkField("/a>; rel=x, <b", relation: "a\"b").description == "</a; rel=x, b>; rel=\"a\\\"b\"")
    }
}

@Suite("Hostile values")
struct HostileValueTests {
    /// A hundred kilobytes of what could make a reader start over at each byte: were that so, none of these would come to an end.
    @Test(
        "are read in linear time",
        arguments: [
            ",", ";", "\"", "\\\"", "a,", "a=\"", "a;", "a/b,", "a/b;c,", "*/*;q=", "\"a\",", "W/", "0-", "bytes=0-1,",
            "=", " ", "\t ",
            "%41", "&", "a=b&", "a%2F", "/a",
        ]
    )
    func linearTime(_ part: String) {
        let text = String(repeating: part, count: 100_000 / part.utf8.count)
        let fields: HeaderFields = [
            "Accept": text, "Accept-Encoding": text, "Prefer": text, "If-Match": text, "If-Range": text,
        ]
        _ = AcceptedMediaTypes(fields).bestMatch(among: [.json])
        _ = AcceptedEncodings(fields).accepts("gzip")
        _ = Preference.all(in: fields)
        _ = try? EntityTagCondition.ifMatch(in: fields)
        _ = RangeCondition.allowsParts(fields, tag: nil)
        _ = MediaType(text)
        _ = MediaType("a/b;" + text)
        _ = ByteRange.ranges(in: "bytes=" + text)
        _ = fields.list(of: .accept)
        _ = try? RequestTarget("/" + text)
        _ = try? RequestTarget("/?" + text)
        // That nothing was cut off on the way here.
        #expect(fields[.accept]?.utf8.count == text.utf8.count)
    }
}
