// SPDX-License-Identifier: Apache-2.0

// `outcrop access explain`

import AccessRules
import Arguments
import Identities
import JSON
import ObjectModel
import RESTAPI
import SourceText

extension AccessCommand {
    private static let role = Option<String?>("role", value: "ROLE", "The role. By default those of the account.")
    private static let user = Option<String?>(
        "as",
        value: "USER",
        "The account that is $USER, such as users/1; with --store."
    )
    private static let entityName = Option<String>("entity", value: "ENTITY", "The entity of the objects.")

    private static let number = Option<Int?>(
        "id",
        value: "N",
        "The number of an object in the store: shows what may be done with it."
    )
    private static let claims = Option<ClaimsArgument?>(
        "claims",
        value: "JSON",
        "The claims of a token, for conditions with $CLAIMS and $USER; with --id."
    )

    static let explain = Command<Action>(
        "explain",
        "Show what a role or an account may do with the objects of an entity, and why.",
        discussion: """
            For each verb, shows the rules that permit it: the predicate, the role and the entity that they are inherited from. Then
            the properties that can't be read or written, and the values that a creation sets. With --store and --id, shows what
            may be done with an object as it is. With --as, an account of the store has its own roles, unless --role gives
            another one.
            """,
        examples: [
            Example("outcrop access explain access.json --model App.xcdatamodeld --role member --entity Post"),
            Example("outcrop access explain access.json --store App.sqlite --role member --entity Post --id 3"),
            Example("outcrop access explain access.json --store App.sqlite --as users/1 --entity Post --id 3"),
        ],
        exitCodes: [
            ExitCode(0, "Fine."), ExitCode(1, "The file has mistakes, or no such role or account."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [file, role, user, entityName, model, store, number, claims]
    ) { parsed, _ in
        let model = try model(parsed)
        let policy = try policy(parsed[file], for: model)
        let role = parsed[role]
        if let role, policy.roles[role] == nil {
            let roles = policy.roles.keys.sorted()
            throw Failure(
                "There is no role “\(role.printable())”.",
                hint: Spelling.hint(for: role, among: roles)
                    ?? (roles.isEmpty ? "The file has no “roles”." : "Roles: \(roles.joined(separator: ", ")).")
            )
        }
        let version = ModelVersion(name: "", model: model)
        let path = parsed[Self.model] ?? parsed[store]?.path ?? ""
        let entity = try ModelFiles.entity(named: parsed[entityName], in: version, at: path)
        let user = parsed[user]
        let trial = try parsed[number] == nil && user == nil ? nil : trial(parsed)
        let claims = parsed[claims]?.claims
        let identity = try identity(of: user, as: role, claims: claims, in: trial)
        let explanation = RoleExplanation(
            of: identity.roles.sorted(),
            account: role == nil ? user : nil,
            on: entity,
            in: model,
            by: policy
        )
        guard let number = parsed[number], let trial else {
            guard claims == nil else { throw Failure("--claims requires --id.", status: .usage) }
            return Report(text: explanation.text, json: .object(explanation.json))
        }
        let object = "\(entity.userInfo["path"] ?? entity.name)/\(number)"
        guard let verbs = try trial.permissions(of: identity, on: object) else {
            throw Failure("The store has no object \(object).")
        }
        var json = explanation.json
        json["object"] = .string(object)
        json["may"] = .array(AccessVerb.sorted(verbs).map { .string($0.rawValue) })
        let words = AccessVerb.sorted(verbs).map(\.rawValue)
        let subject = user ?? explanation.subject
        let may = words.isEmpty ? "can't be read" : "\(subject) may \(Wording.list(words)) it"
        return Report(text: explanation.text + StyledText("\n\(object): \(may)."), json: .object(json))
    }

    private static func trial(_ parsed: ParsedArguments) throws -> AccessTrial {
        guard let store = parsed[store] else {
            let message =
                parsed[user] == nil
                ? "--id requires --store, the store that has the object."
                : "--as requires --store, the store that has the account."
            throw Failure(message, status: .usage)
        }
        return try trial(parsed[file], store: store, model: parsed[model])
    }

    /// The identity whose rules are explained.
    private static func identity(
        of user: String?,
        as role: String?,
        claims: JSONObject?,
        in trial: AccessTrial?
    ) throws -> Identity {
        let roles = role.map { Set([$0]) }
        guard let user, let trial else {
            guard let roles else { throw Failure("Give a role or an account: --role ROLE, --as USER.", status: .usage) }
            return Identity(name: "trial", roles: roles, claims: claims ?? JSONObject())
        }
        guard trial.policy.identity.accounts != nil else {
            throw Failure("The access file has no accounts.", hint: "identity.accounts says which objects they are.")
        }
        guard let identity = try trial.identity(roles: roles, claims: claims ?? JSONObject(), user: user) else {
            throw Failure("The store has no account \(user.printable()).")
        }
        return identity
    }
}
