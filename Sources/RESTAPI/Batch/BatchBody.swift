// SPDX-License-Identifier: Apache-2.0

// The bodies of batch updates and deletions: which objects are meant, and how many there may be.

import JSON
import ObjectGraph
import Predicates
import SourceText

/// A body whose members are taken one by one; what nobody has taken is unknown.
struct BatchBody {
    enum Selection {
        case all
        case matching(ObjectPredicate)
        case objects([ManagedObjectID])
    }

    private let resource: Resource
    private let api: API
    private let known: [String]
    private var members: JSONObject

    /// - Parameter known: The keys that there are.
    init(_ request: APIRequest, of resource: Resource, in api: API, knowing known: [String]) throws(Problem) {
        try request.parameters.refuseOthers(knowing: [])
        (self.resource, self.api, self.known) = (resource, api, known)
        let json = try request.json()
        guard let object = json.object else {
            throw Problem(.validation, "The body is an object, not \(json.kindName).")
        }
        members = object
        if let other = object.members.first(where: { !known.contains($0.name) }) {
            throw Problem(
                .validation,
                "There is no key “\(other.name)” here.",
                hint: Spelling.hint(for: other.name, among: known) ?? "There are \(known.joined(separator: ", "))."
            )
        }
    }

    subscript(name: String) -> JSONValue? {
        guard let value = members[name], !value.isNull else { return nil }
        return value
    }

    func result() throws(Problem) -> BatchResultType {
        guard let value = self["result"] else { return .count }
        if let type = value.string.flatMap(BatchResultType.init) { return type }
        let names = BatchResultType.allCases.map(\.rawValue).joined(separator: ", ")
        throw wrong("result", "one of \(names)", value)
    }

    func maximum() throws(Problem) -> Int? {
        guard let value = self["max"] else { return nil }
        guard let number = value.int64.flatMap(Int.init(exactly:)), number >= 0 else {
            throw wrong("max", "a whole number from 0", value)
        }
        return number
    }

    /// The objects that are meant. All of them are only where that is said.
    func selection() throws(Problem) -> Selection {
        let ways = ["where", "ids", "all"].filter { self[$0] != nil }
        guard let way = ways.first, ways.count == 1 else {
            let choices = known.contains("ids") ? "“where”, “ids” or “all”" : "“where” or “all”"
            throw Problem(
                .validation,
                ways.isEmpty ? "Nothing says which objects are meant." : "Which objects are meant is said twice.",
                hint: "Give \(choices): \"all\": true means every object of \(resource.entity.name)."
            )
        }
        // What is of the wrong type is wrong though nothing asks for it.
        let arguments = try arguments()
        switch way {
        case "where": return .matching(try predicate(arguments))
        case "ids": return .objects(try objectIDs())
        default:
            guard self["all"]?.bool == true else { throw wrong("all", "true", self["all"] ?? .null) }
            return .all
        }
    }

    private func arguments() throws(Problem) -> Arguments {
        var given: [Argument] = []
        if let values = self["args"] {
            guard let array = values.array else { throw wrong("args", "an array", values) }
            given = array.map(Argument.json)
        }
        var variables: [String: Argument] = [:]
        if let values = self["vars"] {
            guard let object = values.object else { throw wrong("vars", "an object", values) }
            for member in object.members { variables[member.name] = .json(member.value) }
        }
        return Arguments(given, variables: variables)
    }

    private func predicate(_ given: Arguments) throws(Problem) -> ObjectPredicate {
        let value = self["where"] ?? .null
        guard let text = value.string else { throw wrong("where", "a predicate as a string", value) }
        var arguments = given
        let predicate = try PredicateReader(api: api, resource: resource, text: text).predicate(&arguments)
        try arguments.refuseOthers()
        return predicate
    }

    private func objectIDs() throws(Problem) -> [ManagedObjectID] {
        let value = self["ids"] ?? .null
        guard let references = value.array else { throw wrong("ids", "an array of references", value) }
        var reader = ReferenceReader(api)
        return try references.map { reference throws(Problem) in
            switch reader.read(reference, to: resource) {
            case .success(let objectID): objectID
            case .failure(let mismatch): throw Problem(.validation, mismatch.message, hint: mismatch.hint)
            }
        }
    }

    private func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> Problem {
        Problem(.validation, "“\(name)” is \(expected), not \(value.summary).")
    }
}
