// SPDX-License-Identifier: Apache-2.0

// `outcrop store backup`

import Arguments
import Files
import FoundationEssentials
import JSON
import SQLiteStore

extension StoreCommand {
    private static let copy = Argument<String>("COPY", "The file to create.", completion: StoreFiles.completion)

    static let backup = Command<Action>(
        "backup",
        "Copy a store, even while it is in use.",
        discussion: """
            The copy has everything that was saved when the copying began, including the files of large values; other programs can
            read and write meanwhile. Its identifier is that of the store. Nothing is overwritten. A SQLite store needs no
            model for this.
            """,
        examples: [Example("outcrop store backup App.sqlite backups/App.sqlite")],
        exitCodes: exitCodes,
        parameters: [store, copy]
    ) { parsed, _ in
        let location = parsed[store]
        let copy = parsed[copy]
        let kind = try location.existingKind()
        try ProgressBar.showing("Copying \(location.path)") { _ in try kind.backUp(location.path, to: copy) }
        let size = (try? FileManager.default.attributesOfItem(atPath: copy))?[.size] as? Int ?? 0
        return Report(
            text: StyledText("Copied \(location.path) to \(copy)."),
            json: ["copy": .string(copy), "size": .integer(size)]
        )
    }
}

extension StoreKind {
    /// Copies a store to a file that doesn't exist yet.
    func backUp(_ path: String, to copy: String) throws {
        guard !FileManager.default.fileExists(atPath: copy) else {
            throw Failure("The file exists already, and is not overwritten.", code: "store.exists", file: copy)
        }
        switch self {
        case .sqlite: try SQLiteStore.backUp(path, to: copy)
        case .xml, .binary: try NewStoreFile(copy, kind: self).make { try FileSystem.copy(path, to: $0) }
        }
    }
}
