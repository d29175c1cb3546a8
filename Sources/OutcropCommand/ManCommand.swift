// SPDX-License-Identifier: Apache-2.0

// `outcrop man FOLDER`

import Arguments
import Files
import JSON

enum ManCommand {
    private static let folder = Argument<String>(
        "FOLDER",
        "Where to write the pages; the folder is created if it doesn't exist.",
        completion: .directory
    )

    static let command: Command<Action> = Command(
        "man",
        "Write the manual pages of all commands.",
        discussion: """
            Writes a page for each command, such as outcrop-serve.1. Existing pages are replaced. Read one of them with
            “man -l FILE”, or write them where “man outcrop-serve” finds them.
            """,
        examples: [Example("outcrop man /usr/local/share/man/man1")],
        exitCodes: [
            ExitCode(0, "The pages are written."), ExitCode(1, "The folder can't be written."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [folder]
    ) { parsed, _ in
        let folder = parsed[folder]
        let pages = Program.command.manPages
        do throws(FileError) {
            try OpenFolder.make(folder)
            for page in pages {
                let file = try OpenFile(writing: folder + "/" + page.fileName, existing: .truncate)
                try file.append(Array(page.text.utf8).span)
            }
        } catch {
            throw Failure("The pages can't be written: \(error.reason).", code: nil, file: error.path)
        }
        return Report(
            text: StyledText("Wrote \(Wording.count(pages.count, "page")) to \(folder)."),
            json: ["pages": .array(pages.map { .string($0.fileName) })]
        )
    }
}
