// SPDX-License-Identifier: Apache-2.0

// The endpoints of the server's hooks.

import HTTPMessage
import JSON

extension APIEndpoint {
    static let hooks = [
        APIEndpoint("GET /api/hooks listHooks: List the hooks and their states", Contract(answers: [.json(.anyObject)]))
        {
            _,
            _ in .answer { api, _ in try api.listHooks() }
        },
        APIEndpoint(
            "GET /api/hooks/{hook} getHook: Read a hook's state and its dead letters",
            Contract(answers: [.json(.anyObject)], problems: [.notFound])
        ) { request, _ in
            let name = request.path.name
            return .answer { api, _ in try api.hook(name) }
        },
        APIEndpoint(
            "POST /api/hooks/{hook}/retry retryHook: Deliver dead letters again",
            Contract(
                parameters: [.delivery],
                body: .empty,
                answers: [.json(.anyObject, "They are being delivered", status: 202)],
                problems: [.notFound],
                changes: .nothing
            )
        ) { request, _ in
            let name = request.path.name
            let delivery = try delivery(of: request)
            return .answer { api, _ in try api.retryHook(name, delivery) }
        },
        APIEndpoint(
            "POST /api/hooks/{hook}/pause pauseHook: Deliver nothing until the hook is resumed",
            Contract(body: .empty, answers: [.json(.anyObject)], problems: [.notFound], changes: .nothing)
        ) { request, _ in
            try ContextBody(request).check()
            let name = request.path.name
            return .answer { api, _ in try api.pauseHook(name) }
        },
        APIEndpoint(
            "POST /api/hooks/{hook}/resume resumeHook: Continue a paused or disabled hook",
            Contract(body: .empty, answers: [.json(.anyObject)], problems: [.notFound], changes: .nothing)
        ) { request, _ in
            try ContextBody(request).check()
            let name = request.path.name
            return .answer { api, _ in try api.resumeHook(name) }
        },
        APIEndpoint(
            "DELETE /api/hooks/{hook}/dead-letters removeDeadLetters: Remove a hook's dead letters",
            Contract(answers: [.nothing], problems: [.notFound], changes: .nothing)
        ) { request, _ in
            let name = request.path.name
            return .answer { api, _ in try api.removeLetters(nil, ofHook: name) }
        },
        APIEndpoint(
            "DELETE /api/hooks/{hook}/dead-letters/{delivery} removeDeadLetter: Remove a dead letter",
            Contract(answers: [.nothing], problems: [.notFound], changes: .nothing)
        ) { request, _ in
            let path = request.path
            return .answer { api, _ in try api.removeLetters(path.target, ofHook: path.name) }
        },
    ]

    private static func delivery(of request: APIRequest) throws(Problem) -> String? {
        try ContextBody(request).check()
        var parameters = request.parameters
        return try parameters.read("delivery")
    }
}
