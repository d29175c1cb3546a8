// SPDX-License-Identifier: Apache-2.0

// The program as a process that serves: requests, signals, the log.

import Foundation
import JSON
import TestSupport
import Testing

@Suite("A server in a process")
struct LiveServerTests {
    @Test("answers, logs what it was asked, and ends well with SIGTERM")
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

    @Test("answers at a Unix socket, and ends well with SIGINT")
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

    @Test("serves the pages of a folder beside the API, and says whether it is ready")
    func pages() throws {
        try Checkout.withFolder { folder in
            let pages = folder + "/pages"
            try FileManager.default.createDirectory(atPath: pages, withIntermediateDirectories: false)
            try "<p>Hello".write(toFile: pages + "/index.html", atomically: true, encoding: .utf8)
            let server = try ServerProcess(in: folder, ["--listen", "127.0.0.1:0", "--public", pages])
            let page = try server.curl(server.address() + "/")
            #expect(page.status == "200" && page.body == "<p>Hello")
            #expect(try server.curl(server.address() + "/readyz").status == "200")
            #expect(try server.curl(server.address() + "/../server.log", "--path-as-is").status != "200")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }

    @Test("opens its log anew with SIGHUP, and goes on")
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

    @Test("waits for a request that runs, and ends at once with a second signal")
    func secondSignal() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--drain-time", "10 min", "--head", "10 min", "--receiving-rate", "1"]
            )
            let port = try #require(server.address().split(separator: ":").last)
            let client = Process()
            client.executableURL = URL(filePath: "/bin/bash")
            let request = "POST /api/posts HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 1000\\r\\n\\r\\n{"
            client.arguments = [
                "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; echo; exec sleep 600",
            ]
            let output = Pipe()
            client.standardOutput = output
            client.standardError = FileHandle.nullDevice
            try client.run()
            _ = output.fileHandleForReading.availableData
            // The server has the request once it answers another one.
            #expect(try server.curl(server.address() + "/api/posts/1").status == "200")
            server.signal(SIGTERM)
            _ = try server.event("stopping")
            server.signal(SIGTERM)
            #expect(server.end() == 128 + SIGTERM)
            // What a test starts may have SIGTERM blocked.
            kill(client.processIdentifier, SIGKILL)
            client.waitUntilExit()
        }
    }

    @Test("ends with SIGTERM whenever it comes, from its start on")
    func earlySignal() throws {
        for delay in stride(from: UInt32(0), to: 120_000, by: 12_000) {
            try Checkout.withFolder { folder in
                let server = try ServerProcess(in: folder, isAwaited: false)
                usleep(delay)
                server.signal(SIGTERM)
                // By the signal itself before it serves, in peace afterwards.
                let end = server.end(within: .seconds(60))
                #expect(end == 0 || end == -SIGTERM, "after \(delay) µs: \(end.map(String.init) ?? "it runs on")")
            }
        }
    }

    @Test("ends with a SIGTERM that comes with its first line")
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

    @Test("does not start where another listens, and says so")
    func addressInUse() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder)
            let address = try server.address().dropFirst("http://".count)
            let second = Process()
            second.executableURL = ServerProcess.binary
            second.arguments = ["serve", "--demo", "--demo-size", "10", "--listen", String(address)]
            let errors = Pipe()
            second.standardError = errors
            try second.run()
            second.waitUntilExit()
            #expect(second.terminationStatus == 1)
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(text.contains(address) && text.contains("Another program listens there"), "\(text)")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }
}
