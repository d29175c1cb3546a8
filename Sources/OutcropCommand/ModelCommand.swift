// SPDX-License-Identifier: Apache-2.0

// `outcrop model …`: commands for models, one per file.

import Arguments

enum ModelCommand {
    static let group = Command<Action>(
        "model",
        "Check, show, convert, compare and draw data models.",
        discussion: """
            A model is an .xcdatamodeld or .xcdatamodel as Xcode writes it, the .momd or .mom that it is compiled to, a .json
            file, or a SQLite store that carries its model. Of several versions the current one is used; name another one by its path,
            App.xcdatamodeld/App 2.xcdatamodel.
            """,
        commands: [check, show, convert, diff, diagram]
    )

    static let path = Argument<String>("PATH", "The model.", completion: ModelFiles.completion)
}
