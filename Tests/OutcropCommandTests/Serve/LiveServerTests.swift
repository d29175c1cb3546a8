// SPDX-License-Identifier: Apache-2.0

// The program as a serving process: requests, signals, the log.

import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Server processes")
struct LiveServerTests {
    @Test("a server answers requests, logs them, and exits with 0 on SIGTERM")
    func answering() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder)
            let address = try server.address()
            let post = try server.curl(address + "/api/posts/1")
            #expect(post.status == "200", "\(post.body)")
            #expect(try JSONValue(parsing: post.body)["_id"]?.string == "posts/1")
            #expect(try server.curl(address + "/api/nothing").status == "404")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            let requests = try server.events().filter { $0["event"]?.string == "request" }
            #expect(requests.map { $0["target"]?.string } == ["/api/posts/1", "/api/nothing"])
            #expect(requests.map { $0["status"]?.int64 } == [200, 404])
            #expect(try server.event("stopped")["message"]?.string == "Stopped.")
            let ready = try server.event("ready")
            #expect(ready["model"]?.string == "Demo" && ready["entities"]?["Post"]?.int64 ?? 0 > 0)
        }
    }

    @Test("a server answers on a Unix socket, and exits with 0 on SIGINT")
    func unixSocket() throws {
        try Checkout.withFolder { folder in
            let socket = folder + "/s"
            let server = try ServerProcess(in: folder, ["--listen", "unix:" + socket])
            let answer = try server.curl("--unix-socket", socket, "http://localhost/api/posts/1")
            #expect(answer.status == "200", "\(answer.body)")
            server.signal(SIGINT)
            #expect(server.end() == 0)
        }
    }

    @Test("a server refuses host names other than local and configured ones, on TCP and Unix sockets")
    func names() throws {
        try Checkout.withFolder { folder in
            let socket = folder + "/s"
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--listen", "unix:" + socket, "--host-names", "app.example"]
            )
            let address = try server.address()
            for (name, status) in [
                ("evil.example", "421"), ("app.example", "200"), ("localhost", "200"), ("127.0.0.1:1", "200"),
                ("192.168.1.5", "421"), ("localhost.evil.example", "421"),
            ] {
                let host = "Host: \(name)"
                #expect(try server.curl("-H", host, address + "/api/posts/1").status == status, "\(name)")
                #expect(
                    try server.curl("-H", host, "--unix-socket", socket, "http://x/api").status == status,
                    "\(name)"
                )
            }
            let stranger = try server.curl("-H", "Host: evil.example", address + "/api/posts")
            let problem = try JSONValue(parsing: stranger.body)
            #expect(problem["code"] == "misdirected")
            #expect(problem["hint"]?.string?.hasSuffix("--host-names evil.example") == true)
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }

    @Test("one client's many long requests don't keep another's short one waiting")
    func fairness() throws {
        try Checkout.withFolder { folder in
            let model = #"{"entities": {"Post": {"attributes": {"title": "String"}}}}"#
            try Files.write(model, to: folder + "/Model.json")
            let server = try ServerProcess(
                in: folder,
                serving: ["--model", folder + "/Model.json", "--store", "sqlite:\(folder)/Posts.sqlite"]
            )
            let api = try server.address() + "/api/Post"
            let rows = (0..<20_000).map { #"{"title": "\#($0) \#(String(repeating: "x", count: 100))"}"# }
            try Files.write(rows.joined(separator: "\n"), to: folder + "/rows")
            let content = ["-H", "Content-Type: application/x-ndjson", "--data-binary", "@\(folder)/rows"]
            #expect(try server.curl(content + [api + "/batch-insert"]).status == "200")
            let long = Process()
            long.executableURL = URL(filePath: "/usr/bin/env")
            long.arguments = [
                "curl", "-sS", "--interface", "127.0.0.2", "--parallel", "--parallel-max", "40", "-o", "/dev/null",
                api + "?result=count&where=title+MATCHES+'.*yz[1-40].*'",
            ]
            long.standardError = FileHandle.nullDevice
            try long.run()
            func lines() throws -> [JSONValue] {
                try server.events().filter { $0["event"]?.string == "request" && $0["method"]?.string == "GET" }
            }
            while try lines().isEmpty, long.isRunning { usleep(10_000) }
            #expect(try server.curl("--interface", "127.0.0.3", api + "/1").status == "200")
            long.waitUntilExit()
            let targets = try lines().compactMap { $0["target"]?.string }
            #expect(targets.count == 41)
            let place = try #require(targets.firstIndex { $0.hasSuffix("/Post/1") })
            #expect(place < 25, "It was answered as number \(place).")
        }
    }

    @Test("only pages of allowed origins can write, and a body without a content type is refused")
    func origins() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--cors", "https://app.example", "--cors", "http://localhost:3000"]
            )
            let tags = try server.address() + "/api/tags"
            for (origin, status) in [
                ("https://app.example", "201"), ("http://localhost:3000", "201"), ("https://evil.example", "403"),
            ] {
                let body = "{\"name\":\"\(origin)\"}"
                let answer = try server.curl(tags, "-H", "Origin: \(origin)", "--json", body)
                #expect(answer.status == status, "\(answer.body)")
            }
            let bare = try server.curl(tags, "-H", "Content-Type:", "-d", "{\"name\":\"bare\"}")
            #expect(bare.status == "415", "\(bare.body)")
            #expect(try JSONValue(parsing: bare.body)["hint"]?.string?.contains("curl --json") == true)
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }

    @Test("a server serves the pages of a folder beside the API, and reports readiness")
    func pages() throws {
        try Checkout.withFolder { folder in
            let pages = folder + "/pages"
            try FileManager.default.createDirectory(atPath: pages, withIntermediateDirectories: false)
            try "<p>Hello".write(toFile: pages + "/index.html", atomically: true, encoding: .utf8)
            try "{}".write(toFile: pages + "/App.sqlite.keys.json", atomically: true, encoding: .utf8)
            let server = try ServerProcess(
                in: folder,
                serving: ["--demo", "--demo-size", "10", "--store", pages + "/App.sqlite"],
                ["--listen", "127.0.0.1:0", "--public", pages]
            )
            for file in ["App.sqlite", "App.sqlite.keys.json"] {
                #expect(try server.curl(server.address() + "/" + file).status == "404", "\(file)")
            }
            let page = try server.curl(server.address() + "/")
            #expect(page.status == "200" && page.body == "<p>Hello")
            #expect(try server.curl(server.address() + "/readyz").status == "200")
            #expect(try server.curl(server.address() + "/../server.log", "--path-as-is").status != "200")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }

    @Test("a server refuses to save after its file was moved, and reopens a backup in its place if configured")
    func lostFile() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder, ["--listen", "127.0.0.1:0", "--replaced-store", "reopen"])
            let (address, store) = (try server.address(), folder + "/Demo.sqlite")
            func post(_ name: String) throws -> (body: String, status: String) {
                let fields = "Content-Type: application/json"
                return try server.curl(address + "/api/tags", "-H", fields, "-d", #"{"name":"\#(name)"}"#)
            }
            #expect(try post("before").status == "201")
            #expect(outcrop("store", "backup", store, folder + "/Copy.sqlite").status == .fine)
            try FileManager.default.moveItem(atPath: store, toPath: folder + "/Old.sqlite")
            let refused = try post("nowhere")
            #expect(refused.status == "503" && refused.body.contains("not-ready"), "\(refused)")
            #expect(try server.curl(address + "/readyz").status == "503")
            #expect(try server.curl(address + "/api/tags").status == "200")
            #expect(try server.event("store")["level"]?.string == "error")
            try FileManager.default.moveItem(atPath: folder + "/Copy.sqlite", toPath: store)
            let deadline = ContinuousClock.now + .seconds(60)
            while try server.curl(address + "/readyz").status != "200", ContinuousClock.now < deadline {
                usleep(50_000)
            }
            #expect(try post("after").status == "201")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            #expect(outcrop("store", "check", store).status == .fine)
            let condition = "name IN {'before', 'nowhere', 'after'}"
            let query = outcrop("store", "query", store, "Tag", "--where", condition, "--count", "--json")
            #expect(query.json?["count"] == 2, "\(query.output)")
        }
    }

    @Test("the log reports the loss and return of an XML store's file without a request")
    func lostXML() throws {
        try Checkout.withFolder { folder in
            let store = folder + "/Demo.xml"
            let served = ["--demo", "--demo-size", "20", "--store", store]
            let server = try ServerProcess(in: folder, serving: served)
            try FileManager.default.moveItem(atPath: store, toPath: folder + "/Old.xml")
            #expect(try server.event("store")["level"]?.string == "error")
            try FileManager.default.moveItem(atPath: folder + "/Old.xml", toPath: store)
            let deadline = ContinuousClock.now + .seconds(60)
            var levels: [String?] = []
            while levels.count < 2, ContinuousClock.now < deadline {
                levels = try server.events().filter { $0["event"]?.string == "store" }.map { $0["level"]?.string }
                usleep(50_000)
            }
            #expect(levels == ["error", "info"])
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }

    @Test("SIGHUP reopens the log")
    func hangUp() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder)
            let address = try server.address()
            try FileManager.default.moveItem(atPath: server.log, toPath: server.log + ".1")
            server.signal(SIGHUP)
            _ = try server.event("log")
            #expect(try server.curl(address + "/api/posts/1").status == "200")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            #expect(try server.events().contains { $0["event"]?.string == "request" })
        }
    }

    @Test("a server waits for a running request, and a second signal ends it at once")
    func secondSignal() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--drain-time", "10 min", "--head", "10 min", "--receiving-rate", "1"]
            )
            let port = try #require(server.address().split(separator: ":").last)
            let client = Process()
            client.executableURL = URL(filePath: "/bin/bash")
            let request =
                "POST /api/posts HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\nContent-Length: 1000\\r\\n\\r\\n{"
            client.arguments = [
                "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; echo; exec sleep 600",
            ]
            let output = Pipe()
            client.standardOutput = output
            client.standardError = FileHandle.nullDevice
            try client.run()
            _ = output.fileHandleForReading.availableData
            // The server has received the request once it answers another one.
            #expect(try server.curl(server.address() + "/api/posts/1").status == "200")
            server.signal(SIGTERM)
            _ = try server.event("stopping")
            server.signal(SIGTERM)
            #expect(server.end() == 128 + SIGTERM)
            // Processes started by a test may have SIGTERM blocked.
            kill(client.processIdentifier, SIGKILL)
            client.waitUntilExit()
        }
    }

    @Test("SIGTERM ends a server at any time, even during its start")
    func earlySignal() throws {
        for delay in stride(from: UInt32(0), to: 120_000, by: 12_000) {
            try Checkout.withFolder { folder in
                let server = try ServerProcess(in: folder, isAwaited: false)
                usleep(delay)
                server.signal(SIGTERM)
                // By the signal itself before it serves, with 0 afterwards.
                let end = server.end(within: .seconds(60))
                #expect(end == 0 || end == -SIGTERM, "after \(delay) µs: \(end.map(String.init) ?? "it runs on")")
            }
        }
    }

    @Test("SIGTERM right after the ready event ends a server with 0")
    func signalAtOnce() throws {
        try Checkout.withFolder { folder in
            for _ in 0..<10 {
                let server = try ServerProcess(in: folder)
                server.signal(SIGTERM)
                #expect(server.end(within: .seconds(60)) == 0)
                try Checkout.remove(server.log)
            }
        }
    }

    @Test("a server doesn't start at an address in use, and names the process that uses it", arguments: [false, true])
    func addressInUse(isUnix: Bool) throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                ["--listen", isUnix ? "unix:\(folder)/server.sock" : "127.0.0.1:0"]
            )
            let address = try server.address()
            let place = address.hasPrefix("http://") ? String(address.dropFirst("http://".count)) : address
            let text = try ServerProcess.refusal(["--listen", place])
            #expect(text.contains("\(place) is in use by process \(server.number)"), "\(text)")
            #expect(text.contains("“outcrop serve --"), "\(text)")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }
}
