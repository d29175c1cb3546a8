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
        let path = parsed[tests]
        let trial = try trial(parsed[file], store: parsed[testedStore], model: parsed[model])
        let expectations = try AccessFiles.expectations(in: path)
        let differences = try expectations.compactMap { expectation -> Difference? in
            try trial.outcome(of: expectation).difference.map { reason in
                let place = expectation.position.map { "\(path):\($0)" } ?? path
                return Difference(place: place, sentence: expectation.sentence, reason: reason)
            }
        }
        var lines = differences.map {
            StyledText("differs: ", .red) + StyledText("\($0.place): \($0.sentence): \($0.reason)")
        }
        let count = Wording.count(expectations.count, "expectation")
        lines.append(StyledText(differences.isEmpty ? "\(count), all met" : "\(count), \(differences.count) not met"))
        return Report(
            text: lines.joined(separator: "\n"),
            json: [
                "ok": .bool(differences.isEmpty), "expectations": .integer(expectations.count),
                "differences": .array(
                    differences.map {
                        [
                            "place": .string($0.place), "expectation": .string($0.sentence),
                            "reason": .string($0.reason),
                        ]
                    }
                ),
            ],
            status: differences.isEmpty ? .fine : .problems
        )
    }

    private struct Difference {
        let place: String
        let sentence: String
        let reason: String
    }
}
