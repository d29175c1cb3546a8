// SPDX-License-Identifier: Apache-2.0

// Parsing and making request targets.

import HTTPMessage
import TestSupport
import Testing

@Suite("Request targets")
struct RequestTargetTests {
    struct Path: Sendable {
        let target: String
        let path: String
        let segments: [String]
        var slash = false
    }

    @Test(
        "a path is split at its literal slashes into decoded segments",
        arguments: [
            Path(target: "/", path: "/", segments: []),
            Path(target: "/api/posts/42", path: "/api/posts/42", segments: ["api", "posts", "42"]),
            Path(target: "/api/posts/", path: "/api/posts/", segments: ["api", "posts"], slash: true),
            Path(target: "/a%2Fb/%C3%A4+c", path: "/a%2Fb/%C3%A4+c", segments: ["a/b", "ä+c"]),
            Path(target: "/%2e%2E%2e/a..b/.c?x", path: "/%2e%2E%2e/a..b/.c", segments: ["...", "a..b", ".c"]),
            Path(target: "/ä", path: "/ä", segments: ["ä"]),
            Path(target: "/a:b@c;d=e&f", path: "/a:b@c;d=e&f", segments: ["a:b@c;d=e&f"]),
            Path(target: "*", path: "*", segments: []),
            Path(target: "http://host/path/x", path: "/path/x", segments: ["path", "x"]),
            Path(target: "HTTPS://[::1]:8080/p/", path: "/p/", segments: ["p"], slash: true),
            Path(target: "http://host:80?q", path: "/", segments: []),
            Path(target: "http://host", path: "/", segments: []),
        ]
    )
    func paths(_ expected: Path) throws {
        let target = try RequestTarget(expected.target)
        #expect(target.path == expected.path)
        #expect(target.segments == expected.segments)
        #expect(target.hasTrailingSlash == expected.slash)
        #expect(target.isAsterisk == (expected.target == "*"))
    }

    @Test(
        "ambiguous targets are refused",
        arguments: [
            "", "a", "api/posts", "?x", "**", "host:443", "ftp://host/", "http:/host/", "http:///path", "http://a b/",
            "http://user@host/", "http://host:port/", "http://host:99999/", "http://[::1/", "http://[]/",
            "/..", "/.", "/a/../b", "/a/.", "/%2e%2e/", "/%2E", "/.%2e", "/..%2f..%2fetc", "/a%5C..%5Cb", "//", "/a//b",
            "/a//", "//host/", "/%", "/%4", "/%4g", "/%%41", "/a%", "/%00", "/a%0Ab", "/%7f", "/%1f", "/a\u{0}b",
            "/a b",
            "/a\tb", "/a\u{7F}", "/a#b", "/a?b#c", "/%ff", "/%C3", "/%C3%28", "/%ED%A0%80", "/%C0%AF", "/?a=%ff",
            "/?%C3=1", "/?a=%", "/?a=%4", "/?a=%zz", "/?%=1", "/?a b",
        ]
    )
    func refusals(_ target: String) {
        #expect(performing: { try RequestTarget(target) }, throws: { ($0 as? HTTPRefusal)?.status == .badRequest })
    }

    @Test("the refusal of an unescaped target explains how to escape it", arguments: ["/?w=x==%@", "/%", "/?w=a b"])
    func unescaped(target: String) {
        let refusal = #expect(throws: HTTPRefusal.self) { try RequestTarget(target) }
        #expect(refusal?.hint?.contains("curl -G --data-urlencode") == true)
    }

    @Test("query parameters keep their order, and a plus sign is a space")
    func query() throws {
        let target = try RequestTarget("/p?where=views+%3E%203&arg=a%2Bb&arg=&count&&=x&%26=%3D=%0A&ä=?/")
        #expect(target.rawQuery == "where=views+%3E%203&arg=a%2Bb&arg=&count&&=x&%26=%3D=%0A&ä=?/")
        #expect(
            target.query == [
                QueryItem(name: "where", value: "views > 3"), QueryItem(name: "arg", value: "a+b"),
                QueryItem(name: "arg", value: ""), QueryItem(name: "count", value: "", hasValue: false),
                QueryItem(name: "", value: "x"), QueryItem(name: "&", value: "==\n"), QueryItem(name: "ä", value: "?/"),
            ]
        )
        #expect(try RequestTarget("/p").rawQuery == nil)
        #expect(try RequestTarget("/p?").rawQuery == "")
        #expect(try RequestTarget("/p?").query.isEmpty)
    }

    @Test("an absolute target has the authority that it names")
    func authority() throws {
        #expect(try RequestTarget("http://example.com:80/a").authority == "example.com:80")
        #expect(try RequestTarget("/http:/example.com/").authority == nil)
    }

    @Test("encoded text in a target is decoded to the same text", arguments: SeededGenerator.seeds(4))
    func making(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let scalars = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                Unicode.Scalar(UInt32.random(in: 0x20...0x17F, using: &random)) ?? "a"
            }
            let text = String(String.UnicodeScalarView(scalars.filter { $0 != "\u{7F}" && $0 != "." })) + "x"
            let link = "/a/\(RequestTarget.encode(segment: text))?\(RequestTarget.encode(queryValue: text))=b"
            #expect(link.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            let target = try RequestTarget(link)
            #expect(target.segments == ["a", text])
            #expect(target.query == [QueryItem(name: text, value: "b")])
        }
    }

    @Test("encoding leaves readable characters unchanged")
    func readable() {
        #expect(RequestTarget.encode(queryValue: "tags(sort=name,limit=5)") == "tags(sort%3Dname,limit%3D5)")
        #expect(RequestTarget.encode(queryValue: "a b+c'$d/\"ä\n") == "a%20b%2Bc%27%24d/%22%C3%A4%0A")
        #expect(RequestTarget.encode(segment: "a/b?") == "a%2Fb%3F")
    }
}
