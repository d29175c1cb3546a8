// SPDX-License-Identifier: Apache-2.0

// `outcrop store check`

import Arguments
import Files
import FoundationEssentials
import JSON
import ObjectModel
import SQLiteStore

extension StoreCommand {
    private static let repair = Flag("repair", "Repair what can be repaired safely.")
    private static let noBackup = Flag("no-backup", "Don't copy the store before repairing it.")
    private static let strict = Flag("strict", "Count warnings as problems.")
    private static let verbose = Flag("verbose", short: "v", "Show notes too, about what is unusual but allowed.")

    static let check = Command<Action>(
        "check",
        "Report everything that is wrong with a store, and repair it.",
        discussion: """
            Checks the file, then all rows against the model. A finding has the keys of the first objects concerned.
            --repair copies the store, then makes in one transaction the repairs that the findings announce; what can't be repaired
            safely is kept and reported. No other program should use the store meanwhile. For stores in XML and binary form, which
            are read as a whole, the check reports whether they can be read.
            """,
        examples: [
            Example("outcrop store check App.sqlite"), Example("outcrop store check --repair App.sqlite"),
        ],
        exitCodes: [
            ExitCode(0, "There are no errors left (with --strict: nor warnings)."),
            ExitCode(1, "Problems, or a store that can't be read."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [store, repair, noBackup, strict, verbose, model]
    ) { parsed, _ in
        guard parsed[repair] || !parsed[noBackup] else {
            throw Failure("--no-backup requires --repair, which otherwise copies the store.", status: .usage)
        }
        let location = parsed[store]
        guard try location.existingKind() == .sqlite else {
            guard !parsed[repair] else {
                throw Failure("Only SQLite stores can be repaired.", code: "store.unrepairable", file: location.path)
            }
            _ = try StoreFiles.open(location, model: parsed[model])
            return StoreCheckReport(path: location.path, findings: []).report(least: .note, bound: .error)
        }
        var options = SQLiteStoreOptions()
        options.isReadOnly = !parsed[repair]
        options.mustExist = true
        let store: SQLiteStore
        do {
            store = try StoreFiles.sqlite(location.path, model: parsed[model].map(StoreFiles.model), options: options)
        } catch let error as StoreError where error.code == .damaged {
            let findings = try ProgressBar.showing("Checking \(location.path)") { _ in
                try SQLiteStore.checkFile(location.path)
            }
            let reported = findings.isEmpty ? [.unreadable(error)] : findings
            return StoreCheckReport(path: location.path, findings: reported).report(least: .warning, bound: .error)
        }
        let findings = try ProgressBar.showing("Checking \(location.path)") { _ in try store.check() }
        var outline = StoreCheckReport(path: location.path, findings: findings)
        if parsed[repair], outline.findings.contains(where: { $0.repair != nil }) {
            if !parsed[noBackup] {
                let copy = BackupName.free(beside: location.path)
                try ProgressBar.showing("Copying \(location.path)") { _ in try store.backUp(to: copy) }
                outline.backup = copy
            }
            let result = try ProgressBar.showing("Repairing \(location.path)") { _ in try store.repair() }
            outline.repaired = result.repaired
            outline.findings = result.remaining
        }
        return outline.report(
            least: parsed[verbose] ? .note : .warning,
            bound: parsed[strict] ? .warning : .error,
            offersRepair: !parsed[repair]
        )
    }
}

/// The result of `check`.
private struct StoreCheckReport {
    let path: String
    var findings: [StoreFinding]
    var repaired: [StoreFinding]?
    var backup: String?

    /// What helps with a damaged file.
    private var remedy: String? {
        guard findings.contains(where: { $0.code == .damaged }) else { return nil }
        var copy = "\(path)-recovered"
        var number = 1
        while FileSystem.exists(copy) {
            number += 1
            copy = "\(path)-recovered-\(number)"
        }
        return "Restore a backup, or save what can be read in a new file: "
            + "sqlite3 \(path.quotedForShell) .recover | sqlite3 \(copy.quotedForShell)"
    }

    func report(
        least: ModelIssue.Severity,
        bound: ModelIssue.Severity,
        offersRepair: Bool = false
    ) -> Report {
        let shown = findings.filter { $0.severity >= least }
        var lines: [StyledText] = []
        if let backup { lines.append(StyledText("Copied the store to \(backup).")) }
        lines += (repaired ?? []).map { $0.line(in: path, wasRepaired: true) }
        lines += shown.map { $0.line(in: path, wasRepaired: false) }
        let counts = [(ModelIssue.Severity.error, "error"), (.warning, "warning")].map { severity, noun in
            Wording.count(findings.count { $0.severity == severity }, noun)
        }
        var summary = counts.joined(separator: ", ")
        if let repaired { summary += ", \(repaired.count) repaired" }
        let repairable = findings.count { $0.repair != nil }
        if offersRepair, repairable > 0 { summary += "; --repair can repair \(repairable)" }
        lines.append(StyledText(summary))
        if let remedy { lines.append(StyledText(remedy)) }
        var json: JSONObject = [:]
        json["backup"] = backup.map(JSONValue.string)
        json["repaired"] = repaired.map { .array($0.map(\.json)) }
        json["findings"] = .array(shown.map(\.json))
        json["errors"] = .integer(findings.count { $0.severity == .error })
        json["warnings"] = .integer(findings.count { $0.severity == .warning })
        json["hint"] = remedy.map(JSONValue.string)
        return Report(
            text: lines.joined(separator: "\n"),
            json: .object(json),
            status: findings.contains { $0.severity >= bound } ? .problems : .fine
        )
    }
}

extension StoreFinding {
    /// `App.sqlite: Post.author: error: … (p3, p7) --repair makes …`
    fileprivate func line(in path: String, wasRepaired: Bool) -> StyledText {
        let place = ModelIssue.Place(file: path, entity: entity, property: property)
        var line = place.prefix
        line += wasRepaired ? StyledText("repaired", .green) : StyledText(severity.word, severity.style)
        line += StyledText(": " + message)
        if !keys.isEmpty {
            let more = count > keys.count ? ", …" : ""
            line += StyledText(" (" + keys.map { "p\($0)" }.joined(separator: ", ") + more + ")")
        }
        if let repair { line += StyledText(wasRepaired ? " Done: \(repair)." : " A repair \(repair).", .faint) }
        return line
    }

    fileprivate var json: JSONValue {
        var json: JSONObject = ["severity": .string(severity.word), "code": .string(code.rawValue)]
        json["entity"] = entity.map(JSONValue.string)
        json["property"] = property.map(JSONValue.string)
        json["message"] = .string(message)
        json["count"] = .integer(count)
        if !keys.isEmpty { json["keys"] = .array(keys.map { .integer($0) }) }
        json["repair"] = repair.map(JSONValue.string)
        return .object(json)
    }
}

/// Names for copies beside a store: `App-backup.sqlite`, `App-backup-2.sqlite`.
enum BackupName {
    static func free(beside path: String) -> String {
        let file = URL(filePath: path)
        let stem = file.deletingPathExtension().lastPathComponent
        let type = file.pathExtension
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        var number = 1
        while true {
            let name =
                folder + stem + (number == 1 ? "-backup" : "-backup-\(number)") + (type.isEmpty ? "" : ".\(type)")
            if !FileManager.default.fileExists(atPath: name) { return name }
            number += 1
        }
    }
}
