// SPDX-License-Identifier: Apache-2.0

// JSON files with one version of a model, or with several by name.

import JSON
import SourceText

extension ModelFile {
    /// Reads the versions of a model from JSON; `docs/model-format.md` describes the format.
    ///
    /// Throws if the bytes are not a model's JSON; the `issues` of the versions have all other problems.
    ///
    /// - Parameter name: The name of the version in a file with a single unnamed version.
    public init(json bytes: [UInt8], name: String = "Model", file: String? = nil) throws(ModelError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            let place = ModelIssue.Place(file: file, line: error.position.line, column: error.position.column)
            throw ModelError(.syntax, at: place, error.message)
        }
        guard let object = value.object, object["entities"] != nil || object["versions"] != nil else {
            throw ModelError(
                .notAModel,
                at: ModelIssue.Place(file: file, line: value.position?.line),
                "The JSON isn't a model: it has neither “entities” nor “versions”."
            )
        }
        if let versions = object["versions"] {
            try self.init(versions: versions, of: value, file: file)
        } else {
            self.init(versions: [Self.version(name, value, file: file)])
        }
    }

    /// The model as JSON: a plain model if its only version has the expected name, otherwise versions by name.
    public func json(name: String = "Model") throws(ModelError) -> [UInt8] {
        // Each property is on a line of its own.
        let property = 4
        var format = JSONFormat(indentation: 2, openLevels: property, endsWithNewline: true)
        if versions.count == 1, current.name == name {
            return JSONValue.object(try current.model.jsonObject()).serializedBytes(format)
        }
        var object = JSONObject()
        object["current"] = .string(current.name)
        object["versions"] = try .named(versions, "versions") { version throws(ModelError) in
            (version.name, .object(try version.model.jsonObject()))
        }
        format.openLevels += 2
        return JSONValue.object(object).serializedBytes(format)
    }

    private init(versions: JSONValue, of value: JSONValue, file: String?) throws(ModelError) {
        var reader = JSONModelReader(file: file)
        let object = reader.object(value, .file) ?? [:]
        let current = reader.text("current", of: object)
        let read = reader.named("versions", of: object) { Self.version($1, $2, file: file) }
        let place = ModelIssue.Place(
            file: file,
            line: object["current"]?.position?.line,
            column: object["current"]?.position?.column
        )
        try self.init(versions: read, current: current, at: place)
        self.versions[currentIndex].issues.insert(contentsOf: reader.issues, at: 0)
    }

    private static func version(_ name: String, _ value: JSONValue, file: String?) -> ModelVersion {
        guard value.object != nil else {
            let place = ModelIssue.Place(file: file, line: value.position?.line, column: value.position?.column)
            let message = "The version “\(name)” must be an object, not \(value.kindName)."
            return ModelVersion(name: name, model: Model(), issues: [ModelIssue(.modelNotAModel, at: place, message)])
        }
        var reader = JSONModelReader(file: file)
        let model = reader.model(value)
        return ModelVersion(name: name, model: model, issues: reader.issues)
    }
}

extension Model {
    /// The model as JSON; `docs/model-format.md` describes the format.
    public func json() throws(ModelError) -> [UInt8] {
        try ModelFile(versions: [ModelVersion(name: "Model", model: self)]).json()
    }
}
