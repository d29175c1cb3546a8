// SPDX-License-Identifier: Apache-2.0

// The server's explanations of problem codes.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Problem pages")
struct ProblemPageTests {
    private func get(_ target: String, _ accept: String? = nil) throws -> Answer {
        var fields = HeaderFields()
        if let accept { fields[.accept] = accept }
        let request = HTTPRequest(.get, target, fields: fields, body: .none)
        return try Transport(OpenAPITests.api()).answer(to: request)
    }

    @Test("each problem code has a meaning and a remedy", arguments: ProblemCode.all)
    func codes(code: ProblemCode) throws {
        let answer = try get("/problems/\(code)")
        #expect(answer.status == 200)
        #expect(answer["code"]?.string == code.description)
        #expect(answer["status"]?.int64 == Int64(code.status.code))
        #expect(answer["statuses"]?.array?.compactMap(\.int64) == code.statuses.map { Int64($0.code) })
        #expect(answer["meaning"]?.string?.hasSuffix(".") == true)
        #expect(answer["remedy"]?.string?.hasSuffix(".") == true)
    }

    @Test("the list of problems has all codes")
    func list() throws {
        let codes = try get("/problems")["items"]?.array?.compactMap { $0["code"]?.string }
        #expect(codes == ProblemCode.all.map(\.description))
    }

    @Test("a browser gets an HTML page with escaped text")
    func pages() throws {
        let page = try get("/problems/uri-too-long", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
        #expect(page.fields[.contentType] == "text/html; charset=utf-8")
        #expect(page.fields[.vary]?.contains("Accept") == true)
        #expect(page.text.contains("<code>POST /api/{E}/fetch</code>"))
        #expect(page.text.contains("<h1>Address too long</h1>"))
        let list = try get("/problems", "text/html")
        for code in ProblemCode.all { #expect(list.text.contains("<a href=\"/problems/\(code)\">")) }
    }

    @Test("an unknown problem code gets the nearest one as a hint")
    func unknown() throws {
        let answer = try get("/problems/conflic")
        #expect(answer.status == 404)
        #expect(answer["hint"]?.string?.contains("“conflict”") == true)
    }

    @Test("a problem page has no other format than JSON and HTML")
    func unacceptable() throws {
        #expect(try get("/problems", "image/png").status == 406)
    }
}
