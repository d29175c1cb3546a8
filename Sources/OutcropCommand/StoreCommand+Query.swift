// SPDX-License-Identifier: Apache-2.0

// `outcrop store query`

import Arguments
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import RESTAPI

extension StoreCommand {
    private static let entityName = Argument<String>("ENTITY", "The entity of the objects.")
    private static let condition = Option<String?>(
        "where",
        value: "PREDICATE",
        "A predicate on the objects, in Core Data's format."
    )
    private static let arguments = Option<[JSONArgument]>(
        "arg",
        value: "JSON",
        "The value for the next placeholder (%@, %K, %d, …) of the predicate."
    )
    private static let order = Option<String?>(
        "sort",
        value: "KEYS",
        "The order, such as '-createdAt,title[cd]'.",
        allowsLeadingDash: true
    )
    private static let selection = Option<String?>(
        "select",
        value: "COLUMNS",
        "What to show, such as 'title,author.name,tags.@count'. By default, all attributes and to-one references."
    )
    private static let limit = Option<Int?>("limit", value: "N", "Show at most this many.")
    private static let offset = Option<Int?>("offset", value: "N", "Skip this many first.")
    private static let count = Flag("count", "Show only the number of objects.")
    private static let lines = Flag("ndjson", "Write JSON, one object per line.")
    private static let csv = Flag("csv", "Write CSV, with a line of names first.")

    static let query = Command<Action>(
        "query",
        "Show objects of a store.",
        discussion: """
            Includes objects of subentities. Each expression of --select is a column; aggregates such
            as 'max:(views)' give one row for all objects. Dates are in ISO 8601, decimals exact, nil is empty, and null in JSON.
            Tables show the size of binary values, and references as the API does; JSON and CSV have bytes in base64, and URIs.
            NDJSON and CSV are written while they are read, so any number of objects needs little memory. An argument is converted
            to the type of what it is compared with: write dates as "2026-01-31T12:00:00Z", and objects as "Post/7".
            """,
        examples: [
            Example("outcrop store query App.sqlite Post --where 'views > 10' --sort '-createdAt' --limit 5"),
            Example("outcrop store query App.sqlite Post --select 'title,author.name,tags.@count' --csv"),
            Example("outcrop store query App.sqlite Post --where 'createdAt > %@' --arg '\"2026-01-31\"'"),
        ],
        exitCodes: exitCodes,
        parameters: [
            store, entityName, condition, arguments, order, selection, limit, offset, count, lines, csv, model,
        ],
        remedies: [
            "--format": "Use --csv, --ndjson or --json.",
            "-o": "Redirect the standard output: > FILE.", "--output": "Redirect the standard output: > FILE.",
        ]
    ) { parsed, terminal in
        guard [parsed[Program.json], parsed[lines], parsed[csv]].count(where: \.self) <= 1 else {
            throw Failure("Only one of --json, --ndjson and --csv can be given.", status: .usage)
        }
        for (name, number) in [("limit", parsed[limit]), ("offset", parsed[offset])] where number ?? 0 < 0 {
            throw Failure("--\(name) can't be less than 0.", status: .usage)
        }
        let opened = try StoreFiles.open(parsed[store], model: parsed[model])
        let entity = try StoreFiles.entity(named: parsed[entityName], in: opened)
        let coordinator = PersistentStoreCoordinator(model: opened.model)
        try coordinator.add(opened.store, configuration: opened.configuration)
        let names = try? ObjectNames(coordinator)
        let text = QueryOptionParser(entity: entity, model: opened.model.model, names: names, width: terminal.width)
        var request = FetchRequest<ManagedObject>(entity.name)
        var remarks: [ModelIssue] = []
        if let condition = parsed[condition] {
            (request.predicate, remarks) = try text.predicate(condition, arguments: parsed[arguments])
        } else if !parsed[arguments].isEmpty {
            throw Failure("--arg requires --where, the predicate with the placeholder.", status: .usage)
        }
        request.fetchOffset = parsed[offset] ?? 0
        request.fetchLimit = parsed[limit] ?? 0
        request.sortDescriptors = try parsed[order].map(text.order) ?? []
        request.propertiesToFetch = try parsed[selection].map(text.columns) ?? entity.defaultColumns
        let query = StoreQuery(coordinator: coordinator, request: request, isEmpty: parsed[limit] == 0, names: names)
        let format: StoreQuery.Lines? = parsed[lines] ? .json : parsed[csv] ? .csv : nil
        var report = try parsed[count] ? query.count(format) : query.rows(format, on: terminal)
        report.remarks = remarks
        return report
    }
}

/// A query of a store and its result.
private struct StoreQuery {
    let coordinator: PersistentStoreCoordinator
    let request: FetchRequest<ManagedObject>
    /// Whether --limit is 0.
    let isEmpty: Bool
    let names: ObjectNames?

    enum Lines {
        case json
        case csv
    }

    func count(_ lines: Lines?) throws -> Report {
        let count = isEmpty ? 0 : try coordinator.withContext { [request] in try $0.count(request) }
        let table = FetchTable(columns: ["count"], rows: [[.integer(Int64(count))]])
        let json: JSONValue = ["count": .integer(count)]
        return switch lines {
        case .json: Report(document: table.lines, json: json)
        case .csv: Report(document: table.csv, json: json)
        case nil: Report(text: StyledText("\(count)"), json: json)
        }
    }

    func rows(_ lines: Lines?, on terminal: Terminal) throws -> Report {
        let empty = FetchTable(columns: request.propertiesToFetch.map(\.name), rows: [])
        guard let lines else {
            let table = isEmpty ? empty : try coordinator.withContext { [request] in try $0.table(request) }
            return Report(text: table.text(on: terminal, naming: name), json: table.json)
        }
        return Report { [coordinator, request, isEmpty] write in
            if lines == .csv { try write(empty.csv) }
            guard !isEmpty else { return }
            try coordinator.withContext { context in
                try context.tables(request) { try write(lines == .csv ? $0.csvRows : $0.lines) }
            }
        }
    }
}

extension StoreQuery {
    /// The name of an object in a table, as in the API and in exports: `Post/7` for a URI that ends with `/Post/p7`.
    private func name(_ reference: ObjectReference) -> String {
        let parts = reference.uri.split(separator: "/").suffix(2)
        guard parts.count == 2, let entity = coordinator.model.entity(named: String(parts[parts.startIndex])),
            let key = parts.last, key.hasPrefix("p")
        else { return reference.uri }
        return "\(names?.path(of: entity) ?? entity.name)/\(key.dropFirst())"
    }
}

extension EntityDescription {
    /// The object's ID, then the columns of its row.
    fileprivate var defaultColumns: [ExpressionDescription] {
        ["objectID"] + attributes.filter(\.isPersistent).map { ExpressionDescription(keyPath: $0.name) }
            + toOnes.filter { !$0.isTransient }.map { ExpressionDescription(keyPath: $0.name) }
    }
}
