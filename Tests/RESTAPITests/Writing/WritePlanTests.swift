// SPDX-License-Identifier: Apache-2.0

// Bodies as plans, based on the model alone.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import Testing

@testable import RESTAPI

@Suite("Write plans")
struct WritePlanTests {
    private let catalogue: Catalogue

    init() throws { catalogue = try Catalogue(ManagedObjectModel(Blog.model)) }

    private func writes(_ json: String, of entity: String = "Post") throws -> [ObjectWrite] {
        var reader = BodyReader(catalogue)
        let body = try #require(try JSONValue(parsing: json).object)
        reader.insert(body, try #require(catalogue.resource(named: entity)), BodyPosition(object: "new"))
        reader.finish()
        try reader.findings.check()
        return reader.writes
    }

    @Test("a plan has one write per object, each before its nested objects, in the body's order")
    func order() throws {
        let writes = try writes(
            """
            {"title":"T","author":{"name":"A","groups":[{"name":"G"}]},"tags":[{"_id":"tags/7","name":"x"},{"_id":"$t"}],
             "pages":[{},"pages/3"]}
            """
        )
        let kinds = writes.map { write in
            switch write.action {
            case .insert(let resource): "+\(resource.entity.name)"
            case .update(let location): location.name
            case .replace, .delete: ""
            }
        }
        #expect(kinds == ["+Post", "+User", "+Group", "tags/7", "+Page", "+Tag"])
        #expect(writes.map(\.parent) == [nil, 0, 1, 0, 0, 0])
        #expect(writes.map(\.temporaryName) == [nil, nil, nil, nil, nil, "$t"])
        #expect(writes[0].changes.map(\.property.name) == ["title", "author", "tags", "pages"])
        guard case .members(let tags) = writes[0].changes[2].change else { throw Surprise() }
        #expect(tags.map(\.target) == [.write(3), .temporary("$t")])
    }

    @Test("equal bodies have equal plans, and different ones don't")
    func equality() throws {
        let body = "{\"title\":\"T\",\"tags\":[{\"name\":\"x\"}]}"
        #expect(try writes(body) == writes(body))
        #expect(try writes(body) != writes("{\"title\":\"T\",\"tags\":[{\"name\":\"y\"}]}"))
    }

    @Test("references are resolved to entities and keys, in any notation")
    func references() throws {
        let store = "0D9F1C3E-6C3A-4BD3-8F6F-2F1D6D1E7A10"
        let texts = ["users/7", "User/7", "/api/users/7", "x-coredata://\(store)/User/p7"]
        for text in texts {
            let writes = try writes("{\"author\":\"\(text)\"}")
            guard case .toOne(let reference?) = writes[0].changes[0].change,
                case .stored(let location) = reference.target
            else { throw Surprise() }
            #expect(location.name == "users/7")
            #expect((location.store == nil) == !text.hasPrefix("x-"))
        }
    }

    @Test("duplicate names and moves without an order are refused")
    func refusals() throws {
        let error = try #require(throws: Problem.self) {
            try writes(
                "{\"_id\":\"$a\",\"author\":{\"_id\":\"$a\",\"name\":\"x\"},\"tags\":{\"add\":[\"$a\"],\"move\":[]}}"
            )
        }
        #expect(error.errors.map(\.code) == ["duplicate", "unknown", "reference"])
        #expect(error.errors.map(\.message)[2] == "“$a” is a User, but a Tag is expected.")
    }

    @Test("at most a hundred errors are listed, with the total number")
    func limit() throws {
        let body = "{\"tags\":[\((0..<5_000).map { "{\"nam\($0)\":1}" }.joined(separator: ","))]}"
        let error = try #require(throws: Problem.self) { try writes(body) }
        #expect(error.errors.count == 100)
        #expect(error.omittedErrors == 4_900)
        #expect(error.detail == "5000 values are invalid.")
    }

    private struct Surprise: Error {}
}
