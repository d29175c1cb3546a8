// SPDX-License-Identifier: Apache-2.0

// The columns of objects in comma-separated values.

import JSON
import ObjectGraph
import Predicates

/// A column, or several adjacent ones.
indirect enum CSVColumn: Sendable {
    /// `_id`, `_entity` and `_version`
    case reference
    case entity
    case version
    /// An attribute, or an element of a composite attribute, by its path of names.
    case attribute([String])
    case toOne(String)
    /// The columns of a related object.
    case related(String, [CSVColumn])
    /// All related objects, as JSON.
    case members(String)
    /// The highlights of a search, as JSON.
    case highlights

    /// The columns of a selection, reserved keys first.
    static func columns(of selection: Selection, for resource: Resource, in catalogue: Catalogue) -> [CSVColumn] {
        let highlights: [CSVColumn] = selection.showsHighlights ? [.highlights] : []
        return [.reference, .entity, .version] + shown(of: selection, for: resource, in: catalogue) + highlights
    }

    private static func shown(
        of selection: Selection,
        for resource: Resource,
        in catalogue: Catalogue
    ) -> [CSVColumn] {
        let shape = ObjectShape(selection, of: resource)
        return shape.shown.flatMap { property -> [CSVColumn] in
            if let place = shape.embeddings.firstIndex(where: { $0.property.name == property.name }) {
                return related(shape.embeddings[place], catalogue)
            }
            if let attribute = property.attribute {
                let parts = selection.elements[property.name] ?? attribute.elements
                return parts.isEmpty ? [.attribute([property.name])] : elements(parts, in: [property.name])
            }
            return [.toOne(property.name)]
        }
    }

    private static func related(_ embedding: Selection.Embedding, _ catalogue: Catalogue) -> [CSVColumn] {
        let name = embedding.property.name
        guard let relationship = embedding.property.relationship, !relationship.isToMany,
            let selection = embedding.selection
        else { return [.members(name)] }
        let columns = shown(of: selection, for: catalogue.destination(of: relationship), in: catalogue)
        return (embedding.isIncluded ? [.toOne(name)] : []) + [.related(name, columns)]
    }

    private static func elements(_ elements: [AttributeDescription], in path: [String]) -> [CSVColumn] {
        elements.flatMap { element in
            let path = path + [ResourceProperty.name(of: element.name)]
            return element.elements.isEmpty ? [.attribute(path)] : Self.elements(element.elements, in: path)
        }
    }

    /// Key paths.
    var names: [String] {
        switch self {
        case .reference: ["_id"]
        case .entity: ["_entity"]
        case .version: ["_version"]
        case .highlights: ["_highlight"]
        case .attribute(let path): [path.joined(separator: ".")]
        case .toOne(let name), .members(let name): [name]
        case .related(let name, let columns): columns.flatMap(\.names).map { "\(name).\($0)" }
        }
    }

    /// The cells of an object; empty if it doesn't have the property or no object is related.
    func cells(_ object: ObjectDTO?, in catalogue: Catalogue) -> [String?] {
        guard let object else { return Array(repeating: nil, count: names.count) }
        let row = object.row
        switch self {
        case .reference: return [catalogue.reference(to: row.objectID)]
        case .entity: return [catalogue[row.objectID.entity].name]
        case .version: return ["\(row.version)"]
        case .highlights:
            let resource = object.shape.resource
            return [object.highlights.map { JSONValue(highlights: $0, of: resource).serialized() }]
        case .attribute(let path):
            guard let property = object.shape.resource.property(named: path[0]), var attribute = property.attribute
            else { return [nil] }
            var value = property.shown(row.row.attributes[attribute.slot])
            for name in path.dropFirst() {
                guard case .dictionary(let members) = value,
                    let element = attribute.elements.first(where: { ResourceProperty.name(of: $0.name) == name })
                else { return [nil] }
                attribute = element
                value = members[element.name] ?? .null
            }
            return [value.cellText(of: attribute)]
        case .toOne(let name):
            guard let relationship = object.shape.resource.property(named: name)?.relationship else { return [nil] }
            return [row.row.toOnes[relationship.slot].map(catalogue.reference)]
        case .related(let name, let columns):
            guard case .one(let related) = object.related(named: name) else { return cells(nil, in: catalogue) }
            return columns.flatMap { $0.cells(related, in: catalogue) }
        case .members(let name):
            guard let related = object.related(named: name) else { return [nil] }
            var json = JSONBuffer()
            json.write(related, in: catalogue)
            return [String(decoding: json.bytes, as: UTF8.self)]
        }
    }
}

extension ObjectDTO {
    fileprivate func related(named name: String) -> RelatedDTO? {
        guard shape.resource.property(named: name)?.relationship != nil else { return nil }
        return shape.embeddings.firstIndex { $0.property.name == name }.map { related[$0] }
    }
}
