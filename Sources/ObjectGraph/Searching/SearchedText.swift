// SPDX-License-Identifier: Apache-2.0

// The texts of objects that searches use.

import ObjectModel
import Predicates

/// An attribute that the model marks for the search index, or an element of one.
package struct SearchedText: Hashable, Sendable {
    package let attribute: AttributeDescription
    /// The path of elements within a composite attribute.
    package let elements: [AttributeDescription]

    /// The key path, as clients use it.
    package var name: String { ([attribute] + elements).map(\.name).joined(separator: ".") }

    /// The text in the value of the attribute.
    func text(in value: Value) -> String? {
        var value = value
        for element in elements {
            guard case .dictionary(let values) = value else { return nil }
            value = values[element.name] ?? .null
        }
        switch value {
        case .string(let text), .uri(let text): return text
        default: return nil
        }
    }
}

extension AttributeDescription {
    /// The marked texts and URIs that searches use.
    var searchedTexts: [SearchedText] { isPersistent ? searchedTexts(of: self, through: []) : [] }

    private func searchedTexts(
        of attribute: AttributeDescription,
        through elements: [AttributeDescription]
    ) -> [SearchedText] {
        switch type {
        case .string, .uri:
            self.attribute.isSearchIndexed ? [SearchedText(attribute: attribute, elements: elements)] : []
        case .composite: self.elements.flatMap { $0.searchedTexts(of: attribute, through: elements + [$0]) }
        default: []
        }
    }
}

extension ManagedObjectModel {
    /// The root entity, over whose hierarchy searches compute statistics.
    func root(of entity: EntityDescription) -> EntityDescription { entities[entity.rootIndex] }
}
