// SPDX-License-Identifier: Apache-2.0

// Media types, and content negotiation.

import HTTPMessage
import Testing

@Suite("Media types")
struct MediaTypeTests {
    @Test("media types are read regardless of case, with parameters that may be quoted")
    func reading() throws {
        let type = try #require(MediaType("Text/HTML ; Charset=UTF-8;;a=\"b;\\\"c\\\\\" ;"))
        #expect(type.essence == "text/html")
        #expect(type["charset"] == "UTF-8")
        #expect(type["a"] == "b;\"c\\")
        #expect(type["b"] == nil)
        #expect(type.description == #"text/html; charset=UTF-8; a="b;\"c\\""#)
        #expect(MediaType(type.description) == type)
        #expect(MediaType("application/json") == .json)
        #expect(MediaType("application/merge-patch+json") == .mergePatch)
    }

    @Test(
        "invalid media types are refused",
        arguments: [
            "", "text", "text/", "/html", "text /html", "text/ html", "text/html,", "text/html x", "text/html;=",
            "*/html",
            "text/html; a=", "text/html; a=\"b", "text/html; a=\"b\\", "text/html; a=b c", "text/html/x", "ä/b",
            "text/html; a = b",
        ]
    )
    func refusals(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test("a media type matches a range that includes it and its parameters")
    func matching() throws {
        let type = try #require(MediaType("text/html; charset=utf-8; level=1"))
        for range in ["*/*", "text/*", "text/html", "text/html; charset=UTF-8", "text/html; level=1; charset=utf-8"] {
            #expect(type.matches(try #require(MediaType(range))))
        }
        for range in ["image/*", "text/plain", "text/html; level=2", "text/html; x=y"] {
            #expect(!type.matches(try #require(MediaType(range))))
        }
    }

    @Test(
        "the most specific range in Accept decides the quality of a media type",
        arguments: [
            ("*/*", "application/json"), ("text/html", "text/html"), ("text/*", "text/html"), ("image/png", nil),
            ("text/html;q=0.5, application/json;q=0.4", "text/html"),
            ("text/html;q=0.5, */*;q=0.5", "application/json"),
            ("text/html, */*;q=0.1", "text/html"), ("application/json;q=0, */*", "text/html"), ("*/*;q=0", nil),
            ("application/*;q=0.2, text/*;q=0.3, text/html;q=0.1", "text/plain;format=flowed"),
            ("application/*;q=0.2, text/*;q=0.3, text/html;q=0.1, text/plain", "text/plain;format=flowed"),
            ("text/plain;format=flowed;q=0.7, text/plain;q=0.1, text/html;q=0.5", "text/plain;format=flowed"),
            ("text/plain;format=fixed", nil), ("text/html;level=1", nil), ("TEXT/HTML;Q=1.000", "text/html"),
            ("text/html;q=0.5;x=y, application/json;q=0.4", "text/html"),
            ("text/html;q=2", "application/json"), ("text/html;q=0.1234, text/plain", "text/plain;format=flowed"),
            ("text/html;q=-1, text/plain", "text/plain;format=flowed"),
            ("text/html;q=x, text/plain", "text/plain;format=flowed"),
            ("text/html;q=1.001, text/plain", "text/plain;format=flowed"),
            ("text/html;q, text/plain", "text/plain;format=flowed"),
            (",,text/html,,", "text/html"), ("html", "application/json"), ("", "application/json"),
            ("a \"b, c\" d, text/html", "text/html"), ("text/html;q=0.001", "text/html"), ("text/html;q=0.000", nil),
        ]
    )
    func negotiation(accept: String, chosen: String?) throws {
        let offered = [MediaType.json, .html, try #require(MediaType("text/plain;format=flowed"))]
        let wanted = AcceptedMediaTypes(["Accept": accept])
        #expect(wanted.bestMatch(among: offered) == chosen.flatMap { MediaType($0) })
    }

    @Test("the order of the offer counts without Accept, and several Accept fields are joined")
    func severalFields() {
        #expect(AcceptedMediaTypes([:]).bestMatch(among: [.html, .json]) == .html)
        #expect(AcceptedMediaTypes([:]).bestMatch(among: []) == nil)
        let fields: HeaderFields = ["Accept": "text/html;q=0.1", "accept": "application/json"]
        #expect(AcceptedMediaTypes(fields).bestMatch(among: [.html, .json]) == .json)
    }

    @Test(
        "a response can be compressed if Accept-Encoding allows it",
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("deflate, gzip;q=1.0, *;q=0.5", true),
            ("*", true),
            ("*;q=0", false), ("gzip;q=0", false), ("gzip;q=0, *", false), ("gzip;q=0.001", true), ("identity", false),
            ("br", false), ("xgzip", false), ("gzip;q=x", false), ("*;q=0, gzip", true), ("gzip x", false),
        ]
    )
    func encodings(field: String?, isAccepted: Bool) {
        var fields: HeaderFields = [:]
        fields[.acceptEncoding] = field
        #expect(AcceptedEncodings(fields).accepts("gzip") == isAccepted)
    }
}
