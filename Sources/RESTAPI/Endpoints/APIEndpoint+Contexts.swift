// SPDX-License-Identifier: Apache-2.0

// The endpoints of editing contexts as a whole. Objects in a context have the endpoints of `areasInContexts`.

import HTTPMessage
import JSON
import ObjectGraph

extension APIEndpoint {
    static let contexts = [
        APIEndpoint(
            "GET /api/contexts listContexts: List the open editing contexts",
            Contract(answers: [.json { $0.description.contextList }], admission: .byRules)
        ) { _, _ in .answer { api, _ in Reply(.json(try api.editingContexts.list(for: api.access))) } },
        APIEndpoint(
            "POST /api/contexts openContext: Open an editing context, a draft of any part of the graph",
            Contract(
                body: .optional(.contextSettings),
                answers: [.json(.context, "The opened context", status: 201)],
                problems: [.notFound, .gone],
                changes: .draft,
                admission: .byRules
            )
        ) { request, api in
            let (settings, parent) = try ContextSettings.opening(request, in: api)
            return .answer { try $0.editingContexts.open(settings, parent: parent, recorder: $1, in: $0) }
        },
        APIEndpoint(
            "GET /api/contexts/{context} getContext: Read an editing context's status",
            Contract(answers: [.json(.context)], admission: .byRules)
        ) { request, _ in
            .answer { api, _ in
                try api.withContext(of: request) { Reply(.json(try api.editingContexts.status(of: $0))) }
            }
        },
        APIEndpoint(
            "DELETE /api/contexts/{context} endContext: End an editing context and its descendants",
            Contract(answers: [.nothing], changes: .draft, admission: .byRules)
        ) { request, _ in
            .answer { api, _ in
                try api.editingContexts.end(named: request.path.name, for: api.access)
                return Reply(.none, status: .noContent)
            }
        },
        APIEndpoint(
            "GET /api/contexts/{context}/changes getContextChanges: List an editing context's pending changes",
            Contract(answers: [.json(.contextChanges)], admission: .byRules),
            plan: ofContext { context, api, _ in try context.changes(in: api) }
        ),
        APIEndpoint(
            "GET /api/contexts/{context}/openapi.json getContextDocument: "
                + "The OpenAPI document of an editing context",
            Contract(answers: [.json(.anyObject)], admission: .byRules),
            plan: ofContext { _, api, _ in Reply(.json(api.openAPIDocument)) }
        ),
        APIEndpoint(
            "GET /api/contexts/{context}/events getContextEvents: Stream the changes that others save",
            Contract(answers: [.text("Server-Sent Events of the kind `merge`", .eventStream)]),
            plan: ofContext { context, api, _ in context.events(in: api) }
        ),
        APIEndpoint(
            "POST /api/contexts/{context}/validate validateContext: Validate the pending changes",
            Contract(body: .empty, answers: [.json { $0.description.validation }], changes: .nothing),
            plan: ofContext { context, api, _ in try context.validate(in: api) }
        ),
        APIEndpoint(
            "POST /api/contexts/{context}/save saveContext: Save to the stores or to the parent",
            Contract(
                parameters: [.prefer],
                body: .empty,
                answers: [.json { $0.description.savedContext }],
                problems: [.conflict, .storeFull],
                admission: .byRules
            )
        ) { request, _ in
            try ContextBody(request).check()
            return .answer { api, recorder in
                try api.withContext(of: request) {
                    try $0.save(
                        request.preferences,
                        author: request.author,
                        recorder: recorder,
                        in: $0.api(for: api),
                        accounts: api.accounts
                    )
                }
            }
        },
        step("undo", "Undo the last request") { try $0.undo() },
        step("redo", "Redo the last undone request") { try $0.redo() },
        step("rollback", "Discard the pending changes") { $0.rollback() },
        step("reset", "Discard the pending changes and all loaded objects") { $0.reset() },
        APIEndpoint(
            "POST /api/contexts/{context}/refresh refreshContext: Refresh some objects or all",
            Contract(body: .optional(.refresh), answers: [.json(.pending)], changes: .draft)
        ) { request, api in
            let plan = try RefreshPlan(request, in: api)
            return .answer { api, recorder in
                try api.withContext(of: request) { try $0.refresh(plan, recorder: recorder) }
            }
        },
    ]

    /// An endpoint that undoes, redoes or discards pending changes.
    private static func step(
        _ name: String,
        _ summary: String,
        _ step: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> APIEndpoint {
        APIEndpoint(
            "POST /api/contexts/{context}/\(name) \(name)Context: \(summary)",
            Contract(body: .empty, answers: [.json(.pending)], changes: .draft, admission: .byRules),
            plan: ofContext { context, _, recorder in try context.step(recorder, step) }
        )
    }

    /// Plans a request to one editing context that has no members in its body. The closure gets the context and its API.
    private static func ofContext(
        _ answer: @escaping @Sendable (EditingContext, API, AnswerRecorder?) throws -> Reply
    ) -> Planning {
        { request, _ in
            if request.method == .post { try ContextBody(request).check() }
            return .answer { api, recorder in
                try api.withContext(of: request) { try answer($0, $0.api(for: api), recorder) }
            }
        }
    }
}

extension API {
    fileprivate var editingContexts: EditingContexts {
        get throws(Problem) {
            guard let contexts else {
                throw Problem(.notFound, "An editing context has no editing contexts of its own.")
            }
            return contexts
        }
    }

    /// Answers with the context that the path names, and holds it meanwhile.
    fileprivate func withContext(
        of request: APIRequest,
        _ answer: (EditingContext) throws -> Reply
    ) throws -> Reply {
        let context = try editingContexts.held(request.path.name, in: self)
        defer { context.head.release() }
        return try answer(context)
    }
}
