// SPDX-License-Identifier: Apache-2.0

// The bodies of batch updates and deletions: the objects, and the limit on their number.

import JSON
import ObjectGraph
import Predicates
import SourceText

/// A body with known keys only, whose members are read one by one.
struct BatchBody {
    private let resource: Resource
    private let api: API
    private let known: [String]
    private var members: JSONObject
    private let hasDryRunParameter: Bool

    /// - Parameter known: The keys that are allowed.
    init(_ request: APIRequest, of resource: Resource, in api: API, knowing known: [String]) throws(Problem) {
        var parameters = request.parameters
        hasDryRunParameter = try parameters.readFlag("dryRun") ?? false
        self.resource = resource
        self.api = api
        self.known = known
        let json = try request.json()
        guard let object = json.object else {
            throw .batch(.type, "The body must be an object, not \(json.kindName).", of: resource)
        }
        members = object
        if let other = object.members.first(where: { !known.contains($0.name) }) {
            throw .batch(
                .unknown,
                "The key “\(other.name.shortened)” is unknown.",
                of: resource,
                at: other.name,
                hint: Spelling.hint(for: other.name, among: known) ?? "Known keys: \(known.joined(separator: ", "))."
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
        throw wrong("result", expecting: "one of \(names)", not: value)
    }

    func maximum() throws(Problem) -> Int? {
        guard let value = self["max"] else { return nil }
        guard let number = value.int64.flatMap(Int.init(exactly:)), number >= 0 else {
            throw wrong("max", expecting: "a non-negative integer", not: value)
        }
        return number
    }

    /// Whether the body or the query asks for a dry run.
    func isDryRun() throws(Problem) -> Bool {
        guard let value = self["dryRun"] else { return hasDryRunParameter }
        guard let flag = value.bool else { throw wrong("dryRun", expecting: "true or false", not: value) }
        return flag || hasDryRunParameter
    }

    /// Whether objects that may not be changed are to be refused rather than left out.
    func isStrict() throws(Problem) -> Bool {
        guard let value = self["strict"] else { return false }
        guard let flag = value.bool else { throw wrong("strict", expecting: "true or false", not: value) }
        return flag
    }

    /// The selected objects. “All” must be explicit.
    func target() throws(Problem) -> BatchPlan.Target {
        let ways = ["where", "ids", "all"].filter { self[$0] != nil }
        guard let way = ways.first, ways.count == 1 else {
            let choices = known.contains("ids") ? "“where”, “ids” or “all”" : "“where” or “all”"
            throw .batch(
                ways.isEmpty ? .type : .duplicate,
                ways.isEmpty
                    ? "The body doesn't select any objects." : "The body selects objects in more than one way.",
                of: resource,
                hint: "Use one of \(choices); \"all\": true selects every object of \(resource.name)."
            )
        }
        // Arguments are checked even if nothing uses them.
        let arguments = try arguments()
        switch way {
        case "where": return .matching(try predicate(arguments))
        case "ids": return .objects(try objectIDs())
        default:
            guard self["all"]?.bool == true else { throw wrong("all", expecting: "true", not: self["all"] ?? .null) }
            return .all
        }
    }

    private func arguments() throws(Problem) -> PredicateArguments {
        var given: [PredicateArgument] = []
        if let values = self["args"] {
            guard let array = values.array else { throw wrong("args", expecting: "an array", not: values) }
            given = array.map(PredicateArgument.json)
        }
        var variables: [String: PredicateArgument] = [:]
        if let values = self["vars"] {
            guard let object = values.object else { throw wrong("vars", expecting: "an object", not: values) }
            for member in object.members { variables[member.name] = .json(member.value) }
        }
        return PredicateArguments(given, variables: variables)
    }

    private func predicate(_ given: PredicateArguments) throws(Problem) -> ObjectPredicate {
        let value = self["where"] ?? .null
        guard let text = value.string else { throw wrong("where", expecting: "a predicate as a string", not: value) }
        var arguments = given
        let predicate = try PredicateReader(api: api, resource: resource, text: text).predicate(&arguments)
        try arguments.refuseUnread()
        return predicate
    }

    private func objectIDs() throws(Problem) -> [ManagedObjectID] {
        let value = self["ids"] ?? .null
        guard let references = value.array else { throw wrong("ids", expecting: "an array of references", not: value) }
        var reader = ReferenceReader(api)
        var findings = Findings()
        var objectIDs: [ManagedObjectID] = []
        for (offset, reference) in references.enumerated() {
            switch reader.read(reference, to: resource) {
            case .success(let objectID): objectIDs.append(objectID)
            case .failure(let mismatch):
                let place = BodyPosition(
                    object: resource.path,
                    property: "ids",
                    pointer: "/ids/\(offset)",
                    position: reference.position
                )
                findings.add(.reference, mismatch.message, hint: mismatch.hint, at: place)
            }
        }
        try findings.check()
        return objectIDs
    }

    private func wrong(_ name: String, expecting expected: String, not value: JSONValue) -> Problem {
        .batch(.type, "“\(name)” must be \(expected), not \(value.summary).", of: resource, at: name)
    }
}

extension Problem {
    /// A problem with the body of a batch, at a key or as a whole.
    static func batch(
        _ code: Findings.Code,
        _ message: String,
        of resource: Resource,
        at key: String? = nil,
        hint: String? = nil
    ) -> Problem {
        var place = BodyPosition(object: resource.path)
        if let key { place = place.member(key) }
        var findings = Findings()
        findings.add(code, message, at: place)
        var problem = findings.problem
        problem.hint = hint
        return problem
    }
}
