// SPDX-License-Identifier: Apache-2.0

// `outcrop completions SHELL`

import Arguments
import JSON

enum CompletionsCommand {
    private static let shell = Argument<Shell>("SHELL", "The shell to write for.")

    static let command: Command<Action> = Command(
        "completions",
        "Write a shell's completion script.",
        discussion: """
            The script completes the program's commands, options and file names. Where it goes:

              bash: outcrop completions bash > /etc/bash_completion.d/outcrop
              zsh:  outcrop completions zsh > a folder of $fpath, as _outcrop
              fish: outcrop completions fish > ~/.config/fish/completions/outcrop.fish
            """,
        parameters: [shell]
    ) { parsed, _ in
        let script = Program.command.completionScript(for: parsed[shell])
        return Report(document: script, json: .object(["script": .string(script)]))
    }
}
