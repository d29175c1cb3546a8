// SPDX-License-Identifier: Apache-2.0

// `outcrop access explain`

import AccessRules
import Arguments
import Identities
import JSON
import ObjectModel
import SourceText

extension AccessCommand {
    private static let role = Option<String>("role", value: "ROLE", "The role.")
    private static let entityName = Option<String>("entity", value: "ENTITY", "The entity of the objects.")

    private static let number = Option<Int?>(
        "id",
        value: "N",
        "The number of an object in the store: shows what the role may do with it."
    )
    private static let claims = Option<ClaimsArgument?>(
        "claims",
        value: "JSON",
        "The claims of a token, for conditions with $CLAIMS and $USER; with --id."
    )

    static let explain = Command<Action>(
        "explain",
        "Show what a role may do with the objects of an entity, and why.",
        discussion: """
            For each verb, shows the rules that permit it: the predicate, the role and the entity that they are inherited from. Then
            the properties that can't be read or written, and the values that a creation sets. With --store and --id, shows what
            the role may do with an object as it is.
            """,
        examples: [
            Example("outcrop access explain access.json --model App.xcdatamodeld --role member --entity Post"),
            Example("outcrop access explain access.json --store App.sqlite --role member --entity Post --id 3"),
        ],
        exitCodes: [
            ExitCode(0, "Fine."), ExitCode(1, "The file has mistakes, or no such role."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [file, role, entityName, model, store, number, claims]
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
        guard let number = parsed[number] else {
            guard parsed[claims] == nil else { throw Failure("--claims requires --id.", status: .usage) }
            return Report(text: explanation.text, json: .object(explanation.json))
        }
        guard let store = parsed[store] else {
            throw Failure("--id requires --store, the store that has the object.", status: .usage)
        }
        let object = "\(entity.userInfo["path"] ?? entity.name)/\(number)"
        let trial = try AccessTrial(parsed[file], store: store, model: parsed[Self.model])
        let verbs = try trial.permissions(of: [role], claims: parsed[claims]?.claims ?? JSONObject(), on: object)
        guard let verbs else { throw Failure("The store has no object \(object).") }
        var json = explanation.json
        json["object"] = .string(object)
        json["may"] = .array(AccessVerb.sorted(verbs).map { .string($0.rawValue) })
        let words = AccessVerb.sorted(verbs).map(\.rawValue)
        let may = words.isEmpty ? "can't be read" : "\(role) may \(Wording.list(words)) it"
        return Report(text: explanation.text + StyledText("\n\(object): \(may)."), json: .object(json))
    }
}
