// SPDX-License-Identifier: Apache-2.0

// `outcrop predicate …`

import Arguments
import JSON
import ObjectModel
import Predicates
import SourceText

enum PredicateCommand {
    static let group = Command<Action>(
        "predicate",
        "Check predicates.",
        commands: [check]
    )

    private static let format = Argument<String>("FORMAT", "The predicate, in Core Data's format.")
    private static let arguments = Option<[JSONArgument]>(
        "arg",
        value: "JSON",
        "The value for the next placeholder (%@, %K, %d, …)."
    )
    private static let variables = Option<[VariableArgument]>(
        "var",
        value: "NAME=JSON",
        "The value of the variable $NAME."
    )
    private static let model = Option<String?>(
        "model",
        value: "PATH",
        "Check key paths and types against this model.",
        completion: ModelFiles.completion
    )
    private static let entity = Option<String?>(
        "entity",
        value: "NAME",
        "The entity of the objects that the predicate tests; requires --model."
    )

    private static let check = Command<Action>(
        "check",
        "Show how a predicate is parsed, or its error.",
        discussion: """
            Prints the predicate in its canonical form, with arguments and variables substituted, or the error with a caret
            under its position. Placeholders are kept if there is no --arg.
            """,
        examples: [
            Example("outcrop predicate check 'title CONTAINS[cd] %@ AND views > 10' --arg '\"fault\"'"),
            Example("outcrop predicate check 'ANY tags.name == $TAG' --model App.xcdatamodeld --entity Post"),
        ],
        exitCodes: [
            ExitCode(0, "The predicate is valid."), ExitCode(1, "The predicate is invalid."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [format, arguments, variables, model, entity]
    ) { parsed, terminal in
        var predicate: ObjectPredicate
        do throws(FormatError) {
            let values = parsed[arguments].map(\.value)
            predicate =
                values.isEmpty
                ? try ObjectPredicate(template: parsed[format])
                : try ObjectPredicate(parsed[format], arguments: values)
        } catch {
            return report(on: error, in: parsed[format], terminal: terminal)
        }
        predicate = predicate.substituting(variables: try bindings(of: predicate, in: parsed))
        return report(on: predicate, issues: try issues(of: predicate, in: parsed))
    }

    /// The values of the predicate's variables, each of which must exist and have one value.
    private static func bindings(
        of predicate: ObjectPredicate,
        in parsed: ParsedArguments
    ) throws(Failure) -> [String: Value] {
        let names = predicate.freeVariables.sorted()
        var bindings: [String: Value] = [:]
        for variable in parsed[variables] {
            let name = variable.name
            guard names.contains(name) else {
                let known =
                    names.isEmpty
                    ? "It has no variables; a variable is written $NAME."
                    : "It has \(Wording.list(names.map { "$" + $0 }))."
                let hint = Spelling.nearest(to: name, among: names).map { "Did you mean “$\($0)”?" } ?? known
                throw Failure("The predicate has no variable “$\(name)”.", hint: hint, status: .usage)
            }
            guard bindings.updateValue(variable.value, forKey: name) == nil else {
                throw Failure("The variable “$\(name)” was given more than one value.", status: .usage)
            }
        }
        return bindings
    }

    /// The findings of a check against the model, or nil if no model was given.
    private static func issues(of predicate: ObjectPredicate, in parsed: ParsedArguments) throws -> [ModelIssue]? {
        switch (parsed[model], parsed[entity]) {
        case (nil, nil): return nil
        case (let path?, let name?):
            let version = try ModelFiles.readComplete(path)
            return version.model.check(predicate, on: try ModelFiles.entity(named: name, in: version, at: path))
        case (_?, nil):
            throw Failure(
                "--model requires --entity, the entity of the objects that the predicate tests.",
                status: .usage
            )
        case (nil, _?): throw Failure("--entity requires --model, the model that has the entity.", status: .usage)
        }
    }

    private static func report(
        on predicate: ObjectPredicate,
        issues: [ModelIssue]?
    ) -> Report {
        let variables = predicate.freeVariables.sorted()
        var json: JSONObject = [
            "canonical": .string(predicate.description),
            "hasPlaceholders": .bool(predicate.hasPlaceholders),
            "variables": .array(variables.map(JSONValue.string)),
        ]
        var lines = [StyledText(predicate.description)]
        if predicate.hasPlaceholders {
            lines.append(StyledText("Give a value for each placeholder: --arg JSON", .faint))
        }
        if !variables.isEmpty {
            let names = variables.map { "$" + $0 }.joined(separator: ", ")
            lines.append(StyledText("Give a value for \(names): --var NAME=JSON", .faint))
        }
        if let issues {
            json["issues"] = .array(issues.map(\.json))
            lines += issues.map(\.line)
        }
        let isWrong = issues?.contains { $0.severity == .error } ?? false
        return Report(
            text: lines.joined(separator: "\n"),
            json: .object(json),
            status: isWrong ? .problems : .fine
        )
    }

    private static func report(on error: FormatError, in format: String, terminal: Terminal) -> Report {
        var json: JSONObject = ["code": .string(error.code.rawValue), "message": .string(error.message)]
        json["offset"] = error.offset.map { JSONValue.integer($0) }
        json["expected"] = error.expected.map(JSONValue.string)
        json["found"] = error.found.map(JSONValue.string)
        json["hint"] = error.hint.map(JSONValue.string)
        let excerpt = error.excerpt(of: format, width: terminal.width)
        let message = StyledText("error: ", .red) + StyledText(error.message)
        let lines = [message] + [excerpt, error.hint].compactMap { $0.map { StyledText($0) } }
        return Report(
            text: lines.joined(separator: "\n"),
            json: .object(["error": .object(json)]),
            status: .problems
        )
    }
}
