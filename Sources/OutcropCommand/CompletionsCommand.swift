// SPDX-License-Identifier: Apache-2.0

// `outcrop completions SHELL`

import Arguments
import JSON

enum CompletionsCommand {
    private static let shell = Argument<Shell>("SHELL", "The shell to write the script for.")

    static let command: Command<Action> = Command(
        "completions",
        "Write a shell's completion script.",
        discussion: """
            The script completes the program's commands, options and file names. Install it as follows:

              bash: outcrop completions bash > /etc/bash_completion.d/outcrop
              zsh:  outcrop completions zsh > _outcrop, in a folder of $fpath
              fish: outcrop completions fish > ~/.config/fish/completions/outcrop.fish
            """,
        parameters: [shell]
    ) { parsed, _ in
        let script = Program.command.completionScript(for: parsed[shell])
        return Report(document: script, json: .object(["script": .string(script)]))
    }
}
