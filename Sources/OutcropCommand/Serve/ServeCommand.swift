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
            Every entity of the model can be read and written below /api. A model is served from a store beside it, which
            is created: Blog.xcdatamodeld from Blog.sqlite. A SQLite store is served with the model that it carries. Without
            anything to serve, the settings are those of outcrop.json in the working directory.

            Each option can also be set by an environment variable, such as OUTCROP_LISTEN, or in the file of
            --config. An option overrides a variable, and a variable the file.

            SIGTERM and SIGINT let running requests end; a second one stops at once. SIGHUP reopens the log, and reads
            the model, the access rules, the webhooks and the certificates again.
            """,
        examples: [
            Example("outcrop serve --demo", "Try it, with generated data."),
            Example("outcrop serve App.xcdatamodeld"),
            Example("outcrop serve App.sqlite --read-only --listen unix:/run/app.sock"),
        ],
        exitCodes: [
            ExitCode(0, "The server was stopped, --check found no problems, or --ready found the server ready."),
            ExitCode(1, "The server couldn't start, --check found problems, or --ready no server that is ready."),
            ExitCode(2, "The command line is invalid."),
            ExitCode(130, "A second Ctrl-C ended it before running requests were complete."),
        ],
        parameters: ServeOptions.parameters
    ) { parsed, terminal in
        let environment = ProcessInfo.processInfo.environment
        var reading = SettingsReader(
            file: parsed[ServeOptions.config],
            environment: environment,
            options: ServeOptions.given(parsed),
            serving: try parsed[ServeOptions.subject].map(ServeSubject.init),
            folder: ""
        )
        reading.addDefaultStore(environment: environment)
        let check = ServeCheck(reading: reading)
        if parsed[ServeOptions.check] { return check.report }
        if parsed[ServeOptions.ready], reading.problems.isEmpty { return ServeProbe(settings: reading.settings).report }
        var settings = reading.settings
        if parsed[Program.json] { settings.logFormat = .json }
        let run = ServeRun(settings: settings, warnings: reading.warnings, terminal: terminal)
        // With --json, the standard output has the failure.
        let logsFailures = run.logsFailures && !parsed[Program.json]
        let problems = check.contradictions()
        guard problems.isEmpty else {
            // Problems of a file or a variable aren't those of the command line.
            let areOfCommandLine = problems.allSatisfy { $0.place.hasPrefix("--") }
            let separator = logsFailures ? "\n" : "\noutcrop: "
            let failure = Failure(
                problems.map(\.line).joined(separator: separator),
                status: areOfCommandLine ? .usage : .problems
            )
            run.record(failure)
            guard logsFailures else { throw failure }
            return Report(text: "", json: [:], status: failure.status)
        }
        let isTold = terminal.isInteractive && settings.logFormat == .people
        if isTold { return Report { write in try run.run(writing: write) } }
        do {
            try run.run(writing: nil)
        } catch  where logsFailures {
            return Report(text: "", json: [:], status: StoreFiles.failure(error).status)
        }
        return Report(text: "", json: ["stopped": true])
    }
}
