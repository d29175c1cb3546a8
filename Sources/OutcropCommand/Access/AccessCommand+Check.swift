// SPDX-License-Identifier: Apache-2.0

// `outcrop access check`

import AccessRules
import Arguments
import JSON
import ObjectModel
import SourceText

extension AccessCommand {
    static let check = Command<Action>(
        "check",
        "Report all mistakes in an access file.",
        discussion: """
            Each mistake has its place and, if possible, the remedy. A warning names the entities without any rule. A server doesn't start with a file that has one. Files of keys,
            and addresses of them, are checked by outcrop serve --check.
            """,
        examples: [
            Example("outcrop access check access.json --model App.xcdatamodeld"),
            Example("outcrop access check access.json --store App.sqlite --json", "For a script."),
        ],
        exitCodes: [
            ExitCode(0, "No mistakes."), ExitCode(1, "Mistakes, or a file that can't be read."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [file, model, store]
    ) { parsed, _ in
        let path = parsed[file]
        let model = try model(parsed)
        var problems: [AccessProblem] = []
        var summary = ""
        var withoutRules: [String] = []
        switch AccessFiles.read(path, for: model) {
        case .success(let policy):
            let counts = [(policy.roles.count, "role"), (policy.rules.count, "entity")]
            summary = counts.map { Wording.count($0, $1) }.joined(separator: ", ")
            withoutRules = policy.entitiesWithoutRules(of: model)
        case .failure(let found): problems = found.problems
        }
        var lines = problems.map { StyledText("error: ", .red) + StyledText($0.line(in: path)) }
        if !withoutRules.isEmpty {
            let names = Wording.list(withoutRules)
            lines.append(
                StyledText("warning: ", .yellow)
                    + StyledText("\(path): No rule is for \(names): only those who administer see such objects.")
            )
        }
        lines.append(
            StyledText(problems.isEmpty ? "No mistakes: \(summary)" : Wording.count(problems.count, "mistake"))
        )
        return Report(
            text: lines.joined(separator: "\n"),
            json: [
                "ok": .bool(problems.isEmpty), "problems": .array(problems.map { $0.json(in: path) }),
                "withoutRules": .array(withoutRules.map(JSONValue.string)),
            ],
            status: problems.isEmpty ? .fine : .problems
        )
    }
}

extension AccessPolicy {
    /// The entities that have no rules, and inherit none: probably forgotten. An abstract one needs none.
    fileprivate func entitiesWithoutRules(of model: Model) -> [String] {
        model.entities.filter { entity in
            !entity.isAbstract && model.lineage(of: entity).allSatisfy { rules[$0.name] == nil }
        }.map(\.name)
    }
}

extension AccessProblem {
    fileprivate func json(in file: String) -> JSONValue {
        var json: JSONObject = ["file": .string(file)]
        json["line"] = position.map { .integer($0.line) }
        json["column"] = position.map { .integer($0.column) }
        if !path.isEmpty { json["path"] = .string(path) }
        json["message"] = .string(message)
        json["hint"] = hint.map(JSONValue.string)
        return .object(json)
    }
}
