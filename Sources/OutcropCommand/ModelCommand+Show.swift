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
        discussion: "As JSON it is the model in the JSON format, or the entity as it stands there.",
        examples: [
            Example("outcrop model show App.xcdatamodeld"), Example("outcrop model show App.xcdatamodeld Post"),
        ],
        parameters: [path, entityName]
    ) { parsed, terminal in
        let file = try ModelFiles.read(parsed[path])
        let model = file.current.model
        let outline = ModelOutline(model: model, terminal: terminal)
        guard let name = parsed[entityName] else {
            return Report(text: outline.text(of: file), json: try json(of: model, at: parsed[path]))
        }
        let entity = try ModelFiles.entity(named: name, in: model, at: parsed[path])
        return Report(
            text: outline.text(ofWhole: entity),
            json: try json(of: model, at: parsed[path])["entities"]?[name] ?? .null
        )
    }

    private static func json(of model: Model, at path: String) throws -> JSONValue {
        try JSONValue(parsing: ModelFiles.naming(path) { () throws(ModelError) in try model.json() })
    }
}
