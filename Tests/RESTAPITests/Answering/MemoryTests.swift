// SPDX-License-Identifier: Apache-2.0

// The memory that one request may use for its body and its response.

import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Memory of a request")
struct MemoryTests {
    private static func options(values: Int = 200_000, objects: Int = 50_000) -> APIOptions {
        var options = APIOptions()
        options.bodyValueLimit = values
        options.bodyObjectLimit = objects
        return options
    }

    private static func list(_ element: String, _ count: Int) -> String {
        "[\(Array(repeating: element, count: count).joined(separator: ","))]"
    }

    @Test("the number of values in a JSON body is limited on every route")
    func values() throws {
        try APIWorld.each(options: Self.options(values: 100)) { world throws in
            let post = try world.reference("Post", "Faults")
            let many = Self.list("[]", 100)
            let context = try world.openContext()
            let requests: [(HTTPMethod, String, String)] = [
                (.post, "/api/posts", Self.list("{}", 100)), (.post, "/api/posts", "{\"extra\":\(many)}"),
                (.patch, "/api/\(post)", "{\"extra\":\(many)}"), (.put, "/api/\(post)", "{\"extra\":\(many)}"),
                (.put, "/api/\(post)/tags", many), (.post, "/api/\(post)/tags", many),
                (.post, "/api/posts/fetch", "{\"where\":\"views IN %@\",\"args\":[\(many)]}"),
                (.post, "/api/posts/batch-insert", "[{\"extra\":\(many)}]"),
                (.post, "/api/posts/batch-update", "{\"all\":true,\"set\":{\"extra\":\(many)}}"),
                (.post, "/api/posts/batch-delete", "{\"ids\":\(many)}"),
                (.post, "/api/transaction", "{\"operations\":\(many)}"),
                (.post, "\(context)/posts", "{\"extra\":\(many)}"),
                (.post, "\(context)/posts/batch-insert", "[{\"extra\":\(many)}]"),
                (.post, "/api/contexts", "{\"name\":\(many)}"),
            ]
            for (method, path, body) in requests {
                let answer = try world.send(method, path, body)
                #expect(answer.status == 413, "\(method) \(path)")
                #expect(answer["code"] == "too-large" && answer["limit"] == "bodyValues", "\(method) \(path)")
                #expect(answer["line"] == 1, "\(method) \(path)")
            }
            #expect(try world.send(.patch, "/api/\(post)", "{\"extra\":\(Self.list("[]", 98))}").status == 200)
        }
    }

    @Test("the number of objects in a body is limited, whether new, nested, changed, deleted or referenced")
    func objects() throws {
        try APIWorld.each(options: Self.options(objects: 10)) { world throws in
            let (post, user) = (try world.reference("Post", "Faults"), try world.reference("User", "Anna"))
            let (new, reference) = (Self.list("{\"text\":\"x\"}", 10), Self.list("\"tags/1\"", 11))
            let before = try world.get("/api/Page?result=count")["count"]
            let context = try world.openContext()
            for base in ["/api", context] {
                let requests: [(HTTPMethod, String, String)] = [
                    (.post, "\(base)/pages", Self.list("{\"text\":\"x\"}", 11)),
                    (.post, "\(base)/posts", "{\"pages\":\(new)}"), (.patch, "\(base)/\(post)", "{\"pages\":\(new)}"),
                    (.put, "\(base)/\(post)/tags", reference), (.post, "\(base)/\(post)/tags", reference),
                    (.patch, "\(base)/\(post)", "{\"tags\":{\"remove\":\(reference)}}"),
                    (.patch, "\(base)/\(user)", "{\"posts\":\(Self.list("{\"_id\":\"\(post)\"}", 11))}"),
                ]
                for (method, path, body) in requests {
                    let answer = try world.send(method, path, body)
                    #expect(answer.status == 413, "\(method) \(path)")
                    #expect(answer["limit"] == "bodyObjects", "\(method) \(path)")
                    #expect(answer["hint"]?.string?.contains("batch-insert") == true)
                }
            }
            for operation in ["{\"insert\":\"Page\"}", "{\"update\":\"\(post)\"}", "{\"delete\":\"\(post)\"}"] {
                let answer = try world.send(.post, "/api/transaction", "{\"operations\":\(Self.list(operation, 11))}")
                #expect(answer.status == 413 && answer["limit"] == "bodyObjects", "\(operation)")
            }
            #expect(try world.get("/api/Page?result=count")["count"] == before)
            #expect(try world.send(.post, "/api/pages", new).status == 201)
        }
    }

    @Test("memory for the objects of a body is reserved, and the request is refused with 503 if it isn't available")
    func reservation() throws {
        try APIWorld.each { world throws in
            let body = Array(Self.list("{\"text\":\"some words\"}", 5_000).utf8)
            for limit in [0, 200_000, 1_000_000, 20_000_000] {
                let room = Room(limit)
                var request = HTTPRequest(
                    .post,
                    "/api/pages",
                    fields: [.contentType: "application/json"],
                    body: .bytes(body)
                )
                request.memory = HTTPMemory { room.take($0) }
                let response = world.api.respond(to: request)
                guard limit < 20_000_000 else {
                    #expect(response.status == .created)
                    // Far more than the bytes of the body.
                    #expect(room.taken > 10 * body.count)
                    continue
                }
                #expect(response.status == .serviceUnavailable)
                #expect(response.fields[.retryAfter] == "1")
                guard case .bytes(let bytes) = response.body else { continue }
                #expect(try JSONValue(parsing: bytes)["limit"] == "bodiesInMemory")
            }
        }
    }

    /// A limited amount of memory, and the amount requested.
    private final class Room: Sendable {
        private let size: Int
        private let count = Mutex(0)

        init(_ size: Int) { self.size = size }

        var taken: Int { count.withLock { $0 } }

        func take(_ bytes: Int) -> Bool {
            count.withLock { count in
                count += bytes
                return count <= size
            }
        }
    }

    @Test("a response lists at most a hundred errors and the number of the others")
    func problems() throws {
        try APIWorld.each { world throws in
            for (path, element, code) in [
                ("/api/tags", "{}", "required"), ("/api/tags", "1", "type"), ("/api/tags", "{\"nmae\":1}", "unknown"),
                ("/api/posts", "{\"author\":\"users/999\"}", "reference"),
            ] {
                let answer = try world.send(.post, path, Self.list(element, 2_500))
                #expect(answer.status == 422)
                let errors = try #require(answer["errors"]?.array)
                #expect(errors.count == 100)
                #expect(errors.allSatisfy { $0["code"]?.string == code }, "\(element)")
                #expect((answer["errorsOmitted"]?.int64 ?? 0) >= 2_400, "\(element)")
            }
            let few = try world.send(.post, "/api/tags", Self.list("{}", 100))
            #expect(few["errors"]?.array?.count == 100 && few["errorsOmitted"] == nil)
        }
    }

    @Test("a body isn't read or planned after the deadline")
    func deadline() throws {
        var options = APIOptions()
        options.deadline = .zero
        try APIWorld.each(options: options) { world throws in
            // Otherwise the status would be 422.
            for path in ["/api/tags", "/api/Page"] {
                let answer = try world.send(.post, path, Self.list("{\"a\":1}", 1_000))
                #expect(answer.status == 503)
                #expect(answer["code"] == "deadline")
            }
        }
    }

    @Test("a list is limited by the rows read and by its size, and NDJSON isn't")
    func answers() throws {
        var options = APIOptions()
        options.readLimit = 200_000
        options.answerLimit = 100_000
        try APIWorld.each(options: options) { world throws in
            let text = String(repeating: "x", count: 20_000)
            for _ in 0..<4 { _ = try world.send(.post, "/api/pages", Self.list("{\"text\":\"\(text)\"}", 4)) }
            for number in 0..<12 {
                _ = try world.send(.post, "/api/users", "{\"name\":\"u\(number)\",\"note\":\"\(text)\"}")
            }
            let list = "/api/pages?where=text BEGINSWITH 'xx'"
            #expect(try world.get(list + "&limit=4").status == 200)
            for path in [list, list + "&limit=6", "/api/users?where=note != nil&include=posts"] {
                let answer = try world.get(path)
                #expect(answer.status == 413, "\(path)")
                #expect(["answerLimit", "requestMemory"].contains(answer["limit"]?.string), "\(path)")
                #expect(answer["hint"]?.string?.contains("limit") == true)
            }
            let lines = try world.send(.get, list, fields: [.accept: "application/x-ndjson"])
            #expect(lines.status == 200)
            #expect(lines.text.split(separator: "\n").count == 16)
        }
    }

    @Test("values in files don't count toward the limits when an object is read, changed or deleted")
    func largeFiles() throws {
        var options = APIOptions()
        options.readLimit = 1_000_000
        options.answerLimit = 1_000_000
        try APIWorld.each(options: options) { world throws in
            let large = [UInt8](repeating: 7, count: 2_500_000)
            let posts = try ["Faults", "Saving", "Undo"].map { try world.reference("Post", $0) }
            for post in posts {
                #expect(try world.send(.put, "/api/\(post)/picture", body: .bytes(large)).status == 204)
            }
            for target in ["/api/\(posts[0])", "/api/posts?limit=50", "/api/posts?select=title"] {
                #expect(try world.get(target).status == 200, "\(target)")
            }
            #expect(try world.get("/api/\(posts[0])/picture").bytes.count == large.count)
            for type in ["application/x-ndjson", "text/csv"] {
                let answer = try world.get("/api/posts", [.accept: type])
                #expect(answer.bytes.count { $0 == UInt8(ascii: "\n") } >= 6, "\(type)")
            }
            #expect(try world.send(.patch, "/api/\(posts[0])", "{\"title\":\"t\"}").status == 200)
            let operations = posts.prefix(2).map { "{\"update\":\"\($0)\",\"values\":{\"title\":\"u\"}}" }
            let transaction = "{\"operations\":[\(operations.joined(separator: ","))]}"
            #expect(try world.send(.post, "/api/transaction", transaction).status == 200)
            let context = try world.openContext()
            #expect(try world.send(.patch, "\(context)/\(posts[0])", "{\"title\":\"v\"}").status == 200)
            #expect(try world.send(.delete, "/api/\(posts[1])/picture").status == 204)
            #expect(try world.send(.delete, "/api/\(posts[2])").status == 204)
        }
    }

    @Test("the size of a write's response is checked before anything is saved")
    func writtenAnswers() throws {
        var options = APIOptions()
        options.answerLimit = 100_000
        try APIWorld.each(options: options) { world throws in
            let before = try world.get("/api/pages?result=count")["count"]
            let body = Self.list("{\"text\":\"\(String(repeating: "x", count: 20_000))\"}", 10)
            let refused = try world.send(.post, "/api/pages", body)
            #expect(refused.status == 413 && refused["limit"] == "answerLimit")
            #expect(try world.get("/api/pages?result=count")["count"] == before)
            let minimal = try world.send(.post, "/api/pages", body, fields: [.prefer: "return=minimal"])
            #expect(minimal.status == 201)
        }
    }
}
