// SPDX-License-Identifier: Apache-2.0

// The rules of a server, for those who administer it.

import AccessRules
import HTTPMessage
import JSON

/// The rules that the requests of an identity's API are judged by.
struct ServedRules: Sendable {
    let policy: AccessPolicy
    /// The server's own API, which has all names of the model.
    private weak let base: API?

    init(_ policy: AccessPolicy, of base: API) {
        self.policy = policy
        self.base = base
    }

    var trial: AccessTrial {
        get throws(Problem) {
            guard let base else { throw .draining }
            return AccessTrial(policy, on: base)
        }
    }
}

extension API {
    /// The rules, or the problem that there are none.
    var servedRules: ServedRules {
        get throws(Problem) {
            guard let rules else { throw .noAccessRules }
            return rules
        }
    }

    /// The problem with a path that only some servers have; nil if this one has it.
    func missing(_ presence: Contract.Presence) -> Problem? {
        switch presence {
        case .always: nil
        case .withAccessRules: rules == nil ? .noAccessRules : nil
        case .withAccounts: accounts == nil ? .noAccounts : nil
        }
    }

    /// Who sends the request.
    func ownIdentity() throws -> Reply {
        let rules = try servedRules
        guard let identity, !identity.isAnonymous else {
            throw Problem.unauthenticated("A credential is needed.")
        }
        let account = access?.user ?? identity.account.flatMap { accounts?.objectID(forURI: $0) }
        let roles = rules.policy.closure(of: identity.roles).sorted()
        return Reply(
            .json([
                "name": .string(identity.name), "user": try account.map(shownAccount) ?? .null,
                "roles": .array(roles.map(JSONValue.string)), "claims": .object(identity.claims),
            ])
        )
    }

    /// Compares the rules with expectations, on the stored objects.
    func test(_ expectations: [AccessExpectation]) throws -> Reply {
        let trial = try servedRules.trial
        let outcomes = try expectations.map(trial.outcome)
        return Reply(
            .json([
                "ok": .bool(outcomes.allSatisfy { $0.difference == nil }),
                "results": .array(outcomes.map { .object($0.json) }),
            ])
        )
    }
}

extension AccessTrial.Outcome {
    fileprivate var json: JSONObject {
        [
            "expectation": .string(expectation.sentence), "met": .bool(difference == nil),
            "permitted": isPermitted.map(JSONValue.bool) ?? .null, "reason": difference.map(JSONValue.string) ?? .null,
            "rules": decision?.json["rules"] ?? [],
        ]
    }
}

extension Array<AccessExpectation> {
    /// The most that one request may have.
    private static let limit = 1_000

    /// The expectations of a body. Throws all mistakes.
    init(_ request: APIRequest) throws(Problem) {
        let value = try request.json()
        let place = BodyPosition(object: "expectations")
        var findings = Findings()
        self = []
        if let count = value.array?.count, count > Self.limit {
            findings.add(
                .length,
                "There are \(count) expectations; at most \(Self.limit) are tested at once.",
                at: place
            )
            try findings.check()
        }
        do throws(AccessProblems) {
            self = try AccessExpectation.list(value)
        } catch {
            for problem in error.problems {
                var place = problem.path.isEmpty ? place : place.part(problem.path)
                place.position = problem.position
                findings.add(.type, problem.message, hint: problem.hint, at: place)
            }
        }
        try findings.check()
    }
}

extension Problem {
    static let noAccessRules = Problem(
        .notFound,
        "The server has no access rules.",
        hint: "outcrop serve --access FILE gives it some."
    )
}
