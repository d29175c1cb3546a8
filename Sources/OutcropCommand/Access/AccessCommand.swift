// SPDX-License-Identifier: Apache-2.0

// `outcrop access …`: commands for access files, one per file.

import AccessRules
import Arguments
import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI

enum AccessCommand {
    static let group = Command<Action>(
        "access",
        "Check, explain and test access rules.",
        discussion: """
            An access file has the roles and rules of a server: outcrop serve --access FILE. It is checked against the model whose
            objects it is about.
            """,
        commands: [check, explain, test]
    )

    static let file = Argument<String>("FILE", "The access file.", completion: AccessFiles.completion)
    static let model = Option<String?>(
        "model",
        value: "PATH",
        "The model.",
        completion: ModelFiles.completion
    )
    static let store = Option<StoreLocation?>(
        "store",
        value: "STORE",
        "A store, whose own model is used unless --model gives another.",
        completion: StoreFiles.completion
    )

    /// The model of the objects that the rules are about.
    static func model(_ parsed: ParsedArguments) throws -> Model {
        if let path = parsed[model] { return try StoreFiles.model(path).model }
        guard let store = parsed[store] else {
            throw Failure(
                "There is no model to check the file against.",
                hint: "Give one: --model App.xcdatamodeld, or a store that carries one: --store App.sqlite",
                status: .usage
            )
        }
        return try StoreFiles.open(store, model: nil).model.model
    }

    /// The rules, on the objects of a store.
    static func trial(_ file: String, store: StoreLocation, model path: String?) throws -> AccessTrial {
        let opened = try StoreFiles.open(store, model: path)
        let policy = try policy(file, for: opened.model.model)
        let coordinator = PersistentStoreCoordinator(model: opened.model)
        try coordinator.add(opened.store, configuration: opened.configuration)
        do {
            return AccessTrial(policy, on: try API(coordinator))
        } catch {
            throw Failure("The model's names are ambiguous, so that its objects can't be served.")
        }
    }

    /// The rules. Throws if the file has mistakes.
    static func policy(_ path: String, for model: Model) throws -> AccessPolicy {
        do {
            return try AccessFiles.read(path, for: model).get()
        } catch {
            let lines = error.problems.map { $0.line(in: path) }
            throw Failure(lines.joined(separator: "\noutcrop: "), code: "access.invalid", file: nil)
        }
    }
}
