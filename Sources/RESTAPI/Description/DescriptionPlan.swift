// SPDX-License-Identifier: Apache-2.0

// Requests for what describes the API: `/openapi.json`, `/schemas/{E}`, `/problems` and `/problems/{code}`.

import HTTPMessage
import JSON
import SourceText

enum DescriptionPlan: Equatable {
    case openAPI(known: EntityTagCondition?)
    case schema(Resource)
    case problems(isPage: Bool)
    case problem(ProblemCode, isPage: Bool)

    /// Nil for routes that don't describe anything.
    init?(_ request: APIRequest) throws(Problem) {
        switch request.route {
        case .openAPI: self = .openAPI(known: try Conditions(request.fields).ifNoneMatch)
        case .schema(let resource): self = .schema(resource)
        case .problem(nil): self = .problems(isPage: try Self.wantsPage(request))
        case .problem(let name?):
            guard let code = ProblemCode.all.first(where: { $0.description == name }) else {
                throw Problem(
                    .notFound,
                    "There is no problem “\(name)”.",
                    hint: Spelling.hint(for: name, among: ProblemCode.all.map(\.description))
                        ?? "GET /problems lists them."
                )
            }
            self = .problem(code, isPage: try Self.wantsPage(request))
        default: return nil
        }
        try request.parameters.refuseOthers(knowing: [])
    }

    /// Browsers get a page, who asks for nothing in particular JSON.
    private static func wantsPage(_ request: APIRequest) throws(Problem) -> Bool {
        guard let type = AcceptedMediaTypes(request.fields).bestMatch(among: [.json, .html]) else {
            throw Problem(
                .notAcceptable,
                "It comes as \(MediaType.json) and \(MediaType.html).",
                hint: "Leave out Accept, or add one of them to it."
            )
        }
        return type == .html
    }
}

extension API {
    func execute(_ plan: DescriptionPlan) -> Reply {
        switch plan {
        case .openAPI(let known): reply(storedDocument, known)
        case .schema(let resource):
            Reply(
                .bytes(
                    ModelDescription.jsonSchema(of: resource, in: self).serializedBytes(),
                    type: "application/schema+json"
                )
            )
        case .problems(let isPage):
            Self.reply(isPage, ["items": .array(ProblemCode.all.map(\.json))], ProblemPage.list)
        case .problem(let code, let isPage): Self.reply(isPage, code.json, ProblemPage.page(of: code))
        }
    }

    private func reply(_ document: StoredDocument, _ known: EntityTagCondition?) -> Reply {
        if known?.matchesWeakly(document.tag) == true { return .unchanged(document.tag) }
        var reply = Reply(.bytes(document.bytes, type: "application/json"))
        reply.fields[.etag] = document.tag.description
        return reply
    }

    private static func reply(_ isPage: Bool, _ json: JSONValue, _ page: String) -> Reply {
        var reply = Reply(isPage ? .bytes(Array(page.utf8), type: "text/html; charset=utf-8") : .json(json))
        reply.fields[.vary] = "Accept"
        return reply
    }
}
