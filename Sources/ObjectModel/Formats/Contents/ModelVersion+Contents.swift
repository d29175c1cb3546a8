// SPDX-License-Identifier: Apache-2.0

// The `contents` file of an `.xcdatamodel`.

import Predicates
import SourceText
import XML

extension ModelVersion {
    /// Reads a model from the XML in the `contents` file of an `.xcdatamodel`.
    ///
    /// Throws if the bytes are not a model's XML; `issues` has all other problems.
    public init(contents bytes: [UInt8], name: String = "Model", file: String? = nil) throws(ModelError) {
        let root: XMLElement
        do {
            root = try XMLElement(parsing: bytes)
        } catch {
            throw ModelError.syntax(error, file: file)
        }
        guard root.name == Model.elementNames.element else { throw ModelError.notAModel(root: root, file: file) }
        var reader = ContentsReader(file: file)
        let model: Model = reader.read(root)
        self.init(name: name, model: model, issues: reader.issues)
    }
}

extension Model {
    /// The model as the XML of the `contents` file of an `.xcdatamodel`.
    public func contents() throws(ModelError) -> [UInt8] {
        for (name, attributes) in entities.map({ ($0.name, $0.attributes) })
            + composites.map({ ($0.name, $0.attributes) })
        {
            guard let attribute = attributes.first(where: { !$0.hasContentsValues }) else { continue }
            throw .unwritable("“\(attribute.name)” has a value that a model can't represent.", property: attribute.name)
                .placed(inEntity: name)
        }
        do {
            return Array(try contentsElement.serialized(.model).utf8)
        } catch {
            throw ModelError(.unwritable, at: ModelIssue.Place(), "The model can't be written as XML: \(error.message)")
        }
    }
}

extension Attribute {
    fileprivate var hasContentsValues: Bool {
        [defaultValue, minimumValue, maximumValue].allSatisfy { $0 == nil || $0 == .null || $0?.contentsText != nil }
    }
}

extension ModelError {
    fileprivate static func syntax(_ error: XMLError, file: String?) -> ModelError {
        let place = ModelIssue.Place(file: file, line: error.position?.line, column: error.position?.column)
        return ModelError(.syntax, at: place, error.message)
    }

    fileprivate static func notAModel(root: XMLElement, file: String?) -> ModelError {
        let place = ModelIssue.Place(file: file, line: root.position?.line, column: root.position?.column)
        return ModelError(.notAModel, at: place, "The root element is <\(root.name)>, which isn't a model.")
    }
}
