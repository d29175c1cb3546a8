// SPDX-License-Identifier: Apache-2.0

// `outcrop serve`

import Arguments
import FoundationEssentials
import JSON

enum ServeCommand {
    static let command = Command<Action>(
        "serve",
        "Serve a model's objects over HTTP.",
        discussion: """
            Every entity of the model is there for reading and writing under /api. Without --model a SQLite store is served by
            the model that it carries. A store that isn't there yet is made.

            What an option sets can also be set by a variable of the environment, such as OUTCROP_LISTEN, and in a file that
            --config names. An option goes before a variable, and a variable before the file.

            SIGTERM and SIGINT have the requests that run come to their end, a second one ends at once. SIGHUP opens the log anew.
            """,
        examples: [
            Example("outcrop serve --demo", "Try it, with generated data in memory."),
            Example("outcrop serve --model App.xcdatamodeld --store sqlite:app.sqlite"),
            Example("outcrop serve --store App.sqlite --read-only --listen unix:/run/app.sock"),
        ],
        exitCodes: [
            ExitCode(0, "It was stopped, or --check found nothing wrong."),
            ExitCode(1, "It could not start, or --check found problems."),
            ExitCode(2, "The command line is wrong."),
        ],
        parameters: ServeOptions.parameters
    ) { parsed, terminal in
        let reading = SettingsReader(
            file: parsed[ServeOptions.config],
            environment: ProcessInfo.processInfo.environment,
            options: ServeOptions.given(parsed)
        )
        let check = ServeCheck(reading: reading)
        if parsed[ServeOptions.check] { return check.report }
        let problems = check.contradictions()
        guard problems.isEmpty else { throw Failure(problems.map(\.line).joined(separator: "\noutcrop: ")) }
        var settings = reading.settings
        if parsed[Program.json] { settings.logFormat = .json }
        let run = ServeRun(settings: settings, warnings: reading.warnings, terminal: terminal)
        let isTold = terminal.isInteractive && settings.logFormat == .people
        if isTold { return Report { write in try run.run(writing: write) } }
        try run.run(writing: nil)
        return Report(text: "", json: ["stopped": true])
    }
}
