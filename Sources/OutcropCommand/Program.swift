// SPDX-License-Identifier: Apache-2.0

// The program as a function of its arguments. The process is in Main.swift.

import Arguments
import JSON
import ObjectModel

/// The function of a command, from parsed parameters to a report.
typealias Action = @Sendable (ParsedArguments, Terminal) throws -> Report

enum Program {
    struct Result {
        var output = ""
        var errors = ""
        var status = ReportStatus.fine
    }

    static let json = Flag("json", "Answer in JSON, for scripts.")

    static let command: Command<Action> = Command(
        "outcrop",
        "Core Data for servers.",
        discussion: """
            Serves the objects of a Core Data model over HTTP. Checks, shows, converts, compares and draws data models, inspects,
            maintains and migrates stores, imports and exports objects, checks predicates, and generates Swift
            classes for models.
            """,
        examples: [
            Example("outcrop serve --demo", "A server to try, with generated data."),
            Example("outcrop serve App.xcdatamodeld", "The server of a model, with a store beside it."),
            Example("outcrop model show App.xcdatamodeld", "The contents of the model."),
            Example("outcrop store query App.sqlite Post --where 'views > 10'", "Some objects of a store."),
        ],
        exitCodes: [
            ExitCode(0, "Fine."),
            ExitCode(1, "There were problems, or the command failed."),
            ExitCode(2, "The command line is invalid."),
            ExitCode(130, "The command was interrupted."),
        ],
        version: Version.text,
        parameters: [json],
        commands: [
            ServeCommand.command, InitCommand.command, ModelCommand.group, StoreCommand.group, MigrateCommand.command,
            KeysCommand.group, AccessCommand.group,
            ImportCommand.command, ExportCommand.command, DemoDataCommand.command, PredicateCommand.group,
            GenerateCommand.group, OpenAPICommand.command,
            CompletionsCommand.command, ManCommand.command,
        ]
    )

    static let version = Version.number

    /// Runs the program with the arguments after its name.
    ///
    /// - Parameter write: Writes output that is too long to be returned. Without it, all output is returned.
    static func run(_ words: [String], on terminal: Terminal, writing write: OutputWriter? = nil) -> Result {
        let invocation: Invocation<Action>
        do {
            invocation = try command.parse(words, width: terminal.width)
        } catch {
            return Result(errors: "outcrop: \(error)", status: .usage)
        }
        switch invocation {
        case .print(let text): return Result(output: text)
        case .run(let action, let parsed):
            do {
                let report = try action(parsed, terminal)
                let isJSON = parsed[json]
                let remarks = (isJSON ? [] : report.issues) + report.remarks
                var output = try report.shown(on: terminal, asJSON: isJSON, writing: write)
                if let settle = report.settle {
                    if let write {
                        // A closed pipe isn't a failure: its reader wants no more.
                        do { try write(ended(output)) } catch let failure as OutputFailure where failure.reason == nil {
                        }
                        output = ""
                    }
                    try settle()
                }
                let lines = remarks.map(\.line) + [report.footer()].compactMap { $0.map { StyledText($0) } }
                return Result(
                    output: output,
                    errors: lines.joined(separator: "\n").rendered(on: .plain),
                    status: report.status
                )
            } catch let failure as OutputFailure {
                return Result(errors: failure.message, status: failure.reason == nil ? .fine : .problems)
            } catch is Interruption.Requested {
                return result(of: Failure("Interrupted.", status: Interruption.status), asJSON: parsed[json])
            } catch let failure as Failure {
                return result(of: failure, asJSON: parsed[json])
            } catch {
                return result(of: StoreFiles.failure(error), asJSON: parsed[json])
            }
        }
    }

    /// A message with a line end. Checks bytes, because CR LF is one character.
    static func ended(_ message: String) -> String {
        message.isEmpty || message.utf8.last == UInt8(ascii: "\n") ? message : message + "\n"
    }

    private static func result(of failure: Failure, asJSON: Bool) -> Result {
        let hint = failure.hint.map { "\n\($0)" } ?? ""
        let message = "outcrop: " + failure.place.prefix + StyledText(failure.message + hint)
        guard asJSON else {
            let lines = (failure.issues.map(\.line) + [message]).joined(separator: "\n")
            return Result(errors: lines.rendered(on: .plain), status: failure.status)
        }
        var error: JSONObject = [:]
        error["code"] = failure.code.map(JSONValue.string)
        failure.place.add(to: &error)
        error["message"] = .string(failure.message)
        error["hint"] = failure.hint.map(JSONValue.string)
        var json: JSONObject = [:]
        if !failure.issues.isEmpty { json["issues"] = .array(failure.issues.map(\.json)) }
        json["error"] = .object(error)
        return Result(output: JSONValue.object(json).serialized(.pretty), status: failure.status)
    }
}
