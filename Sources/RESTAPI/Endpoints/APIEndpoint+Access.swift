// SPDX-License-Identifier: Apache-2.0

// The endpoints of access rules, which exist if the server has some.

import AccessRules
import HTTPMessage
import JSON

extension APIEndpoint {
    static let access = [
        APIEndpoint(
            "GET /api/auth/me getOwnIdentity: Who sends the request, and with which roles",
            Contract(answers: [.json { _ in identity }], admission: .byRules, presence: .withAccessRules)
        ) { _, _ in .answer { api, _ in try api.ownIdentity() } },
        APIEndpoint(
            "GET /api/auth/rules getAccessRules: The roles and rules in force",
            Contract(answers: [.json(.anyObject)], presence: .withAccessRules)
        ) { _, _ in .answer { api, _ in Reply(.json(.object(try api.servedRules.policy.json))) } },
        APIEndpoint(
            "POST /api/auth/rules/test testAccessRules: Compare the rules with expectations",
            Contract(
                body: .json { _ in .list(of: expectation) },
                answers: [.json { _ in outcomes }],
                changes: .nothing,
                presence: .withAccessRules
            )
        ) { request, _ in
            let expectations = try [AccessExpectation](request)
            return .answer { api, _ in try api.test(expectations) }
        },
    ]

    private static let identity = JSONValue.schema(
        "object",
        required: ["name", "user", "roles", "claims"],
        [
            "name": "string", "user": ["type": ["object", "null"]], "roles": .list(of: ["type": "string"]),
            "claims": ["type": "object"],
        ]
    )
    private static let expectation = JSONValue.schema(
        "object",
        required: ["as", "may", "expect"],
        [
            "name": "string", "as": ["type": "object"], "may": ["enum": ["read", "create", "update", "delete"]],
            "object": "string", "entity": "string", "expect": "boolean",
        ]
    )
    private static let outcomes = JSONValue.schema(
        "object",
        required: ["ok", "results"],
        ["ok": "boolean", "results": .list(of: ["type": "object"])]
    )
}
