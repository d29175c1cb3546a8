// SPDX-License-Identifier: Apache-2.0

// `outcrop init [FOLDER]`

import Arguments
import Files
import FoundationEssentials
import JSON

enum InitCommand {
    private static let folder = Argument<String?>(
        "FOLDER",
        "The folder, which is created if it doesn't exist. By default the working directory.",
        completion: .directory
    )

    static let command: Command<Action> = Command(
        "init",
        "Begin a server in a folder.",
        discussion: """
            Writes a small model to begin with, the settings of a server, access rules with a role that administers, files
            for Docker Compose and systemd, and a README. “outcrop serve” in the folder runs it. No file is overwritten.
            """,
        examples: [Example("outcrop init shop"), Example("cd shop && outcrop serve")],
        exitCodes: [
            ExitCode(0, "The files are written."), ExitCode(1, "A file exists already, or can't be written."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [folder]
    ) { parsed, _ in
        let folder = parsed[folder] ?? "."
        let starter = StarterFolder(path: folder)
        let existing = starter.files.map(\.name).filter { FileSystem.exists(folder + "/" + $0) }
        guard existing.isEmpty else {
            throw Failure(
                "\(Wording.list(existing)) \(existing.count == 1 ? "exists" : "exist") already. Nothing was written.",
                hint: "Name another folder: outcrop init FOLDER",
                code: "init.exists",
                file: folder
            )
        }
        do throws(FileError) {
            try OpenFolder.make(folder)
            for (name, text) in starter.files {
                let file = try OpenFile(writing: folder + "/" + name, existing: .fail)
                try file.append(Array(text.utf8).span)
            }
        } catch {
            throw Failure("The file can't be written: \(error.reason).", code: nil, file: error.path)
        }
        let names = starter.files.map(\.name)
        let next = (parsed[InitCommand.folder].map { "cd \($0) && " } ?? "") + "outcrop serve"
        let lines = ["Wrote \(Wording.list(names)).", "Next: \(next)"]
        return Report(
            text: StyledText(lines.joined(separator: "\n")),
            json: ["folder": .string(folder), "files": .array(names.map(JSONValue.string))]
        )
    }
}
