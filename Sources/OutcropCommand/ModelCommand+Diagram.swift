// SPDX-License-Identifier: Apache-2.0

// `outcrop model diagram`

import Arguments
import JSON
import ModelDiagram
import ObjectModel

extension ModelCommand {
    private static let picture = Option<String>(
        "output",
        short: "o",
        value: "OUT",
        "Where to write the picture, as SVG.",
        completion: .file(["svg"])
    )

    static let diagram = Command<Action>(
        "diagram",
        "Draw a model.",
        discussion: """
            Entities are boxes with their attributes; relationships are lines with cardinality and delete rule at each end.
            Parts of the model that can't be read are reported on the standard error. If OUT is a picture, it is replaced;
            anything else there isn't changed. “-” is the standard output.
            """,
        examples: [Example("outcrop model diagram App.xcdatamodeld -o App.svg")],
        exitCodes: [
            ExitCode(0, "The model was read completely, and drawn."),
            ExitCode(1, "The model couldn't be read completely or drawn."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [path, picture]
    ) { parsed, _ in
        let version = try ModelFiles.read(parsed[path]).current
        let output = parsed[picture]
        let svg = ModelDiagram(version.model, options: DiagramOptions(title: version.name)).svg()
        let issues = version.readingErrors
        let count = version.model.entities.count
        var json: JSONObject = ["output": .string(output), "entities": .integer(count)]
        if !issues.isEmpty { json["issues"] = .array(issues.map(\.json)) }
        if output == ModelFiles.standardOutput {
            json["svg"] = .string(svg)
            return Report(document: svg, json: .object(json), issues: issues)
        }
        try ModelFiles.write(svg: svg, to: output)
        return Report(
            text: StyledText("Wrote \(output): \(Wording.count(count, "entity"))."),
            json: .object(json),
            issues: issues
        )
    }
}
