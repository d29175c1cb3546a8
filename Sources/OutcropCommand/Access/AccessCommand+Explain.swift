// SPDX-License-Identifier: Apache-2.0

// `outcrop access explain`

import AccessRules
import Arguments
import ObjectModel
import SourceText

extension AccessCommand {
    private static let role = Option<String>("role", value: "ROLE", "The role.")
    private static let entityName = Option<String>("entity", value: "ENTITY", "The entity of the objects.")

    static let explain = Command<Action>(
        "explain",
        "Show what a role may do with the objects of an entity, and why.",
        discussion: """
            For each verb, shows the rules that permit it: the predicate, the role and the entity that they are inherited from. Then
            the properties that can't be read or written, and the values that a creation sets.
            """,
        examples: [
            Example("outcrop access explain access.json --model App.xcdatamodeld --role member --entity Post")
        ],
        exitCodes: [
            ExitCode(0, "Fine."), ExitCode(1, "The file has mistakes, or no such role."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [file, role, entityName, model, store]
    ) { parsed, _ in
        let model = try model(parsed)
        let policy = try policy(parsed[file], for: model)
        let role = parsed[role]
        guard policy.roles[role] != nil else {
            let roles = policy.roles.keys.sorted()
            throw Failure(
                "There is no role “\(role.printable())”.",
                hint: Spelling.hint(for: role, among: roles) ?? "Roles: \(roles.joined(separator: ", "))."
            )
        }
        let version = ModelVersion(name: "", model: model)
        let path = parsed[Self.model] ?? parsed[store]?.path ?? ""
        let entity = try ModelFiles.entity(named: parsed[entityName], in: version, at: path)
        let explanation = RoleExplanation(of: role, on: entity, in: model, by: policy)
        return Report(text: explanation.text, json: explanation.json)
    }
}
