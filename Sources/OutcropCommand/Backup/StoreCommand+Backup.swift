// SPDX-License-Identifier: Apache-2.0

// `outcrop store backup`

import Arguments
import Files
import FoundationEssentials
import JSON
import SQLiteStore

extension StoreCommand {
    private static let target = Argument<String>(
        "TO",
        "The file to create, or a folder of dated backups.",
        completion: StoreFiles.completion
    )
    private static let keep = Option<Int?>(
        "keep",
        value: "N",
        "Keep the N newest backups of the store in the folder TO, and remove older ones."
    )

    static let backup = Command<Action>(
        "backup",
        "Copy a store, even while it is in use.",
        discussion: """
            The copy has everything that was saved when the copying began, including the files of large values; other programs can
            read and write meanwhile. It is checked before it appears. Its identifier is that of the store. Nothing is
            overwritten. A SQLite store needs no model for this.

            If TO is a folder, a dated backup is made in it, with the file of API keys and a description. The folder is created
            for a name that ends with a slash, and with --keep.
            """,
        examples: [
            Example("outcrop store backup App.sqlite Copy.sqlite"),
            Example("outcrop store backup App.sqlite backups --keep 14", "A dated backup, for a timer."),
        ],
        exitCodes: exitCodes,
        parameters: [store, target, keep]
    ) { parsed, _ in
        let location = parsed[store]
        let target = parsed[target]
        let kind = try location.existingKind()
        if let limit = parsed[keep], limit < 1 {
            throw Failure("--keep needs a number of at least 1.", status: .usage)
        }
        guard parsed[keep] != nil || target.hasSuffix("/") || FileSystem.isFolder(target) else {
            let check = try kind.backUp(location.path, to: target)
            return check.report(
                "Copied \(location.path) to \(target)",
                json: ["copy": .string(target), "size": .integer(FileSystem.size(of: target) ?? 0)]
            )
        }
        let folder = BackupFolder(path: target.count > 1 && target.hasSuffix("/") ? String(target.dropLast()) : target)
        let source = BackupFolder.Source(path: location.path, kind: kind) { try kind.copy(location.path, to: $0) }
        let addition = try folder.add(source, keeping: parsed[keep])
        let removed = addition.removed
        return addition.check.report(
            "Copied \(location.path) to \(addition.backup.folder)",
            removed.isEmpty ? nil : "Removed \(Wording.count(removed.count, "older backup")).",
            json: [
                "copy": .string(addition.backup.path), "size": .integer(addition.backup.manifest.size),
                "removed": .array(removed.map { .string($0.folder) }),
            ]
        )
    }
}

extension StoreKind {
    /// Copies a store to a file that doesn't exist yet, and checks the copy before it appears.
    @discardableResult
    func backUp(_ path: String, to copy: String) throws -> BackupCheck {
        guard !FileSystem.exists(copy) else {
            throw Failure("The file exists already, and is not overwritten.", code: "store.exists", file: copy)
        }
        var check: BackupCheck?
        try NewStoreFile(copy, kind: self).make { new in
            try self.copy(path, to: new)
            check = try BackupCheck(new, self, of: path)
        }
        return try check ?? BackupCheck(copy, self, of: path)
    }

    func copy(_ path: String, to copy: String) throws {
        switch self {
        case .sqlite: try SQLiteStore.backUp(path, to: copy)
        case .xml, .binary: try FileSystem.copy(path, to: copy)
        }
    }
}

extension BackupCheck {
    fileprivate func report(_ text: String, _ more: String? = nil, json: JSONObject) -> Report {
        let count = objects.map { ": \(Wording.count($0, "object")), checked" } ?? ""
        var json = json
        json["objects"] = objects.map { .integer($0) }
        json["missingFiles"] = .integer(missingFiles)
        var report = Report(
            text: [text + count + ".", more].compactMap { $0.map { StyledText($0) } }.joined(separator: "\n"),
            json: .object(json)
        )
        if missingFiles > 0 {
            let values = missingFiles == 1 ? "1 large value has" : "\(missingFiles) large values have"
            report.footer = { "\(values) no file, neither in the store nor in the copy: outcrop store check" }
        }
        return report
    }
}
