// SPDX-License-Identifier: Apache-2.0

// Checks a copy of a store before it counts as a backup.

import FoundationEssentials
import SQLiteStore

/// What a copy of a store contains.
struct BackupCheck {
    /// The number of objects, if it is known without a model.
    let objects: Int?
    /// The identifier of a SQLite store.
    let identifier: String?
    /// The number of large values whose files are missing, in the store as well.
    let missingFiles: Int

    /// Throws if the copy is damaged.
    ///
    /// - Parameter source: The path of the store, which errors name.
    init(_ copy: String, _ kind: StoreKind, of source: String) throws {
        guard kind == .sqlite else {
            objects = nil
            identifier = nil
            missingFiles = 0
            return
        }
        if let finding = try SQLiteStore.checkFile(copy).first {
            throw Failure(
                "The copy isn't sound, and was removed. \(finding.message)",
                hint: "Check the store: outcrop store check \(source)",
                code: "store.damaged",
                file: source
            )
        }
        let summary = try StoreSummary(path: copy)
        objects = summary.entities.reduce(0) { $0 + $1.objects }
        identifier = summary.identifier.uuidString
        missingFiles = try SQLiteStore.missingFiles(copy).count
    }
}
