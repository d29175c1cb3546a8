// SPDX-License-Identifier: Apache-2.0

// The targets of requests, and what stands in their parameters: there is always a plan or a problem, the same each time, and
// what is planned can be carried out. The first line is a target and also the value of parameters; those behind it are keys for
// a cursor, since no fuzzer guesses the sum at a cursor's end.

import FoundationEssentials
import HTTPMessage
import Outcrop

@testable import RESTAPI

func fuzzQuery(_ bytes: [UInt8]) -> CInt {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 31, omittingEmptySubsequences: false).map(String.init)
    let value = RequestTarget.encode(queryValue: lines[0])
    for name in ["where", "sort", "select", "include", "cursor", "arg", "title", "author"] {
        _ = plan("/api/posts?\(name)=\(value)")
    }
    _ = plan("/api/posts?where=title%20%3D%3D%20%25@&arg=\(value)")
    _ = plan("/api/posts?result=dictionary&select=\(value)&group=\(value)&having=\(value)")
    guard let first = plan(lines[0]) else { return 0 }
    carryOut(lines[0])
    if case .fetch(let fetch) = first, lines.count > 1, fetch.cursor == nil {
        let cursor = Cursor(keys: lines[1...].map(key))
        let binding = fetch.binding(in: api.names)
        let again = Cursor(cursor.text(of: binding), of: binding)
        precondition(again?.text(of: binding) == cursor.text(of: binding), "A cursor came back as another.")
        carryOut(lines[0] + (lines[0].contains("?") ? "&" : "?") + "cursor=" + cursor.text(of: binding))
    }
    return 0
}

/// The plan of a target, which is the same when it is made again or was remembered; nil where there is a problem.
private func plan(_ text: String) -> Plan? {
    let api = freshAPI()
    guard let target = try? RequestTarget(text) else { return nil }
    do throws(Problem) {
        guard let match = try api.catalogue.match(target.segments), let endpoint = match.path.endpoint(for: .get) else {
            return nil
        }
        let request = try APIRequest(HTTPRequest(.get, text), target: target, endpoint: endpoint, at: match.parts)
        let plan = try api.plan(request)
        let remembered = try api.plan(request)
        let again = try freshAPI().plan(request)
        precondition(isSame(plan, remembered), "Another plan was remembered than was made.")
        precondition(isSame(plan, again), "Another plan was made of the same target.")
        return plan
    } catch {
        precondition(error.code != .internal && !error.detail.isEmpty, "\(error)")
        return nil
    }
}

private func isSame(_ one: Plan, _ other: Plan) -> Bool {
    switch (one, other) {
    case (.object(let one), .object(let other)): one == other
    case (.fetch(let one), .fetch(let other)): one == other
    case (.bytes(let one), .bytes(let other)): one == other
    case (.answer, .answer): true
    default: false
    }
}

private func carryOut(_ target: String) {
    let response = freshAPI().respond(to: HTTPRequest(.get, target))
    precondition(response.status != .internalServerError, "\(target) is answered with \(response.status.code).")
}

/// The API without remembered plans. It is released with the plans that it remembers: the leak sanitizer takes expressions that
/// live as long as the process for leaks, since it doesn't know pointers with a tag in their spare bits.
private func freshAPI() -> API { API(viewing: api, as: api.catalogue) }

/// A key of any type, by the first character of a text.
private func key(_ text: String) -> Value {
    let rest = String(text.dropFirst())
    switch text.first {
    case "i": return .integer(Int64(rest) ?? .max)
    case "d": return .double(Double(rest) ?? .infinity)
    case "m": return .decimal(Decimal(string: rest) ?? 0)
    case "b": return .bool(rest == "1")
    case "t": return .date(Date(timeIntervalSinceReferenceDate: Double(rest) ?? 0))
    case "u": return .uuid(UUID(uuidString: rest) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case "x": return .data(Data(rest.utf8))
    case "l": return .uri(rest)
    case "r": return .reference(ObjectReference(uri: rest))
    case "s": return .string(rest)
    default: return .null
    }
}

/// The demo model's API, over a few objects in memory.
private let api: API = {
    do {
        let model = try ManagedObjectModel(ModelFile.read(path: "../Config/Demo.json").current.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        var options = APIOptions()
        options.predicateLimits.maximumLength = 512
        options.predicateLimits.maximumTerms = 50
        let api = try API(coordinator, options: options)
        for number in 1...3 {
            let author = #"{"name":"A\#(number)","username":"a\#(number)"}"#
            let post = """
                {"title":"Post \(number)","slug":"post-\(number)","createdAt":"2026-01-0\(number)T00:00:00Z","author":\(author)}
                """
            let request = HTTPRequest(
                .post,
                "/api/posts",
                fields: ["Content-Type": "application/json"],
                body: .bytes(Array(post.utf8))
            )
            let response = api.respond(to: request)
            precondition(response.status == .created, "A post is answered with \(response.status.code).")
        }
        return api
    } catch {
        fatalError("\(error)")
    }
}()
