// SPDX-License-Identifier: Apache-2.0

// `outcrop model show`

import Arguments
import JSON
import ObjectModel

extension ModelCommand {
    private static let entityName = Argument<String?>("ENTITY", "One entity, with everything that it inherits.")

    static let show = Command<Action>(
        "show",
        "Show the contents of a model.",
        discussion: """
            As JSON it is the model in the JSON format, or the entity in that format. Parts of the model that can't be read are
            reported on the standard error.
            """,
        examples: [
            Example("outcrop model show App.xcdatamodeld"), Example("outcrop model show App.xcdatamodeld Post"),
        ],
        exitCodes: [
            ExitCode(0, "The model was read completely."),
            ExitCode(1, "The model couldn't be read completely, or doesn't have the entity."),
            ExitCode(2, "The command line is invalid."),
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
            "\(path) can't be read completely, so its JSON would be incomplete."
        )
        return try JSONValue(parsing: ModelFiles.naming(path) { () throws(ModelError) in try version.model.json() })
    }
}
