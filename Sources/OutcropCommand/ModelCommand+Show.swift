// SPDX-License-Identifier: Apache-2.0

// `outcrop model show`

import Arguments
import JSON
import ObjectModel

extension ModelCommand {
    private static let entityName = Argument<String?>("ENTITY", "One entity, with all that it inherits.")

    static let show = Command<Action>(
        "show",
        "Show what a model holds.",
        discussion: """
            As JSON it is the model in the JSON format, or the entity as it stands there. What can't be read of the model is
            said on the error output.
            """,
        examples: [
            Example("outcrop model show App.xcdatamodeld"), Example("outcrop model show App.xcdatamodeld Post"),
        ],
        exitCodes: [
            ExitCode(0, "The model was read as a whole."),
            ExitCode(1, "It was not, or has no such entity."),
            ExitCode(2, "The command line is wrong."),
        ],
        parameters: [path, entityName]
    ) { parsed, _ in
        let file = try ModelFiles.read(parsed[path])
        let model = file.current.model
        let errors = file.current.readingErrors
        let outline = ModelOutline(model: model)
        guard let name = parsed[entityName] else {
            return Report(text: outline.text(of: file), json: try json(of: file, at: parsed[path]), issues: errors)
        }
        let entity = try ModelFiles.entity(named: name, in: file.current, at: parsed[path])
        return Report(
            text: outline.text(ofWhole: entity),
            json: try json(of: file, at: parsed[path])["entities"]?[name] ?? .null,
            issues: errors
        )
    }

    /// The model in the JSON format, which can't represent parts that couldn't be read.
    private static func json(of file: ModelFile, at path: String) throws -> JSONValue {
        let version = file.current
        try ModelFiles.refuse(
            version.readingErrors,
            "\(path) can't be read as a whole, so its JSON would lack something."
        )
        return try JSONValue(parsing: ModelFiles.naming(path) { () throws(ModelError) in try version.model.json() })
    }
}
