// SPDX-License-Identifier: Apache-2.0

// Information about the server itself.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Testing

@testable import RESTAPI

@Suite("Server information")
struct ServerTests {
    @Test("the index lists entities, queries, stores and links")
    func index() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api")
            #expect(answer.status == 200)
            let entities = try #require(answer["entities"]?.array)
            #expect(entities.count == Blog.model.entities.count)
            let post = try #require(entities.first { $0["name"] == "Post" })
            #expect(post["path"] == "posts" && post["href"] == "/api/posts" && post["schema"] == "/schemas/Post")
            let contact = try #require(entities.first { $0["name"] == "Contact" })
            #expect(contact["abstract"] == true)
            #expect(entities.first { $0["name"] == "User" }?["parent"] == "Contact")
            #expect(answer["queries"]?[0]?["href"] == "/api/queries/popular")
            let store = try #require(world.coordinator.stores.first)
            #expect(answer["stores"]?[0]?["uuid"]?.string == store.identifier.uuidString)
            for link in try #require(answer["links"]?.object).members {
                #expect(try world.get(link.value.string ?? "").status != 404, "\(link.name)")
            }
        }
    }

    @Test("the model is served as a model file that reads back the same")
    func model() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/model")
            #expect(answer.fields[.contentType] == "application/json")
            #expect(try ModelFile(json: answer.bytes).current.model == Blog.model)
        }
    }

    @Test("statistics count operations and their durations")
    func statistics() throws {
        try APIWorld.each { world throws in
            for _ in 0..<3 { _ = try world.get("/api/posts") }
            let path = "/api/" + (try world.reference("Post", "Faults"))
            _ = try world.get(path)
            _ = world.api.respondImmediately(to: HTTPRequest(.get, path))
            let answer = try world.get("/api/stats")
            #expect(answer["operations"]?["fetch"]?["count"] == 3)
            #expect(answer["operations"]?["read"]?["count"] == 2)
            #expect(answer["operations"]?["create"] == nil)
            let fetch = try #require(answer["operations"]?["fetch"])
            let numbers = try ["min", "p50", "p99", "max", "average"].map { try #require(fetch[$0]?.double) }
            #expect(numbers[0] <= numbers[1] && numbers[1] <= numbers[2] && numbers[2] <= numbers[3])
            #expect((numbers[0]...numbers[3]).contains(numbers[4]))
            for name in ["faults", "cacheHits", "cacheMisses", "batches"] { #expect(answer[name]?.int64 != nil) }
            for name in ["fetches", "saves"] { #expect(answer[name]?.int64 ?? 0 >= 3) }
            #expect(answer["statements"]?.int64 ?? 0 > 0 || world.sqlite == nil)
        }
    }

    @Test(
        "metrics are in Prometheus format, with unknown methods counted as one",
        .enabled(if: !Transport.isServer, "A server counts what the test sends, too.")
    )
    func metrics() throws {
        try APIWorld.each { world throws in
            _ = try world.get("/api/posts")
            for (method, status) in [(HTTPMethod.get, 200), (.get, 200), (.post, 409), (HTTPMethod("X\"Y"), 405)] {
                world.api.didSend(
                    HTTPExchangeRecord(
                        method: method,
                        target: "/",
                        client: "",
                        status: HTTPStatus(status),
                        requestID: nil,
                        received: 10,
                        sent: 100,
                        duration: .milliseconds(20),
                        queued: .milliseconds(5),
                        isAborted: status == 409
                    )
                )
            }
            let answer = try world.get("/metrics")
            #expect(answer.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = answer.text.split(separator: "\n")
            for line in [
                "# TYPE outcrop_http_requests_total counter",
                "outcrop_http_requests_total{method=\"GET\",status=\"200\"} 2",
                "outcrop_http_requests_total{method=\"POST\",status=\"409\"} 1",
                "outcrop_http_requests_total{method=\"other\",status=\"405\"} 1",
                "outcrop_http_request_duration_seconds_count 4", "outcrop_http_aborted_total 1",
                "outcrop_http_received_bytes_total 40", "outcrop_http_sent_bytes_total 400",
                "outcrop_http_queue_seconds_total 0.02",
                "outcrop_operation_duration_seconds_count{operation=\"fetch\"} 1",
            ] {
                #expect(lines.contains(Substring(line)), "\(line)")
            }
            // Each metric is described once, before its samples.
            let described = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
            #expect(Set(described).count == described.count)
            for sample in lines where !sample.hasPrefix("#") {
                let name = sample.prefix { $0 != " " && $0 != "{" }
                #expect(described.contains { name == $0 || name == $0 + "_sum" || name == $0 + "_count" }, "\(sample)")
                #expect(Double(sample.split(separator: " ").last ?? "") != nil, "\(sample)")
            }
        }
    }

    @Test("the server is alive, and ready until it drains")
    func readiness() throws {
        try APIWorld.each { world throws in
            #expect(try world.get("/healthz").text == "{\"status\":\"alive\"}")
            #expect(try world.get("/readyz").text == "{\"status\":\"ready\"}")
            world.api.drain()
            let answer = try world.get("/readyz")
            #expect(answer.status == 503)
            #expect(answer["code"]?.string == "draining")
            #expect(answer.fields[.retryAfter] != nil)
            #expect(try world.get("/healthz").status == 200)
        }
    }

    @Test("the server isn't ready without a store")
    func noStore() throws {
        let api = try API(PersistentStoreCoordinator(model: ManagedObjectModel(Blog.model)))
        let answer = try Transport(api).answer(to: HTTPRequest(.get, "/readyz"))
        #expect(answer.status == 503)
        #expect(answer["detail"]?.string == "There is no store.")
        #expect(answer["code"]?.string == "not-ready")
        #expect(answer.fields[.retryAfter] != nil)
    }

    @Test("information routes refuse parameters")
    func parameters() throws {
        try APIWorld.each { world throws in
            for path in ["/api", "/api/model", "/api/stats", "/api/queries", "/metrics", "/healthz", "/readyz"] {
                let answer = try world.get(path + "?limit=1")
                #expect(answer.status == 400)
                #expect(answer["code"]?.string == "parameter")
            }
        }
    }
}
