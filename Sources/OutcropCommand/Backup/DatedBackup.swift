// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import SourceText

/// A folder with a copy of a store, the files that belong to it, and a manifest.
///
///     backups/App-20261128T020000Z/App.sqlite
///                                  .App_SUPPORT/_EXTERNAL_DATA/…
///                                  App.sqlite.keys.json
///                                  backup.json
struct DatedBackup: Hashable {
    let folder: String
    let manifest: BackupManifest

    var path: String { folder + "/" + manifest.store }

    init(folder: String, manifest: BackupManifest) {
        self.folder = folder
        self.manifest = manifest
    }

    /// Nil if the folder isn't a backup.
    init?(in folder: String) {
        guard let manifest = BackupManifest(in: folder) else { return nil }
        self.init(folder: folder, manifest: manifest)
    }

    /// Throws if the copy isn't as it was made.
    func check() throws {
        guard FileSystem.exists(path), try BackupManifest.digest(ofFile: path) == manifest.digest else {
            throw Failure(
                "The copy has changed since the backup was made.",
                hint: "Use another backup.",
                code: "store.damaged",
                file: path
            )
        }
    }

    /// A time in the names of files: `20261128T020000Z`.
    static func stamp(_ date: Date) -> String {
        let whole = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        return (DateText.text(whole) ?? "").filter { $0 != "-" && $0 != ":" }
    }
}
