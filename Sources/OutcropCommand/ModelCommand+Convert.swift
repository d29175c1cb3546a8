// SPDX-License-Identifier: Apache-2.0

// `outcrop model convert`

import Arguments
import JSON
import ObjectModel

extension ModelCommand {
    private static let input = Argument<String>("IN", "The model to convert.", completion: ModelFiles.completion)
    private static let output = Option<String>(
        "output",
        short: "o",
        value: "OUT",
        "Where to write it.",
        completion: ModelFiles.completion
    )
    private static let kind = Option<ModelFormatArgument?>(
        "to",
        value: "KIND",
        "The format. By default the extension of OUT determines it."
    )

    static let convert = Command<Action>(
        "convert",
        "Write a model in another format.",
        discussion: """
            Nothing is lost: what has no meaning for this program is preserved, and a model that can't be read completely is
            not converted. If OUT is a model, it is replaced. Anything else there isn't changed, including other files in a
            bundle. “-” is the standard output, for JSON.
            """,
        examples: [
            Example("outcrop model convert App.xcdatamodeld -o App.json"),
            Example("outcrop model convert App.json -o App.xcdatamodeld", "For Xcode."),
        ],
        parameters: [input, output, kind]
    ) { parsed, _ in
        let file = try ModelFiles.read(parsed[input])
        let path = parsed[output]
        try ModelFiles.refuse(
            file.versions.flatMap(\.readingErrors),
            "\(parsed[input]) can't be read completely, so nothing was written."
        )
        if path == ModelFiles.standardOutput {
            guard [nil, .json].contains(parsed[kind]?.format) else {
                throw Failure("Only JSON can be written to the standard output.", status: .usage)
            }
            let json = try ModelFiles.naming(parsed[input]) { () throws(ModelError) in
                try file.json(name: file.current.name)
            }
            return Report(document: String(decoding: json, as: UTF8.self), json: try JSONValue(parsing: json))
        }
        try ModelFiles.write(file, to: path, as: parsed[kind]?.format)
        return Report(
            text: StyledText(
                "Wrote \(path): \(Wording.count(file.versions.count, "version")), "
                    + "\(Wording.count(file.current.model.entities.count, "entity")) in the current one."
            ),
            json: ["output": .string(path), "versions": .integer(file.versions.count)]
        )
    }
}

/// A model's format as an argument.
private struct ModelFormatArgument: ArgumentValue {
    let format: ModelFile.Format

    init(argument: String) throws(InvalidArgument) {
        guard let format = ModelFile.Format(rawValue: argument) else {
            throw InvalidArgument("expected \(Self.choices.joined(separator: ", "))")
        }
        self.format = format
    }

    var argument: String { format.rawValue }

    static var choices: [String] { ModelFile.Format.allCases.map(\.rawValue) }
}
