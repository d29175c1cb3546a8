// SPDX-License-Identifier: Apache-2.0

// `outcrop generate typescript`

import AccessRules
import Arguments
import JSON
import ObjectModel
import TypeScriptGeneration

extension GenerateCommand {
    private static let file = Option<String?>(
        "output",
        short: "o",
        value: "FILE",
        "Where to write the client. By default, the standard output.",
        completion: .file(["ts"])
    )
    private static let prefix = Option<String?>(
        "name",
        value: "NAME",
        "The beginning of the client's name; by default the name of the model's file."
    )
    private static let accounts = Option<String?>(
        "accounts",
        value: "ENTITY",
        "The entity of accounts, for a server with accounts: the client can sign in."
    )
    private static let access = Option<String?>(
        "access",
        value: "FILE",
        "The server's access file: names the accounts, and the attribute of passwords, which objects and filters don't have.",
        completion: AccessFiles.completion
    )

    static let typescript = Command<Action>(
        "typescript",
        "Generate a TypeScript client for a model.",
        discussion: """
            FILE is a module of its own, without dependencies, for browsers, Node and Deno: typed objects, filters, selections,
            drafts, live queries and everything else that the API has. It depends only on the model. A file that was generated is
            replaced; any other file is never overwritten. “-” is the standard output.
            """,
        examples: [
            Example("outcrop generate typescript Blog.xcdatamodeld -o web/blog.ts"),
            Example("outcrop generate typescript Blog.json --access access.json -o web/blog.ts"),
        ],
        parameters: [ModelCommand.path, file, prefix, accounts, access]
    ) { parsed, _ in
        let path = parsed[ModelCommand.path]
        let version = try ModelFiles.readComplete(path)
        try ModelFiles.refuse(
            version.findings(file: path).filter { $0.severity == .error },
            "\(path) has errors, so no TypeScript can be generated for it."
        )
        let model = version.model
        if let name = parsed[accounts] { _ = try ModelFiles.entity(named: name, in: version, at: path) }
        let settings = try parsed[access].flatMap { try AccessCommand.policy($0, for: model).identity.accounts }
        let entity = parsed[accounts] ?? settings?.entity
        let generation = TypeScriptGeneration(
            model,
            name: parsed[prefix] ?? ModelFiles.stem(of: path),
            accounts: entity,
            password: entity == settings?.entity ? settings?.password : nil
        )
        let renamed = JSONValue.array(generation.renamings.map(\.json))
        guard let output = parsed[file], output != ModelFiles.standardOutput else {
            let text = String(generation.text.dropLast())
            return Report(document: text, json: ["text": .string(generation.text), "renamed": renamed])
        }
        let isChanged = try ModelFiles.naming(output) { () throws(ModelError) in try write(generation, to: output) }
        let count = Wording.count(model.entities.count, "entity")
        let lines =
            [isChanged ? "Wrote \(output): \(count)." : "\(output) is up to date: \(count)."]
            + generation.renamings.map(\.line)
        return Report(
            text: StyledText(lines.joined(separator: "\n")),
            json: ["output": .string(output), "changed": .bool(isChanged), "renamed": renamed]
        )
    }

    /// Writes the file, unless it is up to date.
    private static func write(_ generation: TypeScriptGeneration, to path: String) throws(ModelError) -> Bool {
        guard !path.isEmpty else { throw .emptyPath }
        let text = Array(generation.text.utf8)
        if try ModelFileSystem.visibleEntry(at: path) == .file {
            let old = try ModelFileSystem.bytes(of: path)
            if old == text { return false }
            guard old.isEmpty || old.starts(with: (TypeScriptGeneration.mark + "\n").utf8) else {
                throw ModelError(
                    .wouldOverwrite,
                    at: ModelIssue.Place(file: path),
                    "The existing file was not generated, and is not overwritten.",
                    hint: "Remove it, or write to another path."
                )
            }
        }
        try ModelFileSystem.write(text, to: path)
        return true
    }
}

extension TypeScriptRenaming {
    fileprivate var json: JSONValue {
        ["entity": .string(owner), "name": .string(name), "kind": isMember ? "property" : "type"]
    }

    fileprivate var line: String {
        isMember
            ? "The objects of \(owner) are the client's property \(name)."
            : "\(owner) is the type \(name) in TypeScript."
    }
}
