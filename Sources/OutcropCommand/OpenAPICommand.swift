// SPDX-License-Identifier: Apache-2.0

// `outcrop openapi`

import Arguments
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI

enum OpenAPICommand {
    private static let output = Option<String?>(
        "output",
        short: "o",
        value: "FILE",
        "Where to write the document. By default, the standard output.",
        completion: .file(["json"])
    )

    static let command = Command<Action>(
        "openapi",
        "Write the OpenAPI document of a model's API.",
        discussion: """
            The document is the one that “outcrop serve” returns at /openapi.json: every path, parameter, answer and schema of
            the API, in OpenAPI 3.1, for programs that generate clients and documentation. It depends only on the model. If FILE
            is such a document, it is replaced; anything else there isn't changed. “-” is the standard output.
            """,
        examples: [
            Example("outcrop openapi App.xcdatamodeld -o openapi.json"),
            Example("outcrop openapi App.sqlite", "For the model that the store carries."),
        ],
        parameters: [ModelCommand.path, output]
    ) { parsed, _ in
        let path = parsed[ModelCommand.path]
        let model = try ModelFiles.readComplete(path).model
        let document = try document(of: model, at: path)
        guard let output = parsed[output], output != ModelFiles.standardOutput else {
            return Report(document: document.serialized(.pretty), json: document)
        }
        let bytes = Array((document.serialized(.pretty) + "\n").utf8)
        try ModelFiles.naming(output) { () throws(ModelError) in try write(bytes, to: output) }
        let count = model.entities.count
        return Report(
            text: StyledText("Wrote \(output): \(Wording.count(count, "entity"))."),
            json: ["output": .string(output), "entities": .integer(count)]
        )
    }

    private static func document(of model: Model, at path: String) throws -> JSONValue {
        let managed: ManagedObjectModel
        do {
            managed = try ManagedObjectModel(model)
        } catch {
            throw Failure("\(path) has errors, so it has no API.", issues: error.issues)
        }
        var options = APIOptions()
        options.version = Program.version
        return try API(PersistentStoreCoordinator(model: managed), options: options).openAPIDocument
    }

    private static func write(_ document: [UInt8], to path: String) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        if try ModelFileSystem.visibleEntry(at: path) == .file {
            let old = try ModelFileSystem.bytes(of: path)
            guard old.isEmpty || (try? JSONValue(parsing: old))?["openapi"] != nil else {
                throw ModelError(
                    .wouldOverwrite,
                    at: ModelIssue.Place(file: path),
                    "The existing file isn't an OpenAPI document, and is not overwritten.",
                    hint: "Remove it, or write to another path."
                )
            }
        }
        try ModelFileSystem.write(document, to: path)
    }
}
