// SPDX-License-Identifier: Apache-2.0

// `outcrop import`

import Arguments
import AtomicStores
import Files
import FoundationEssentials
import JSON
import ObjectGraph
import SourceText

enum ImportCommand {
    private static let target = Argument<EndpointChoice>(
        "TO",
        "The store, which is created if it doesn't exist, or the address of a server.",
        completion: StoreFiles.completion
    )
    private static let files = Argument<[String]>(
        "FILE",
        "The files to import, in this order; - is the standard input.",
        completion: .file(["ndjson", "jsonl", "json", "csv", "tsv"]),
        atLeast: 1
    )
    private static let entity = Option<String?>(
        "entity",
        value: "NAME",
        "The entity of objects without “_entity”."
    )
    private static let format = Option<TransferFormat?>(
        "format",
        value: "FORMAT",
        "The format of the files. By default their extensions determine it; otherwise it is ndjson."
    )
    private static let mapping = Option<[ColumnMapping]>(
        "map",
        value: "COLUMN=KEYPATH",
        "The property of a column, such as Mail=author.email; without a key path, as in Mail=, the column is ignored."
    )
    private static let upsert = Flag("upsert", "Update existing objects that have the same unique values.")
    private static let linkExisting = Flag(
        "link-existing",
        "Resolve references that no imported object has by the objects of the target, as in the store that the export came from."
    )
    private static let keepIDs = Flag(
        "keep-ids",
        "Let objects keep the numbers in their “_id” that the target never assigned; the default if the target is empty."
    )
    private static let noKeepIDs = Flag("no-keep-ids", "Assign new numbers to all new objects.")
    private static let dryRun = Flag("dry-run", "Report what is wrong with which line, and change nothing.")
    private static let chunk = Option<Int?>("chunk", value: "N", "The number of objects to save at once.")
    private static let noProgress = Flag("no-progress", "Don't show the progress.")

    static let command = Command<Action>(
        "import",
        "Import objects from files into a store or a server.",
        discussion: """
            Reads JSON, an array of objects or one object per line, or CSV with a line of key paths first.

            An object's “_id” is a name by which other
            objects of the input can refer to it. If the target is empty, objects of an export keep their references,
            with greater versions; otherwise they get new ones. Existing objects are referred to by the values of a uniqueness
            constraint, {"author": {"email": "a@example.org"}}, or by a reference. In the lines of an export this requires --link-existing,
            since an object of the target may have the number of another one in the export. After an interruption, the same command
            continues the import: a store never has a part of a chunk, nor a chunk twice.

            A server with access rules gets the API key or token that the variable OUTCROP_KEY has.
            """,
        examples: [
            Example("outcrop import App.sqlite all.ndjson"),
            Example("outcrop import App.sqlite posts.csv --entity Post --map Mail=author.email --dry-run"),
            Example("outcrop import http://localhost:8080 tags.ndjson --entity Tag --upsert"),
        ],
        exitCodes: [
            ExitCode(0, "Everything was imported, or can be."),
            ExitCode(1, "The reported lines have errors, or the import failed."),
            ExitCode(2, "The command line is invalid."),
            ExitCode(130, "The import was interrupted; the same command continues it."),
        ],
        parameters: [
            target, files, entity, format, mapping, upsert, linkExisting, keepIDs, noKeepIDs, dryRun, chunk, noProgress,
            StoreCommand.model,
        ]
    ) { parsed, _ in
        if let chunk = parsed[chunk], chunk < 1 { throw Failure("--chunk must be at least 1.", status: .usage) }
        guard !parsed[keepIDs] || !parsed[noKeepIDs] else {
            throw Failure("--keep-ids and --no-keep-ids can't be combined.", status: .usage)
        }
        let missing = parsed[target].missing
        func removeEmpty() { missing.map { StoreFiles.removeEmpty($0, model: parsed[StoreCommand.model]) } }
        do {
            let report = try run(parsed)
            if report.status != .fine { removeEmpty() }
            return report
        } catch {
            removeEmpty()
            throw error
        }
    }

    private static func run(_ parsed: ParsedArguments) throws -> Report {
        let choice = parsed[target]
        let endpoint =
            parsed[dryRun]
            ? try choice.rehearsing(model: parsed[StoreCommand.model])
            : try choice.open(model: parsed[StoreCommand.model], isReadOnly: false)
        let entity = try parsed[entity].map { try endpoint.model.entity(forCommand: $0) }
        let input = try ImportInput(
            parsed[files],
            parsed[format],
            parsed[mapping],
            entity,
            endpoint.model,
            isAlone: !parsed[dryRun]
        )
        var options = ImportRun.Options()
        options.isUpsert = parsed[upsert]
        options.isDryRun = parsed[dryRun]
        options.chunk = parsed[chunk]
        options.linksExisting = parsed[linkExisting]
        options.words =
            [entity?.name ?? "", "\(parsed[upsert])", parsed[format]?.rawValue ?? ""] + parsed[mapping].map(\.argument)
        if parsed[keepIDs] || parsed[noKeepIDs] {
            options.keepsIDs = parsed[keepIDs]
            options.words.append("keep-ids=\(parsed[keepIDs])")
        }
        let bar = ProgressBar("Importing into \(endpoint.name)", isWanted: !parsed[noProgress])
        let journal = choice.journalPath(besides: parsed[files][0], isDryRun: parsed[dryRun])
        let run = ImportRun(input, into: endpoint, entity, options, journal: journal, bar)
        var result: ImportRun.Result
        do {
            result = try run.run()
        } catch let error as BadLines {
            bar.end()
            result = run.result
            result.badLines = error.lines
        } catch is Interruption.Requested {
            bar.end()
            throw run.interrupted
        }
        result.badLines = result.badLines.arranged(parsed[files])
        var report = report(result, options, endpoint)
        if result.badLines.isEmpty, !options.isDryRun { report.settle = run.settle }
        return report
    }

    private static func report(
        _ result: ImportRun.Result,
        _ options: ImportRun.Options,
        _ endpoint: any Endpoint
    ) -> Report {
        var lines = result.badLines.map { StyledText($0.text) }
        let count = Wording.count(result.rows, "object")
        let bad = Wording.count(Set(result.badLines.map { "\($0.file):\($0.line)" }).count, "bad line")
        if options.isDryRun {
            lines.append(StyledText(result.badLines.isEmpty ? "\(count) can be imported." : "\(bad) of \(count)."))
        } else if result.badLines.isEmpty {
            let before = result.skipped > 0 ? " \(result.skipped) had been imported before." : ""
            lines.append(StyledText("Imported \(count) into \(endpoint.name).\(before)\(result.references)"))
        } else {
            let all = result.rows + result.skipped
            let advice =
                all > 0
                ? "The lines after these \(all) aren't imported. Correct them, and import them as a file of their own."
                : "--dry-run reports all bad lines beforehand."
            lines.append(StyledText("Stopped after \(count), at \(bad). \(advice)"))
        }
        if !options.isUpsert, result.badLines.contains(where: { $0.code == "unique" }) {
            lines.append(StyledText("With --upsert, lines update the objects that have their unique values."))
        }
        return Report(
            text: lines.joined(separator: "\n"),
            json: [
                "objects": .integer(result.rows), "before": .integer(result.skipped), "kept": .integer(result.kept),
                "badLines": .array(result.badLines.map(\.json)),
            ],
            status: result.badLines.isEmpty ? .fine : .problems
        )
    }
}

extension ImportRun.Result {
    /// What happened to the references of new objects in their former store.
    fileprivate var references: String {
        switch (named, kept) {
        case (0, _): ""
        case (1, 1): " It keeps its reference."
        case (1, _): " It has a new reference."
        case (_, named): " They keep their references."
        case (_, 0): " They have new references."
        default: " \(kept) of them keep their references, \(named - kept) have new ones."
        }
    }
}

extension EndpointChoice {
    /// The store's location, if there is no file yet.
    fileprivate var missing: StoreLocation? {
        guard case .store(let location) = self, !FileSystem.exists(location.path) else { return nil }
        return location
    }

    /// Opens the store or server without creating anything.
    fileprivate func rehearsing(model path: String?) throws -> any Endpoint {
        guard case .store(let location) = self, try location.isUncreated else {
            return try open(model: path, isReadOnly: false)
        }
        guard let path else { throw StoreFiles.modelNeeded(location) }
        let model = try StoreFiles.model(path)
        return try LocalEndpoint(InMemoryStore(model: model), model, name: location.path)
    }

    /// The journal's path: beside the store, or beside the input for a server.
    fileprivate func journalPath(besides file: String, isDryRun: Bool) -> String {
        let suffix = isDryRun ? "-dryrun" : "-import"
        return switch self {
        case .store(let location): location.path + suffix
        // A pipe has no folder.
        case .server: (FileSystem.isFile(file) ? file : FileSystem.temporaryFolder + "/outcrop") + suffix
        }
    }
}
