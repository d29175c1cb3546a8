// SPDX-License-Identifier: Apache-2.0

// Editing contexts for tests: opening, writing and reading them.

import HTTPMessage
import JSON
import Testing

extension APIWorld {
    /// Opens an editing context and returns its path.
    func openContext(_ body: String? = nil) throws -> String {
        let answer = try send(.post, "/api/contexts", body)
        try #require(answer.status == 201)
        let name = try #require(answer["context"]?.string)
        #expect(answer.fields[.location] == "/api/contexts/\(name)")
        return "/api/contexts/\(name)"
    }

    /// The pending changes of a context.
    func changes(_ context: String) throws -> JSONValue { try #require(try get("\(context)/changes").json) }

    /// The names of the posts found by a fetch, in order.
    func titles(_ target: String) throws -> [String?] {
        let answer = try get(target)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer["items"]?.array).map { $0["title"]?.string ?? $0["name"]?.string }
    }
}
