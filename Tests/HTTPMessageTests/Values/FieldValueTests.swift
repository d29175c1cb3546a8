// SPDX-License-Identifier: Apache-2.0

// Preferences, events and links, and the cost of hostile values.

import HTTPMessage
import Testing

@Suite("Preferences")
struct PreferenceTests {
    @Test(
        "a preference has a name and a value, and the first of a name counts",
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

    @Test("preferences can have parameters and be in several fields")
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

    @Test("an event has a line for each field and each line of data, and ends with an empty line")
    func writing() {
        let event = ServerSentEvent(id: "7", event: "merge", data: "a\nb\r\n\r c\n", retry: 500, comment: "x\ny")
        #expect(
            text(event) == ": x\n: y\nid: 7\nevent: merge\nretry: 500\ndata: a\ndata: b\ndata: \ndata:  c\ndata: \n\n"
        )
        #expect(text(ServerSentEvent(data: "")) == "data: \n\n")
        #expect(text(ServerSentEvent(comment: "")) == ": \n\n")
        #expect(text(ServerSentEvent(data: "ä{}")) == "data: ä{}\n\n")
    }

    @Test("an id or name with line breaks can't end an event")
    func injection() {
        let event = ServerSentEvent(id: "1\n\ndata: x\0", event: "a\r\rid: 2", data: "\n")
        #expect(text(event) == "id: 1data: x\nevent: aid: 2\ndata: \ndata: \n\n")
    }
}

@Suite("Link fields")
struct LinkFieldTests {
    @Test("a link is a target in angle brackets and a relation in quotation marks")
    func writing() {
        #expect(LinkField("/api/posts?cursor=x", relation: "next").description == "</api/posts?cursor=x>; rel=\"next\"")
        #expect(LinkField("/a>; rel=x, <b", relation: "a\"b").description == "</a; rel=x, b>; rel=\"a\\\"b\"")
    }
}

@Suite("Hostile values")
struct HostileFieldValueTests {
    /// 100 kB of text that could make a parser restart at each byte; then none of these would end in time.
    @Test(
        "hostile field values are parsed in linear time",
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
        // Nothing was truncated on the way here.
        #expect(fields[.accept]?.utf8.count == text.utf8.count)
    }
}
