// SPDX-License-Identifier: Apache-2.0

// The host names of a server.

import HTTPMessage
import HTTPTestClient
import JSON
import Testing

@testable import RESTAPI

@Suite("Host names of a server")
struct HostTests {
    private static let own = ["localhost", "localhost:1", "LocalHost:8080", "127.0.0.1", "127.9.9.9:80", "[::1]:8080"]
    private static let strange = [
        "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5",
        "0.0.0.0",
        "[::2]", "127.1",
    ]

    @Test("a server for local connections accepts this machine's own names", arguments: own)
    func local(host: String) throws {
        try DirectAndServedAPI().send(.get, "/api/tags", ["Host": host]) { #expect($0.status == 200, "\($0.text)") }
    }

    @Test("a server for local connections refuses other names on every route", arguments: strange)
    func strangers(host: String) throws {
        let ways = try DirectAndServedAPI()
        let pages: [(method: HTTPMethod, path: String)] = [
            (.get, "/"), (.get, "/app.js"), (.options, "/api"), (.get, "/none"),
        ]
        for (method, path) in try ways.operations() + pages {
            try ways.send(method, path, ["Host": host]) { answer in
                #expect(answer.status == 421 && answer["code"] == "misdirected", "\(method) \(path)")
                #expect(answer["hint"]?.string?.contains("--host-names") == true)
            }
        }
    }

    @Test("host names are checked for immediate responses and before streamed bodies")
    func early() throws {
        let ways = try DirectAndServedAPI()
        func request(_ method: HTTPMethod, _ target: String, _ host: String) -> HTTPRequest {
            HTTPRequest(method, target, fields: ["Host": host], isLocal: true)
        }
        _ = ways.api.respond(to: request(.get, ways.post, "localhost"))
        #expect(ways.api.respondImmediately(to: request(.get, ways.post, "localhost"))?.status == .ok)
        #expect(ways.api.respondImmediately(to: request(.get, ways.post, "evil.example"))?.status == .misdirected)
        #expect(ways.api.respondImmediately(to: request(.get, "/healthz", "evil.example"))?.status == .misdirected)
        let stream = request(.put, "\(ways.post)/picture", "evil.example")
        guard case .refuse(let refused) = ways.api.reception(of: stream) else {
            Issue.record("The body was let in.")
            return
        }
        #expect(refused.status == .misdirected)
    }

    @Test("the host name in an absolute target is checked")
    func wholeURL() throws {
        let ways = try DirectAndServedAPI()
        try ways.send(.get, "http://evil.example/api/tags") { #expect($0.status == 421) }
        try ways.send(.get, "http://localhost/api/tags") { #expect($0.status == 200) }
        try ways.send(.get, "http://localhost/api/tags", ["Host": "evil.example"]) { #expect($0.status == 421) }
    }

    @Test("a request without a host name isn't from a browser, and is accepted")
    func noName() throws {
        let ways = try DirectAndServedAPI()
        let request = HTTPRequest(.get, "/api/tags", isLocal: true)
        #expect(ways.api.respond(to: request).status == .ok)
        #expect(try ways.server.client().request("GET /api/tags HTTP/1.0\r\n\r\n").status == 200)
    }

    @Test(
        "configured host names are accepted, and this machine's own ones for local connections",
        arguments: [
            ("app.example", 200, 200), ("APP.example:8443", 200, 200), ("192.168.1.5:80", 200, 200),
            ("[fd00::1]:80", 200, 200), ("localhost", 421, 200), ("www.app.example", 421, 421),
            ("app.example.evil.example", 421, 421), ("evil.example", 421, 421),
        ]
    )
    func configured(host: String, elsewhere: Int, local: Int) throws {
        let api = try DirectAndServedAPI(hostNames: ["app.example", "192.168.1.5", "fd00::1"]).api
        for (isLocal, status) in [(false, elsewhere), (true, local)] {
            let request = HTTPRequest(.get, "/api/tags", fields: ["Host": host], isLocal: isLocal)
            #expect(api.respond(to: request).status.code == status)
        }
    }

    @Test("any host name is accepted from other machines by default, and everywhere with an asterisk")
    func any() throws {
        let fields: HeaderFields = ["Host": "whatever.example"]
        let unnamed = try DirectAndServedAPI().api
        #expect(unnamed.respond(to: HTTPRequest(.get, "/api/tags", fields: fields)).status == .ok)
        try DirectAndServedAPI(hostNames: ["*"]).send(.get, "/api/tags", fields) { #expect($0.status == 200) }
    }

    @Test(
        "a host name is written without a port",
        arguments: [
            ("App.Example", "app.example"), ("::1", "[::1]"), ("[FD00::1]", "[fd00::1]"), ("*", "*"),
            ("10.0.0.1", "10.0.0.1"),
        ]
    )
    func names(text: String, written: String) { #expect(HostName(text)?.description == written) }

    @Test(
        "a URL isn't a host name",
        arguments: ["", "app.example:80", "a:", "https://app.example", "a/b", "a b", "**", "[::1]:80"]
    )
    func noNames(text: String) { #expect(HostName(text) == nil) }
}
