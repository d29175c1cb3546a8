// SPDX-License-Identifier: Apache-2.0

// The endpoints of accounts, which exist if the access file has accounts.

import HTTPMessage
import JSON

extension APIEndpoint {
    static let accounts = [
        post(
            "sign-up signUp: Make an account, and sign in",
            .signUp,
            .json("The new account's tokens", status: 201, headers: ["location"]) { _ in tokens },
            problems: [.conflict],
            for: .everyone,
            changes: .stores,
            work: .password
        ) { request, api in
            let signUp = try SignUp(request, in: api)
            return .answer { api, _ in try api.signUp(signUp, from: request.sender) }
        },
        post(
            "sign-in signIn: Begin a session of an account",
            .members(["name", "password"]),
            .json { _ in tokens },
            for: .everyone,
            work: .password
        ) { request, _ in
            var body = try AccountBody(request)
            let name = body.text("name")
            let password = body.text("password")
            try body.check()
            return .answer { api, _ in try api.signIn(name: name, password: password, from: request.sender) }
        },
        post(
            "refresh refreshSession: Continue a session with new tokens",
            .members(["refreshToken"]),
            .json { _ in tokens },
            for: .everyone
        ) { request, _ in
            var body = try AccountBody(request)
            let token = body.text("refreshToken")
            try body.check()
            return .answer { api, _ in try api.refresh(token) }
        },
        post(
            "sign-out signOut: End the session, or all sessions of the account",
            .members([], optional: ["everywhere": ["type": "boolean"]]),
            .nothing,
            for: .byRules
        ) { request, _ in
            var body = try AccountBody(request)
            let everywhere = body.flag("everywhere")
            try body.check()
            return .answer { api, _ in try api.signOut(everywhere: everywhere, request.fields) }
        },
        post(
            "password changePassword: Change the account's password",
            .members(["old", "new"]),
            .nothing,
            problems: [.conflict],
            for: .byRules,
            changes: .stores,
            work: .password
        ) { request, _ in
            var body = try AccountBody(request)
            let old = body.text("old")
            let new = body.newPassword("new")
            try body.check()
            return .answer { api, _ in
                try api.changePassword(from: old, to: new, request.fields, from: request.sender)
            }
        },
        post(
            "reset requestReset: Send a message with a token for another password",
            .members(["name"]),
            .accepted,
            problems: [.notImplemented],
            for: .everyone
        ) { request, _ in
            var body = try AccountBody(request)
            let name = body.text("name")
            try body.check()
            return .answer { api, _ in try api.requestReset(of: name, from: request.sender) }
        },
        post(
            "reset/confirm confirmReset: Set another password",
            .members(["token", "password"]),
            .nothing,
            for: .everyone,
            changes: .stores,
            work: .password
        ) { request, _ in
            var body = try AccountBody(request)
            let token = body.text("token", limit: tokenLimit)
            let password = body.newPassword("password")
            try body.check()
            return .answer { api, _ in try api.confirmReset(token, password: password) }
        },
        post(
            "verify verifyAccount: Confirm the account's name",
            .members(["token"]),
            .nothing,
            for: .everyone,
            changes: .stores
        ) { request, _ in
            var body = try AccountBody(request)
            let token = body.text("token", limit: tokenLimit)
            try body.check()
            return .answer { api, _ in try api.verify(token) }
        },
        post(
            "verify/request requestVerification: Send another message with a token that confirms the name",
            .members([]),
            Contract.Answer(status: 202, text: "Accepted: a message is sent"),
            problems: [.notFound, .conflict, .notImplemented],
            for: .byRules
        ) { request, _ in
            var body = try AccountBody(request)
            try body.check()
            return .answer { api, _ in try api.requestVerification(request.fields, from: request.sender) }
        },
    ]

    private static let tokenLimit = 8 << 10

    private static func post(
        _ line: String,
        _ body: Contract.Body,
        _ answer: Contract.Answer,
        problems: [ProblemStatus] = [],
        for admission: Contract.Admission,
        changes effect: Contract.Effect = .sessions,
        work: Contract.Work = .short,
        plan: @escaping Planning
    ) -> APIEndpoint {
        APIEndpoint(
            "POST /api/auth/\(line)",
            Contract(
                body: body,
                answers: [answer],
                problems: problems + [.unauthorized, .tooManyRequests],
                changes: effect,
                work: work,
                admission: admission,
                presence: .withAccounts
            ),
            plan: plan
        )
    }

    private static let tokens = JSONValue.schema(
        "object",
        required: ["token", "refreshToken", "expires", "user"],
        [
            "token": "string", "refreshToken": "string", "expires": ["type": "string", "format": "date-time"],
            "user": ["type": "object"],
        ]
    )
}

extension Contract.Body {
    fileprivate static let signUp = Self(
        problems: empty.problems,
        schemas: [("application/json", { $0.description.signUp })]
    )

    /// Texts by name.
    fileprivate static func members(_ names: [String], optional others: JSONObject = JSONObject()) -> Self {
        let all = names.map { ($0, JSONValue.string("string")) } + others.members.map { ($0.name, $0.value) }
        var body = json { _ in .schema("object", required: names, JSONObject(all)) }
        body.problems = empty.problems
        body.isRequired = !names.isEmpty
        return body
    }
}

extension Contract.Answer {
    fileprivate static let accepted = Self(status: 202, text: "Accepted, whether or not there is such an account")
}
