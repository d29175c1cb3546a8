// SPDX-License-Identifier: Apache-2.0

import ObjectModel

extension SwiftNames {
    /// The Swift type of an attribute, such as `Int64?`.
    func type(of attribute: Attribute) -> String {
        let type: String =
            switch attribute.type {
            case .int16, .int32, .int64, .decimal, .double, .float, .string, .bool, .date, .uuid: attribute.type.name
            case .binary: "Data"
            case .uri: "URL"
            case .composite(let name): compositeName(name)
            case .objectID: "ObjectReference"
            case .transformable, .undefined: "Value"
            }
        // `Value` has its own null.
        return attribute.isOptional && type != "Value" ? type + "?" : type
    }

    /// The imports that declarations with these attributes need.
    static func imports(for attributes: [Attribute]) -> [String] {
        let needsFoundation = attributes.contains { [.decimal, .binary, .date, .uuid, .uri].contains($0.type) }
        return (needsFoundation ? ["FoundationEssentials"] : []) + ["Outcrop"]
    }
}
