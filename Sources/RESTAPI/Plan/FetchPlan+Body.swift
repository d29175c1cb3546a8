// SPDX-License-Identifier: Apache-2.0

// Plans a fetch with parameters in a body, where arguments have types: `POST /api/{E}/fetch`.

import HTTPMessage
import JSON

extension FetchPlan {
    /// Links to other pages are this path with a cursor; the client sends the same body to them.
    init(body request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        guard let body = try request.json().object else {
            throw Problem(.malformed, "The body must be a JSON object with the parameters of a fetch.")
        }
        var query = request.parameters
        let others = try query.readArguments()
        let given = try PredicateArguments(body, besides: others)
        // A link's cursor precedes the body's.
        let isLinked = query.contains("cursor") || query.contains("offset")
        let items = try QueryItem.items(body).filter { !isLinked || ($0.name != "cursor" && $0.name != "offset") }
        let nulls = body.members.filter(\.isNullCondition).map(\.name)
        let parameters = Parameters(items + query.items, nulls: nulls)
        let link = PageLink(path: request.target.path, items: request.target.query)
        let defaults = Defaults(format: AnswerFormat(request.fields), names: ["args", "vars"])
        try self.init(parameters, given, of: resource, defaults, link: link, in: api)
        isTagged = false
    }
}

extension PredicateArguments {
    fileprivate init(_ body: JSONObject, besides others: PredicateArguments) throws(Problem) {
        var arguments: [PredicateArgument] = []
        if let args = body["args"], !args.isNull {
            guard let values = args.array else {
                throw Problem(.parameter, "“args” must be an array, not \(args.kindName).")
            }
            arguments = values.map(PredicateArgument.json)
        }
        var variables = others.variables
        if let vars = body["vars"], !vars.isNull {
            guard let values = vars.object else {
                throw Problem(.parameter, "“vars” must be an object, not \(vars.kindName).")
            }
            for member in values.members { variables[member.name] = .json(member.value) }
        }
        self.init(arguments + others.all, variables: variables)
    }
}

extension JSONMember {
    /// Whether a condition compares with nil; nulls of other parameters are ignored.
    fileprivate var isNullCondition: Bool {
        guard name != "args", name != "vars", !FetchPlan.parameters.contains(name) else { return false }
        return value.isNull || value.array?.contains(where: \.isNull) == true
    }
}

extension QueryItem {
    /// The members of a body as query parameters.
    fileprivate static func items(_ body: JSONObject) throws(Problem) -> [QueryItem] {
        var items: [QueryItem] = []
        for member in body.members where member.name != "args" && member.name != "vars" {
            try check(member)
            let isKnown = FetchPlan.parameters.contains(member.name)
            switch member.value.kind {
            case .null: break
            case .array(let values):
                let texts = try values.filter { isKnown || !$0.isNull }.map { (value) throws(Problem) in
                    try text(value, of: member.name)
                }
                // A list of key paths, or of alternative values.
                items += (isKnown ? [texts.joined(separator: ",")] : texts).map {
                    QueryItem(name: member.name, value: $0)
                }
            default: items.append(QueryItem(name: member.name, value: try text(member.value, of: member.name)))
            }
        }
        return items
    }

    /// Members of a body that must be text; a query only has text.
    private static func check(_ member: JSONMember) throws(Problem) {
        let expected: String
        switch (Contract.Parameter.fetch.first { $0.name == member.name }?.form, member.value.kind) {
        case (_, .null), (.flag, .bool), (.limit, .number), (.count, .number), (.words, .string): return
        case (.flag, _): expected = "true or false"
        case (.limit, _), (.count, _): expected = "a non-negative integer"
        case (.words, _): expected = "a string"
        default: return
        }
        throw Problem(.parameter, "“\(member.name)” must be \(expected), not \(member.value.summary).")
    }

    private static func text(_ value: JSONValue, of name: String) throws(Problem) -> String {
        switch value.kind {
        case .string(let text): return text
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number): return number.int64.map(String.init) ?? number.text
        case .null, .array, .object:
            throw Problem(
                .parameter,
                "“\(name)” can't be \(value.kindName).",
                hint: "To compare with other values, use “where” with “args”."
            )
        }
    }
}
