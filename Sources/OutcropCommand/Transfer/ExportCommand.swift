// SPDX-License-Identifier: Apache-2.0

// `outcrop export`

import Arguments
import Files
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import SourceText

enum ExportCommand {
    private static let source = Argument<EndpointChoice>(
        "FROM",
        "The store, or the address of a server.",
        completion: StoreFiles.completion
    )
    private static let entity = Option<String?>(
        "entity",
        value: "NAME",
        "The entity of the objects. By default, all objects are written, with their relationships."
    )
    private static let format = Option<TransferFormat?>(
        "format",
        value: "FORMAT",
        "The format. By default the file's extension determines it; otherwise it is ndjson."
    )
    private static let condition = Option<String?>("where", value: "PREDICATE", "A predicate on the objects.")
    private static let order = Option<String?>(
        "sort",
        value: "KEYS",
        "The order of the objects.",
        allowsLeadingDash: true
    )
    private static let selection = Option<String?>(
        "select",
        value: "KEYS",
        "The properties, such as 'title,author.name'."
    )
    private static let output = Option<String?>(
        "output",
        short: "o",
        value: "FILE",
        "The file to write. By default, or with -, the standard output.",
        completion: .file(["ndjson", "json", "csv"]),
        allowsLeadingDash: true
    )
    private static let force = Flag("force", "Replace an existing file.")
    private static let noProgress = Flag("no-progress", "Don't show the progress.")

    static let command = Command<Action>(
        "export",
        "Write the objects of a store or a server to a file.",
        discussion: """
            Writes a line of JSON for each object, an array, or CSV with --entity. With --json the standard output gets an array. All objects of a store are read from one state of it; those of a
            server, one state for each entity. Importing an export without --entity into another store gives an equal graph there.
            References to objects that no longer exist, which the rule No Action leaves behind, are written as null, and counted. The
            file appears when it is complete.

            A server with access rules gets the API key or token that the variable OUTCROP_KEY has, and exports what its rules permit.
            """,
        examples: [
            Example("outcrop export App.sqlite -o App.ndjson"),
            Example(
                "outcrop export App.sqlite --entity Post --where 'views > 10' --select 'title,author.name' -o posts.csv"
            ),
            Example("outcrop export http://localhost:8080 -o all.ndjson"),
        ],
        exitCodes: StoreCommand.exitCodes + [ExitCode(130, "The export was interrupted.")],
        parameters: [
            source, entity, format, condition, order, selection, output, force, noProgress, StoreCommand.model,
        ]
    ) { parsed, _ in
        let path = parsed[output] == "-" ? nil : parsed[output]
        let format = try format(parsed, path)
        if parsed[entity] == nil {
            guard format != .csv else {
                throw Failure(
                    "CSV can have the objects of only one entity.",
                    hint: "Choose it: --entity NAME",
                    status: .usage
                )
            }
            guard parsed[condition] == nil, parsed[order] == nil, parsed[selection] == nil else {
                throw Failure("--where, --sort and --select require --entity.", status: .usage)
            }
        }
        if let path, !parsed[force], FileSystem.exists(path) {
            throw Failure(
                "The file exists already, and is not overwritten.",
                hint: "Use another name, or replace it: --force",
                code: "export.exists",
                file: path
            )
        }
        let endpoint = try parsed[source].open(model: parsed[StoreCommand.model], isReadOnly: true)
        let export = Export(
            endpoint: endpoint,
            format: format,
            query: [("where", parsed[condition]), ("sort", parsed[order]), ("select", parsed[selection])]
        )
        let entities = try parsed[entity].map { [try endpoint.model.entity(forCommand: $0)] }
        guard let path else {
            var remark: String?
            var report = Report { write in
                // A character may be split between two parts, but a line end isn't.
                var rest: [UInt8] = []
                let result = try export.run(entities) { piece in
                    rest += piece
                    let whole = (rest.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
                    if whole > 0 { try write(String(decoding: rest[..<whole], as: UTF8.self)) }
                    rest.removeFirst(whole)
                } progress: { _ in
                }
                remark = result.remark
            }
            report.footer = { remark }
            return report
        }
        let bar = ProgressBar("Exporting \(endpoint.name)", isWanted: !parsed[noProgress])
        let result = try ExportFile(path).make { file in
            try export.run(entities) {
                try file.append($0.span)
            } progress: {
                bar.show($0, fraction: nil)
            }
        }
        bar.end()
        var report = Report(
            text: StyledText("Wrote \(path): \(Wording.count(result.count, "object"))."),
            json: ["output": .string(path), "objects": .integer(result.count), "nulls": .integer(result.nulls)]
        )
        report.footer = { result.remark }
        return report
    }

    /// The format of the output: with `--json`, the standard output is an array.
    private static func format(_ parsed: ParsedArguments, _ path: String?) throws -> TransferFormat {
        if path == nil, parsed[Program.json] {
            guard let format = parsed[format], format != .json else { return .json }
            throw Failure(
                "--json and --format \(format.rawValue) contradict each other.",
                hint: "With --json the objects are one array; leave it out to get \(format.rawValue).",
                status: .usage
            )
        }
        return parsed[format] ?? path.flatMap(TransferFormat.init(extensionOf:)) ?? .ndjson
    }
}

extension ManagedObjectModel {
    /// The entity with a name. Throws a failure with a hint if there is none.
    func entity(forCommand name: String) throws -> EntityDescription {
        if let entity = entity(named: name) { return entity }
        let version = ModelVersion(name: "", model: model)
        _ = try ModelFiles.entity(named: name, in: version, at: "The model")
        throw Failure("There is no entity “\(name)”.")
    }
}
