// SPDX-License-Identifier: Apache-2.0

// The endpoints of the history.

import HTTPMessage
import JSON
import ObjectGraph

extension APIEndpoint {
    static let history = [
        APIEndpoint(
            "GET /api/history getHistory: Read what has changed",
            Contract(parameters: Contract.Parameter.history, answers: [.history], problems: [.gone])
        ) { request, api in
            let plan = try HistoryPlan(request, in: api)
            return .answer { api, _ in try api.history(plan) }
        },
        APIEndpoint(
            "DELETE /api/history trimHistory: Remove transactions that no consumer needs",
            Contract(parameters: [.before], answers: [.json(.anyObject)])
        ) { request, _ in
            var parameters = request.parameters
            guard let token = try parameters.readToken("before") else {
                throw Problem(
                    .parameter,
                    "The parameter “before” is missing.",
                    hint: "DELETE /api/history?before=TOKEN removes the transactions up to that token."
                )
            }
            return .answer { api, _ in try api.trimHistory(through: token) }
        },
        APIEndpoint(
            "GET /api/history/stream streamHistory: Stream what changes",
            Contract(
                parameters: Contract.Parameter.history.filter { $0.name != "limit" } + [.lastEventID],
                answers: [.text("Server-Sent Events of the kind `transaction`", .eventStream)],
                problems: [.gone]
            )
        ) { request, api in
            let plan = try HistoryPlan(request, in: api)
            let last = try request.fields["Last-Event-ID"].map { text throws(Problem) in
                try HistoryToken(reading: text, from: "Last-Event-ID")
            }
            return .answer { api, _ in try api.historyStream(plan, after: last) }
        },
        APIEndpoint(
            "GET /api/history/consumers listHistoryConsumers: List the registered consumers",
            Contract(answers: [.json(.anyObject)])
        ) { _, _ in .answer { api, _ in try api.historyConsumers() } },
        APIEndpoint(
            "GET /api/history/consumers/{consumer} getHistoryConsumer: Read a consumer's position",
            Contract(answers: [.json(.anyObject)], problems: [.notFound])
        ) { request, _ in
            let name = request.path.name
            return .answer { api, _ in try api.historyConsumer(name) }
        },
        APIEndpoint(
            "PUT /api/history/consumers/{consumer} setHistoryConsumer: Register a consumer, or move it",
            Contract(
                body: .json { $0.reference(.historyPosition) },
                answers: [.json(.anyObject)],
                problems: [.gone]
            )
        ) { request, _ in
            let name = request.path.name
            let token = try HistoryToken(body: request)
            return .answer { api, _ in try api.setHistoryConsumer(name, to: token) }
        },
        APIEndpoint(
            "DELETE /api/history/consumers/{consumer} removeHistoryConsumer: Remove a consumer",
            Contract(answers: [.nothing], problems: [.notFound])
        ) { request, _ in
            let name = request.path.name
            return .answer { api, _ in try api.removeHistoryConsumer(name) }
        },
    ]

    static let objectHistory = APIEndpoint(
        "GET /api/{entity}/{key}/history get{entity}History: Read an object's history",
        Contract(
            parameters: Contract.Parameter.objectHistory,
            answers: [.history],
            problems: [.gone],
            admission: .byRules
        )
    ) { request, api in
        let plan = try HistoryPlan(request, of: request.path.location, in: api)
        return .answer { api, _ in try api.history(plan) }
    }
}

extension HistoryToken {
    /// `{"token": …}`
    fileprivate init(body request: APIRequest) throws(Problem) {
        let body = try request.json()
        guard let text = body["token"]?.string, body.object?.count == 1 else {
            throw Problem(.parameter, "The body must be {\"token\": …} with a token of the history.")
        }
        try self.init(reading: text, from: "“token”")
    }
}
