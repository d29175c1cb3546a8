// SPDX-License-Identifier: Apache-2.0

// `outcrop store restore`

import Arguments
import FoundationEssentials
import JSON
import SQLiteStore
import SourceText

extension StoreCommand {
    private static let source = Argument<String>(
        "BACKUP",
        "A dated backup, a folder of these, or a copy of a store.",
        completion: StoreFiles.completion
    )
    private static let restored = Argument<StoreLocation>(
        "STORE",
        "Where to restore it.",
        completion: StoreFiles.completion
    )
    private static let until = Option<RestoredTime?>(
        "until",
        value: "TIME",
        "Restore the state at a time, such as 2026-11-28T09:30:00Z, with the history of a later state."
    )
    private static let later = Option<StoreLocation?>(
        "later",
        value: "STORE",
        "With --until: the later state. By default the oldest later backup, or else the store at STORE.",
        completion: StoreFiles.completion
    )
    private static let force = Flag("force", "Move an existing store aside.")
    private static let dryRun = Flag("dry-run", "Only report what would be restored.")

    static let restore = Command<Action>(
        "restore",
        "Restore a store from a backup, as it was then or at a later time.",
        discussion: """
            Of a folder, the newest backup is used. An existing store is moved to a folder beside it, with --force. No program
            may have it open. API keys that are at the place stay as they are.

            With --until, the newest backup from before the time is combined with the oldest later one, or else with the store
            itself. The history between them says which values of that time the one has, and which the other. Values that have
            changed both before and after the time aren't known: they are listed, and are those of the backup.
            """,
        examples: [
            Example("outcrop store restore backups App.sqlite --force"),
            Example("outcrop store restore backups App.sqlite --until 2026-11-28T09:30:00Z --dry-run"),
        ],
        exitCodes: exitCodes,
        parameters: [source, restored, until, later, force, dryRun, model]
    ) { parsed, _ in
        let target = parsed[restored].path
        guard parsed[later] == nil || parsed[until] != nil else {
            throw Failure("--later requires --until.", status: .usage)
        }
        let restoring = StoreRestoring(
            choice: try BackupChoice(parsed[source], of: BackupFolder.name(ofFile: target)),
            target: target,
            until: parsed[until]?.date,
            later: parsed[later]?.path,
            replaces: parsed[force],
            isRehearsal: parsed[dryRun],
            model: parsed[model]
        )
        let outcome = try restoring.run()
        return Report(
            text: outcome.lines(restoring).map { StyledText($0) }.joined(separator: "\n"),
            json: outcome.json(restoring)
        )
    }
}

/// A time on the command line.
struct RestoredTime: ArgumentValue {
    let argument: String
    let date: Date

    init(argument: String) throws(InvalidArgument) {
        guard let date = Date(iso8601: argument) else {
            throw InvalidArgument("expected a time with its zone, such as 2026-11-28T09:30:00Z")
        }
        self.argument = argument
        self.date = date
    }
}

extension StoreRestoring.Outcome {
    fileprivate func lines(_ restoring: StoreRestoring) -> [String] {
        let verb = restoring.isRehearsal ? "Can restore" : "Restored"
        let time = restoring.until.flatMap(DateText.text).map { " as of \($0)" } ?? ""
        let count = check.objects.map { ": \(Wording.count($0, "object")), checked" } ?? ""
        var lines = ["\(verb) \(backup) to \(restoring.target)\(time)\(count)."]
        if let later, let report {
            lines.append(
                "With the history of \(later): \(Wording.count(report.undoneTransactions, "transaction")) undone, "
                    + "\(Wording.count(report.restoredObjects, "object")) as before, "
                    + "\(report.removedObjects) removed."
            )
            lines += report.problems
        }
        if let replaced { lines.append("The former store is in \(replaced).") }
        return lines
    }

    fileprivate func json(_ restoring: StoreRestoring) -> JSONValue {
        var json: JSONObject = ["backup": .string(backup), "store": .string(restoring.target)]
        json["until"] = restoring.until.flatMap(DateText.text).map(JSONValue.string)
        json["later"] = later.map(JSONValue.string)
        json["objects"] = check.objects.map { .integer($0) }
        if let report { json["rewound"] = report.json }
        json["replaced"] = replaced.map(JSONValue.string)
        if restoring.isRehearsal { json["dryRun"] = true }
        return .object(json)
    }
}

extension RewindReport {
    /// How many lines a list has at most.
    private static let lineLimit = 20

    fileprivate var problems: [String] {
        func list(_ title: String, _ lines: [String]) -> [String] {
            guard !lines.isEmpty else { return [] }
            let rest = lines.count - Self.lineLimit
            return [title] + lines.prefix(Self.lineLimit).map { "  " + $0 }
                + (rest > 0 ? ["  and \(rest) more: --json has all"] : [])
        }
        return list(
            "Not known, and as in the backup:",
            unknown.map { "\($0.object.entity) \($0.object.key): \($0.properties.joined(separator: ", "))" }
        )
            + list(
                "Lost, because they were both created and deleted since the backup:",
                lost.map { "\($0.entity) \($0.key)" }
            ) + list("Found by a check:", findings.map(\.message))
    }

    fileprivate var json: JSONValue {
        func name(_ object: Object) -> JSONObject {
            ["entity": .string(object.entity), "key": .integer(Int(object.key))]
        }
        return [
            "undoneTransactions": .integer(undoneTransactions), "restoredObjects": .integer(restoredObjects),
            "removedObjects": .integer(removedObjects),
            "unknown": .array(
                unknown.map { values in
                    var json = name(values.object)
                    json["properties"] = .array(values.properties.map(JSONValue.string))
                    return .object(json)
                }
            ),
            "lost": .array(lost.map { .object(name($0)) }),
            "findings": .array(findings.map { .string($0.message) }),
        ]
    }
}
