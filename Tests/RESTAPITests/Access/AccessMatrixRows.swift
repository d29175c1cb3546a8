// SPDX-License-Identifier: Apache-2.0

// All endpoints, and what an identity needs for a request to each.

import HTTPMessage

@testable import RESTAPI

/// A request to an endpoint. Names in braces stand for the names of a model; `{id}` is the object's reference.
struct MatrixRow: Sendable {
    let endpoint: String
    let target: String
    var body: String?
    var type = "application/json"
    var needs: [MatrixNeed]
    /// The status if it is permitted.
    var status = 200
    var shown = MatrixShown.nothing
    /// What it needs below an editing context, if that differs.
    var needsInDraft: [MatrixNeed]?

    init(
        _ endpoint: String,
        _ target: String,
        _ body: String? = nil,
        type: String = "application/json",
        needs: [MatrixNeed] = [],
        answers status: Int = 200,
        showing shown: MatrixShown = .nothing,
        needsInDraft: [MatrixNeed]? = nil
    ) {
        self.endpoint = endpoint
        self.target = target
        self.body = body
        self.type = type
        self.needs = needs
        self.status = status
        self.shown = shown
        self.needsInDraft = needsInDraft
    }

    var method: HTTPMethod { HTTPMethod(String(endpoint.prefix { $0 != " " })) }

    func status(under rules: MatrixRules, inDraft: Bool) -> Int {
        let needs = inDraft ? needsInDraft ?? needs : needs
        return needs.lazy.compactMap { $0.refusal(rules) }.first ?? status
    }

    static let all = entities + objects + properties + others + contexts + administration + accounts

    private static let entities = [
        MatrixRow("GET /api/{entity}", "/api/{entity}?limit=1000", needs: [.entity], showing: .object),
        MatrixRow("GET /api/{entity}", "/api/{entity}?where={property} != nil", needs: [.entity, .condition]),
        MatrixRow("GET /api/{entity}", "/api/{entity}?sort={property}&select=title", needs: [.entity, .condition]),
        MatrixRow(
            "GET /api/{entity}",
            "/api/{entity}?result=dictionary&group=title&aggregate=n:max({property})",
            needs: [.entity, .condition]
        ),
        MatrixRow("GET /api/{entity}", "/api/{entity}?explain=true", needs: [.entity, .administration]),
        MatrixRow(
            "POST /api/{entity}",
            "/api/{entity}",
            #"{"title": "New"}"#,
            needs: [.entity, .creation],
            answers: 201
        ),
        MatrixRow(
            "POST /api/{entity}",
            "/api/{entity}",
            #"{"title": "New", "{property}": {value}}"#,
            needs: [.entity, .creation, .value],
            answers: 201
        ),
        MatrixRow("GET /api/{entity}/live", "/api/{entity}/live", needs: [.entity]),
        MatrixRow(
            "POST /api/{entity}/fetch",
            "/api/{entity}/fetch",
            #"{"limit": 1000}"#,
            needs: [.entity],
            showing: .object
        ),
        MatrixRow(
            "POST /api/{entity}/batch-insert",
            "/api/{entity}/batch-insert",
            #"[{"title": "New"}]"#,
            needs: [.entity, .creation],
            needsInDraft: [.entity, .administration]
        ),
        MatrixRow(
            "POST /api/{entity}/batch-insert",
            "/api/{entity}/batch-insert",
            #"[{"title": "New", "{property}": {value}}]"#,
            needs: [.entity, .creation, .value],
            needsInDraft: [.entity, .administration]
        ),
        MatrixRow(
            "POST /api/{entity}/batch-update",
            "/api/{entity}/batch-update",
            #"{"where": "title == '{title}'", "set": {"title": "New"}}"#,
            needs: [.entity],
            showing: .updates,
            needsInDraft: [.entity, .administration]
        ),
        MatrixRow(
            "POST /api/{entity}/batch-update",
            "/api/{entity}/batch-update",
            #"{"where": "title == '{title}'", "set": {"{property}": {value}}}"#,
            needs: [.entity, .value],
            showing: .updates,
            needsInDraft: [.entity, .value, .administration]
        ),
        MatrixRow(
            "POST /api/{entity}/batch-delete",
            "/api/{entity}/batch-delete",
            #"{"where": "title == '{title}'"}"#,
            needs: [.entity],
            showing: .deletions,
            needsInDraft: [.entity, .administration]
        ),
    ]

    private static let objects = [
        MatrixRow("GET /api/{entity}/{key}", "/api/{id}", needs: [.object], showing: .object),
        MatrixRow("GET /api/{entity}/{key}", "/api/{id}?select={property}", needs: [.object, .condition]),
        MatrixRow("PATCH /api/{entity}/{key}", "/api/{id}", #"{"title": "New"}"#, needs: [.object, .update]),
        MatrixRow(
            "PATCH /api/{entity}/{key}",
            "/api/{id}",
            #"{"{property}": {value}}"#,
            needs: [.object, .value, .update]
        ),
        MatrixRow(
            "PUT /api/{entity}/{key}",
            "/api/{id}",
            #"{"title": "New"}"#,
            needs: [.object, .update]
        ),
        MatrixRow("DELETE /api/{entity}/{key}", "/api/{id}", needs: [.object, .deletion], answers: 204),
        MatrixRow("GET /api/{entity}/{key}/history", "/api/{id}/history", needs: [.object]),
    ]

    private static let properties = [
        MatrixRow("GET /api/{entity}/{key}/{bytes}", "/api/{id}/{bytes}", needs: [.object]),
        MatrixRow(
            "PUT /api/{entity}/{key}/{bytes}",
            "/api/{id}/{bytes}",
            "bytes",
            type: "application/octet-stream",
            needs: [.object, .update],
            answers: 204
        ),
        MatrixRow(
            "DELETE /api/{entity}/{key}/{bytes}",
            "/api/{id}/{bytes}",
            needs: [.object, .update],
            answers: 204
        ),
        MatrixRow("GET /api/{entity}/{key}/{to-one}", "/api/{id}/{toOne}", needs: [.object]),
        MatrixRow(
            "PUT /api/{entity}/{key}/{to-one}",
            "/api/{id}/{toOne}",
            #""{otherOwner}""#,
            needs: [.object, .update]
        ),
        MatrixRow("GET /api/{entity}/{key}/{to-many}", "/api/{id}/{toMany}", needs: [.object]),
        MatrixRow(
            "PUT /api/{entity}/{key}/{to-many}",
            "/api/{id}/{toMany}",
            #"["{member}"]"#,
            needs: [.object, .update]
        ),
        MatrixRow(
            "POST /api/{entity}/{key}/{to-many}",
            "/api/{id}/{toMany}",
            #""{member}""#,
            needs: [.object, .update]
        ),
        MatrixRow(
            "PUT /api/{entity}/{key}/{to-many}/{target}",
            "/api/{id}/{toMany}/{memberKey}",
            needs: [.object, .update]
        ),
        MatrixRow(
            "DELETE /api/{entity}/{key}/{to-many}/{target}",
            "/api/{id}/{toMany}/{ownKey}",
            needs: [.object, .update]
        ),
        MatrixRow("GET /api/{entity}/{key}/{fetched}", "/api/{id}/{fetched}", needs: [.object]),
        MatrixRow(
            "GET /api/{entity}/{key}/{to-many}",
            "/api/{own}/{inverse}?limit=1000",
            needs: [.entity],
            showing: .object
        ),
    ]

    private static let others = [
        MatrixRow(
            "POST /api/transaction",
            "/api/transaction",
            #"{"operations": [{"update": "{id}", "values": {"title": "New"}}]}"#,
            needs: [.reference, .update]
        ),
        MatrixRow(
            "POST /api/transaction",
            "/api/transaction",
            #"{"operations": [{"update": "{id}", "values": {"{property}": {value}}}]}"#,
            needs: [.reference, .value, .update]
        ),
        MatrixRow(
            "POST /api/transaction",
            "/api/transaction",
            #"{"operations": [{"insert": "{Entity}", "id": "$n", "values": {"title": "New"}}]}"#,
            needs: [.namedEntity, .creation]
        ),
        MatrixRow(
            "POST /api/transaction",
            "/api/transaction",
            #"{"operations": [{"delete": "{id}"}]}"#,
            needs: [.reference, .deletion]
        ),
        MatrixRow("GET /api/queries", "/api/queries"),
        MatrixRow("GET /api/queries/{query}", "/api/queries/{query}", needs: [.entity], showing: .object),
        MatrixRow("GET /api", "/api"),
        MatrixRow("GET /api/model", "/api/model", showing: .name),
        MatrixRow("GET /openapi.json", "/openapi.json", showing: .name),
        MatrixRow("GET /schemas/{entity}", "/schemas/{Entity}", needs: [.entity], showing: .name),
        MatrixRow("GET /problems", "/problems"),
        MatrixRow("GET /problems/{code}", "/problems/forbidden"),
        MatrixRow("GET /healthz", "/healthz"),
        MatrixRow("GET /readyz", "/readyz"),
    ]

    private static let contexts = [
        MatrixRow("GET /api/contexts", "/api/contexts"),
        MatrixRow("POST /api/contexts", "/api/contexts", "{}", answers: 201),
        MatrixRow("GET /api/contexts/{context}", "{context}"),
        MatrixRow("GET /api/contexts/{context}/changes", "{context}/changes"),
        MatrixRow("GET /api/contexts/{context}/openapi.json", "{context}/openapi.json", showing: .name),
        MatrixRow("GET /api/contexts/{context}/events", "{context}/events", needs: [.administration]),
        MatrixRow("POST /api/contexts/{context}/validate", "{context}/validate", "{}", needs: [.administration]),
        MatrixRow("POST /api/contexts/{context}/save", "{context}/save", "{}"),
        MatrixRow("POST /api/contexts/{context}/undo", "{context}/undo", "{}"),
        MatrixRow("POST /api/contexts/{context}/redo", "{context}/redo", "{}"),
        MatrixRow("POST /api/contexts/{context}/rollback", "{context}/rollback", "{}"),
        MatrixRow("POST /api/contexts/{context}/reset", "{context}/reset", "{}"),
        MatrixRow("POST /api/contexts/{context}/refresh", "{context}/refresh", "{}", needs: [.administration]),
        MatrixRow("DELETE /api/contexts/{context}", "{context}", answers: 204),
    ]

    /// What changes nothing if it is permitted, since the server has no hooks and its model can't be changed.
    private static let administration = [
        MatrixRow("GET /api/history", "/api/history?limit=0"),
        MatrixRow("DELETE /api/history", "/api/history?before={token}"),
        MatrixRow("GET /api/history/stream", "/api/history/stream"),
        MatrixRow("GET /api/history/consumers", "/api/history/consumers"),
        MatrixRow("PUT /api/history/consumers/{consumer}", "/api/history/consumers/a", #"{"token": "{token}"}"#),
        MatrixRow("GET /api/history/consumers/{consumer}", "/api/history/consumers/a"),
        MatrixRow("DELETE /api/history/consumers/{consumer}", "/api/history/consumers/a", answers: 204),
        MatrixRow("GET /api/hooks", "/api/hooks"),
        MatrixRow("GET /api/hooks/{hook}", "/api/hooks/a", answers: 404),
        MatrixRow("POST /api/hooks/{hook}/retry", "/api/hooks/a/retry", "{}", answers: 404),
        MatrixRow("POST /api/hooks/{hook}/pause", "/api/hooks/a/pause", "{}", answers: 404),
        MatrixRow("POST /api/hooks/{hook}/resume", "/api/hooks/a/resume", "{}", answers: 404),
        MatrixRow("DELETE /api/hooks/{hook}/dead-letters", "/api/hooks/a/dead-letters", answers: 404),
        MatrixRow("DELETE /api/hooks/{hook}/dead-letters/{delivery}", "/api/hooks/a/dead-letters/1", answers: 404),
        MatrixRow("POST /api/model", "/api/model", "{}", answers: 409),
        MatrixRow("GET /api/auth/rules", "/api/auth/rules"),
        MatrixRow("POST /api/auth/rules/test", "/api/auth/rules/test", "[]"),
        MatrixRow("GET /api/stats", "/api/stats"),
        MatrixRow("GET /metrics", "/metrics"),
    ].map { row in
        var row = row
        row.needs = [.administration]
        return row
    }

    /// Nothing of them depends on rules for objects. Bodies without members don't get further.
    private static let accounts =
        ["sign-up", "sign-in", "refresh", "password", "reset", "reset/confirm", "verify"].map {
            MatrixRow("POST /api/auth/\($0)", "/api/auth/\($0)", "{}", answers: 422)
        } + [
            MatrixRow("POST /api/auth/sign-out", "/api/auth/sign-out", "{}", answers: 403),
            MatrixRow("POST /api/auth/verify/request", "/api/auth/verify/request", "{}", answers: 404),
            MatrixRow("GET /api/auth/me", "/api/auth/me"),
        ]
}
