// SPDX-License-Identifier: Apache-2.0

// `outcrop store …`: commands for stores, one per file.

import Arguments

enum StoreCommand {
    static let group = Command<Action>(
        "store",
        "Inspect, back up, restore, convert and repair stores.",
        discussion: """
            A store is a file of Core Data's SQLite layout, or one in XML or binary form that Outcrop wrote. It is named by its
            path, or by a URL with its kind: sqlite:App.sqlite, xml:App.xml, binary:App.bin. SQLite stores are opened with
            the model that they carry; stores that carry none require --model.
            """,
        commands: [info, query, check, backup, restore, convert]
    )

    static let store = Argument<StoreLocation>("STORE", "The store.", completion: StoreFiles.completion)
    static let model = Option<String?>(
        "model",
        value: "FILE",
        "The model of a store that carries none.",
        completion: ModelFiles.completion
    )
    static let exitCodes = [
        ExitCode(0, "The command succeeded."), ExitCode(1, "The command failed."),
        ExitCode(2, "The command line is invalid."),
    ]
}
