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
            Every entity of the model can be read and written below /api. Without --model, a SQLite store is served with
            the model that it carries. A store that doesn't exist is created.

            Each option can also be set by an environment variable, such as OUTCROP_LISTEN, or in the file of
            --config. An option overrides a variable, and a variable the file.

            SIGTERM and SIGINT let running requests end; a second one stops at once. SIGHUP reopens the log, and reads
            the model, the access rules, the webhooks and the certificates again.
            """,
        examples: [
            Example("outcrop serve --demo", "Try it, with generated data in memory."),
            Example("outcrop serve --model App.xcdatamodeld --store sqlite:app.sqlite"),
            Example("outcrop serve --store App.sqlite --read-only --listen unix:/run/app.sock"),
        ],
        exitCodes: [
            ExitCode(0, "The server was stopped, --check found no problems, or --ready found the server ready."),
            ExitCode(1, "The server couldn't start, --check found problems, or --ready no server that is ready."),
            ExitCode(2, "The command line is invalid."),
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
        if parsed[ServeOptions.ready], reading.problems.isEmpty { return ServeProbe(settings: reading.settings).report }
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
