// SPDX-License-Identifier: Apache-2.0
// A command line with one of everything, parsed by the tests.

import Arguments

enum OutputFormat: String, CaseIterable, ArgumentValue {
    case json
    case xcdatamodel
    case xcdatamodeld
}

struct Assignment: ArgumentValue, Equatable {
    var name: String
    var value: String

    init(argument: String) throws(InvalidArgument) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { throw InvalidArgument("expected NAME=VALUE") }
        name = String(parts[0])
        value = String(parts[1])
    }

    var argument: String { "\(name)=\(value)" }
}

enum Sample {
    static let json = Flag("json", "Answer in JSON.")
    static let verbose = Flag("verbose", short: "v", "Say more.")

    static let paths = Argument<[String]>("PATH", "The models to check.", completion: .file(["json"]), atLeast: 1)
    static let input = Argument<String>(
        "IN",
        "The model to read.",
        completion: .file(["json", "xcdatamodeld"])
    )
    static let entity = Argument<String?>("ENTITY", "Show this entity alone.")
    static let output = Option<String>(
        "output",
        short: "o",
        value: "OUT",
        "Where to write the model.",
        completion: .file([])
    )
    static let format = Option<OutputFormat>(
        "to",
        value: "FORMAT",
        "The format to write, which is otherwise guessed from the extension of OUT.",
        default: .json
    )
    static let depth = Option<Int?>("depth", short: "d", "How deep to look.", familiarNames: ["levels"])
    static let scale = Option<Double>("scale", "How large to draw.", default: 1.5, section: "Drawing")
    static let directory = Option<String?>("directory", value: "DIR", "Where to look.", completion: .directory)
    static let theme = Option<String?>(
        "theme",
        #"The [colours]: 'a' or "b", \ and `touch pwned`."#,
        choices: ["high contrast", "$HOME's", "a:b", "$(touch pwned)"]
    )
    static let variables = Option<[Assignment]>("var", value: "NAME=VALUE", "Set a variable.")
    static let grid = Option<Bool>("grid", "Draw a grid.", default: true, section: "Drawing")
    static let files = Argument<[String]>("FILE", "What to copy.", atLeast: 1)
    static let target = Argument<String>("TARGET", "Where to.", completion: .directory)

    static let root = Command(
        "tool",
        "Work with models.",
        discussion: "Reads models and writes them.",
        version: "tool 1.2",
        parameters: [json, verbose],
        commands: [
            Command(
                "model",
                "Look at models: check, show and convert them.",
                commands: [
                    Command("check", "Check models for `flaws` at $0 cost.", parameters: [paths], action: "check"),
                    Command("show", "Show a model's [entities].", parameters: [input, entity], action: "show"),
                    Command(
                        "convert",
                        "Convert a model from one format to another.",
                        discussion: """
                            The model is read as a whole before anything is written, so that a model with an error \
                            leaves no file behind.
                            Lines are joined.

                              Indented lines stay
                                as they are.
                            """,
                        examples: [
                            Example(
                                "tool model convert Shop.json -o Shop.xcdatamodeld",
                                "From JSON to Xcode's format."
                            ),
                            Example("tool model convert Shop.xcdatamodeld -o -"),
                        ],
                        exitCodes: [ExitCode(0, "The model is written."), ExitCode(2, "The command line is wrong.")],
                        parameters: [input, output, format, scale, grid],
                        action: "convert"
                    ),
                ]
            ),
            Command(
                "draw",
                "Draw \"it\" all.",
                parameters: [depth, directory, theme, variables],
                action: "draw"
            ),
            Command("copy", "Copy files.", parameters: [files, target], action: "copy"),
        ]
    )

    static func run(_ line: String) throws -> ParsedArguments {
        try run(line.split(separator: " ").map(String.init))
    }

    static func run(_ words: [String]) throws -> ParsedArguments {
        guard case .run(let action, let parsed) = try root.parse(words) else { throw NotRun() }
        guard action == parsed.path.last else { throw NotRun() }
        return parsed
    }

    struct NotRun: Error {}
}
