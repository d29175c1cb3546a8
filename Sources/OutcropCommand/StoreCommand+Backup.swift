// SPDX-License-Identifier: Apache-2.0

// `outcrop store backup`

import Arguments
import Files
import FoundationEssentials
import JSON
import SQLiteStore

extension StoreCommand {
    private static let copy = Argument<String>("COPY", "The file to make.", completion: StoreFiles.completion)

    static let backup = Command<Action>(
        "backup",
        "Copy a store that may be in use.",
        discussion: """
            The copy has all that was saved when the copying began, while others go on reading and writing, and the files of
            large values beside it. It is another file with the same identifier. Nothing is overwritten. A SQLite store needs no
            model for this.
            """,
        examples: [Example("outcrop store backup App.sqlite backups/App.sqlite")],
        exitCodes: exitCodes,
        parameters: [store, copy]
    ) { parsed, _ in
        let location = parsed[store]
        let copy = parsed[copy]
        guard !FileManager.default.fileExists(atPath: copy) else {
            throw Failure("There is a file already, and nothing is overwritten.", code: "store.exists", file: copy)
        }
        switch try location.existingKind() {
        case .sqlite: try SQLiteStore.backUp(location.path, to: copy)
        case let kind: try NewStoreFile(copy, kind: kind).make { try FileSystem.copy(location.path, to: $0) }
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: copy))?[.size] as? Int ?? 0
        return Report(
            text: StyledText("Copied \(location.path) to \(copy)."),
            json: ["copy": .string(copy), "size": .integer(size)]
        )
    }
}
