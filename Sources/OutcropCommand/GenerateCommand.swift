// SPDX-License-Identifier: Apache-2.0

// `outcrop generate`, and `outcrop generate swift`

import Arguments
import JSON
import ObjectModel
import SwiftGeneration

enum GenerateCommand {
    static let group = Command<Action>("generate", "Generate code for data models.", commands: [swift, typescript])

    private static let folder = Option<String>(
        "output",
        short: "o",
        value: "DIR",
        "The folder to write to.",
        completion: .directory
    )
    private static let name = Option<String?>(
        "name",
        value: "NAME",
        "The name of the list of classes; by default the name of the model's file."
    )
    private static let access = Option<AccessArgument>(
        "access",
        value: "LEVEL",
        "The access level of the generated code.",
        default: AccessArgument(level: .internal)
    )
    private static let prune = Flag("prune", "Remove generated files that no longer belong to the model.")

    private static let swift = Command<Action>(
        "swift",
        "Generate Swift classes for a model.",
        discussion: """
            For each entity X, X.swift has the class itself, to which you add your code: it is written once and never changed
            again. X+Generated.swift has its typed properties and their keys, and XDTO+Generated.swift a Codable struct of its
            values. These two are rewritten each time, and depend only on the model. Files that weren't generated are never
            overwritten.
            """,
        examples: [Example("outcrop generate swift Blog.xcdatamodeld -o Sources/Blog/Model")],
        parameters: [ModelCommand.path, folder, name, access, prune]
    ) { parsed, _ in
        let path = parsed[ModelCommand.path]
        let version = try ModelFiles.readComplete(path)
        try ModelFiles.refuse(
            version.findings(file: path).filter { $0.severity == .error },
            "\(path) has errors, so no Swift can be generated for it."
        )
        let generation = SwiftGeneration(
            version.model,
            name: parsed[name] ?? ModelFiles.stem(of: path),
            access: parsed[access].level
        )
        let output = parsed[folder]
        let result = try ModelFiles.naming(output) { () throws(ModelError) in
            try GeneratedFolder(writing: generation, to: output, removingStale: parsed[prune])
        }
        return report(of: generation, result: result, output: output, pruned: parsed[prune])
    }

    private static func report(
        of generation: SwiftGeneration,
        result: GeneratedFolder,
        output: String,
        pruned: Bool
    ) -> Report {
        let count = Wording.count(generation.files.count, "file")
        let changed = result.written.count + result.created.count
        var lines: [StyledText] = [
            changed == 0
                ? StyledText("\(output) is up to date: \(count).")
                : StyledText("Wrote \(changed) of \(count) in \(output).")
        ]
        if !result.created.isEmpty {
            lines.append(StyledText("For your own code: \(Wording.list(result.created))."))
        }
        for renaming in generation.renamings {
            let name = [renaming.owner, renaming.property].compactMap(\.self).joined(separator: ".")
            lines.append(StyledText("\(name) is named \(renaming.name) in Swift."))
        }
        for name in result.stale {
            lines.append(
                pruned
                    ? StyledText("Removed \(name).")
                    : StyledText("\(name) no longer belongs to the model. Remove it with --prune.")
            )
        }
        var json: JSONObject = ["output": .string(output)]
        json["written"] = .array(result.written.map(JSONValue.string))
        json["created"] = .array(result.created.map(JSONValue.string))
        json["kept"] = .array(result.kept.map(JSONValue.string))
        json[pruned ? "removed" : "stale"] = .array(result.stale.map(JSONValue.string))
        json["renamed"] = .array(generation.renamings.map(\.json))
        return Report(text: lines.joined(separator: "\n"), json: .object(json))
    }
}

extension Renaming {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["entity": .string(owner)]
        json["property"] = property.map(JSONValue.string)
        json["name"] = .string(name)
        return .object(json)
    }
}

/// An access level as an argument.
private struct AccessArgument: ArgumentValue {
    let level: AccessLevel

    init(level: AccessLevel) {
        self.level = level
    }

    init(argument: String) throws(InvalidArgument) {
        guard let level = AccessLevel(rawValue: argument) else {
            throw InvalidArgument("expected \(Self.choices.joined(separator: " or "))")
        }
        self.level = level
    }

    var argument: String { level.rawValue }

    static var choices: [String] { AccessLevel.allCases.map(\.rawValue) }
}
