// SPDX-License-Identifier: Apache-2.0

// Requests of identities as data.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

/// A request, and what its answer has and doesn't have. `{Post Faults}` stands for an object's reference.
struct AccessStep: Sendable, CustomTestStringConvertible {
    var identity: String?
    var method: HTTPMethod
    var path: String
    var body: String?
    var status: Int
    var shown: [String]
    var hidden: [String]
    var fields: HeaderFields

    init(
        _ identity: String?,
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        answer status: Int,
        showing shown: [String] = [],
        hiding hidden: [String] = [],
        prefer: String? = nil,
        fields: HeaderFields = HeaderFields()
    ) {
        self.identity = identity
        self.method = method
        self.path = path
        self.body = body
        self.status = status
        self.shown = shown
        self.hidden = hidden
        self.fields = fields
        if let prefer { self.fields[.prefer] = prefer }
    }

    var testDescription: String { "\(identity ?? "–"): \(method) \(path) \(body ?? "")" }
}

extension APIWorld {
    /// Sends requests in order, and checks the answers.
    func run(_ steps: [AccessStep], _ location: SourceLocation = #_sourceLocation) throws {
        for step in steps { _ = try run(step, location) }
    }

    @discardableResult
    func run(_ step: AccessStep, _ location: SourceLocation = #_sourceLocation) throws -> Answer {
        let body = try step.body.map { try filled($0) }
        let answer = try send(as: step.identity, step.method, try filled(step.path), body, fields: step.fields)
        let said = "\(step.testDescription): \(answer.status) \(answer.text)"
        #expect(answer.status == step.status, "\(said)", sourceLocation: location)
        var head: [UInt8] = []
        answer.fields.write(into: &head)
        let text = String(decoding: head, as: UTF8.self).lowercased() + answer.text
        for part in step.shown {
            #expect(text.contains(try filled(part)), "“\(part)” is missing: \(said)", sourceLocation: location)
        }
        for part in step.hidden {
            #expect(!text.contains(try filled(part)), "“\(part)” is shown: \(said)", sourceLocation: location)
        }
        return answer
    }

    /// The text with references in the place of names in braces.
    func filled(_ text: String) throws -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            result += rest[..<start]
            rest = rest[start...]
            let end = rest.firstIndex(of: "}") ?? rest.endIndex
            let words = rest[rest.index(after: start)..<end].split(separator: " ", maxSplits: 1).map(String.init)
            if words.count == 2,
                ["Post", "User", "Tag", "Page", "Comment", "Group", "Person", "Pass", "Door"].contains(words[0])
            {
                result += try reference(words[0], words[1])
                rest = rest[end...].dropFirst()
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result + rest
    }
}
