// SPDX-License-Identifier: Apache-2.0

// The endpoints of the server itself, and planned endpoints.

import HTTPMessage
import JSON

extension APIEndpoint {
    static let server = [
        get("/api getIndex: List the entities", for: .byRules) { Reply(.json($1.index)) },
        get("/api/model getModel: The model", for: .byRules) {
            guard let bytes = $1.modelJSON else { throw Problem(.internal, "The model can't be written as JSON.") }
            return Reply(.bytes(bytes, type: "application/json"))
        },
        APIEndpoint(
            "POST /api/model changeModel: Change the model, and migrate the stores",
            Contract(
                parameters: [.dryRun],
                body: .optional(.anyObject),
                answers: [.json(.anyObject)],
                problems: [.conflict],
                work: .migration
            )
        ) { request, api in
            let change = try ModelChangeRequest(request)
            return .answer { _, _ in Reply(.json(try api.changingModel(change))) }
        },
        get("/api/stats getStatistics: Counters and timings", for: .administration) { Reply(.json($1.statisticsJSON)) },
        get("/openapi.json getOpenAPI: This document", [.json(.anyObject), .unchanged], for: .byRules) {
            $1.documentReply(known: try Preconditions($0.fields).ifNoneMatch)
        },
        get("/problems listProblems: List the problem codes", [anyFormat], for: .everyone) { request, _ in
            try ProblemPage.reply(request, ["items": .array(ProblemCode.all.map(\.json))], ProblemPage.list)
        },
        get("/healthz getHealth: Alive", for: .everyone) { _, _ in Reply(.json(API.health)) },
        get("/readyz getReadiness: Ready", for: .everyone) { Reply(.json(try $1.readiness())) },
        get("/metrics getMetrics: Counters for Prometheus", [.text("Text", .plainText)], for: .administration) {
            Reply(.bytes(Array($1.metrics.utf8), type: PrometheusText.type))
        },
        get("/schemas/{entity} getSchema: JSON Schemas of an entity", [schemas], for: .byRules) {
            let schema = ModelDescription.jsonSchema(of: try $0.path.resource, in: $1)
            return Reply(.bytes(schema.serializedBytes(), type: "application/schema+json"))
        },
        get("/problems/{code} getProblem: Describe a problem code", [anyFormat], for: .everyone) { request, _ in
            let code = try ProblemCode(path: request.path.name)
            return try ProblemPage.reply(request, code.json, ProblemPage.page(of: code))
        },
    ]

    private static let anyFormat = Contract.Answer(accepted: nil, schemas: Contract.Answer.json(.anyObject).schemas)
    private static let schemas = Contract.Answer(
        schemas: [("application/schema+json", { $0.reference(.anyObject) })]
    )

    private static func get(
        _ line: String,
        _ answers: [Contract.Answer] = [.json(.anyObject)],
        for admission: Contract.Admission,
        _ reply: @escaping @Sendable (APIRequest, API) throws -> Reply
    ) -> APIEndpoint {
        APIEndpoint("GET \(line)", Contract(answers: answers, admission: admission)) { request, _ in
            .answer { api, _ in try reply(request, api) }
        }
    }
}
