// SPDX-License-Identifier: Apache-2.0

// `outcrop store …`: commands for stores, one per file.

import Arguments

enum StoreCommand {
    static let group = Command<Action>(
        "store",
        "Look into stores, and look after them.",
        discussion: """
            A store is a file of Core Data's SQLite layout, or one in XML or binary form that Outcrop wrote. It is named by its
            path, or by a URL that says what it is: sqlite:App.sqlite, xml:App.xml, binary:App.bin. SQLite stores are opened by
            the model that they carry; stores that carry none need --model.
            """,
        commands: [info, query, check, backup, convert]
    )

    static let store = Argument<StoreLocation>("STORE", "The store.", completion: StoreFiles.completion)
    static let model = Option<String?>(
        "model",
        value: "FILE",
        "The model of a store that carries none.",
        completion: ModelFiles.completion
    )
    static let exitCodes = [
        ExitCode(0, "It was done."), ExitCode(1, "It could not be done."), ExitCode(2, "The command line is wrong."),
    ]
}
