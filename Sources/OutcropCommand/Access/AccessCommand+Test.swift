// SPDX-License-Identifier: Apache-2.0

// `outcrop access test`

import AccessRules
import Arguments
import Identities
import JSON
import RESTAPI
import SourceText

extension AccessCommand {
    private static let tests = Argument<String>(
        "TESTS",
        "The file of expectations.",
        completion: AccessFiles.completion
    )
    private static let testedStore = Option<StoreLocation>(
        "store",
        value: "STORE",
        "The store with the objects.",
        completion: StoreFiles.completion
    )

    static let test = Command<Action>(
        "test",
        "Compare access rules with expectations, on the objects of a store.",
        discussion: """
            The expectations are a JSON list. Each says what an identity may do with an object of the store, or whether it may create
            objects of an entity, and whether that is expected. An object is changeable if it is readable and its rule permits
            a change of it as it is; what it would become isn't judged. The store isn't changed.

            An expectation is {"as": {"roles": ["member"]}, "may": "read", "object": "posts/1", "expect": true}. “as” can be an
            account: {"user": "users/1"}. For “may”: “create”, it has an “entity” instead of an “object”.
            """,
        examples: [
            Example(
                #"echo '[{"as":{"user":"users/1"},"may":"update","object":"posts/2","expect":false}]' > expectations.json"#,
                "A file of expectations."
            ), Example("outcrop access test access.json expectations.json --store App.sqlite"),
        ],
        exitCodes: [
            ExitCode(0, "All is as expected."), ExitCode(1, "Something differs, or a file has mistakes."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [file, tests, testedStore, model]
    ) { parsed, _ in
        let trial = try AccessTrial(parsed[file], store: parsed[testedStore], model: parsed[model])
        let expectations = try AccessExpectation.list(in: parsed[tests])
        var differences: [(expectation: AccessExpectation, reason: String)] = []
        for expectation in expectations {
            if let reason = try difference(from: expectation, in: trial) { differences.append((expectation, reason)) }
        }
        var lines = differences.map { expectation, reason in
            StyledText("differs: ", .red) + StyledText("\(expectation.place): \(expectation.sentence): \(reason)")
        }
        let count = Wording.count(expectations.count, "expectation")
        lines.append(StyledText(differences.isEmpty ? "\(count), all met" : "\(count), \(differences.count) not met"))
        return Report(
            text: lines.joined(separator: "\n"),
            json: [
                "ok": .bool(differences.isEmpty), "expectations": .integer(expectations.count),
                "differences": .array(
                    differences.map { expectation, reason in
                        [
                            "place": .string(expectation.place), "expectation": .string(expectation.sentence),
                            "reason": .string(reason),
                        ]
                    }
                ),
            ],
            status: differences.isEmpty ? .fine : .problems
        )
    }

    /// Why an expectation isn't met; nil if it is.
    private static func difference(from expectation: AccessExpectation, in trial: AccessTrial) throws -> String? {
        if let role = expectation.roles?.sorted().first(where: { trial.policy.roles[$0] == nil }) {
            return "There is no role “\(role.printable())”."
        }
        let identity = try trial.identity(
            roles: expectation.roles,
            claims: expectation.claims,
            user: expectation.user
        )
        guard let identity else { return "There is no account “\((expectation.user ?? "").printable())”." }
        let isPermitted: Bool
        switch expectation.subject {
        case .entity(let name):
            guard let entity = trial.entity(named: name) else { return "There is no such entity." }
            isPermitted = trial.permitsCreation(of: entity, by: identity.roles)
        case .object(let name):
            guard let verbs = try trial.permissions(of: identity, on: name) else { return "There is no such object." }
            isPermitted = verbs.contains(expectation.verb)
        }
        guard isPermitted != expectation.isExpected else { return nil }
        return isPermitted ? "It may." : "It may not."
    }
}
