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
        "Where to write the picture, in SVG.",
        completion: .file(["svg"])
    )

    static let diagram = Command<Action>(
        "diagram",
        "Draw a model.",
        discussion: """
            Entities are boxes with their attributes; relationships are lines with cardinality and delete rule at each end.
            """,
        examples: [Example("outcrop model diagram App.xcdatamodeld -o App.svg")],
        parameters: [path, picture]
    ) { parsed, _ in
        let version = try ModelFiles.read(parsed[path]).current
        let model = version.model
        let output = parsed[picture]
        try ModelFiles.write(ModelDiagram(model, options: DiagramOptions(title: version.name)).svg(), to: output)
        return Report(
            text: "Wrote \(output): \(Wording.count(model.entities.count, "entity")).",
            json: ["output": .string(output), "entities": .integer(model.entities.count)]
        )
    }
}
