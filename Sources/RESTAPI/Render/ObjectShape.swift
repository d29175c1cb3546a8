// SPDX-License-Identifier: Apache-2.0

// How objects of one entity are written: the keys as bytes, and where in a row their values are.

import JSON
import ObjectGraph
import ObjectModel

/// A selection worked out for the objects of an entity, once for all of them.
final class ObjectShape: Sendable {
    /// One member of an object, in the order in which they are written.
    enum Member: Sendable {
        case attribute(key: [UInt8], AttributeDescription)
        /// An attribute whose value is to be read back as the same one.
        case portable(key: [UInt8], AttributeDescription)
        /// A binary attribute, whose bytes are to be had elsewhere.
        case bytes(key: [UInt8], AttributeDescription)
        /// Some parts of a composite attribute.
        case parts(key: [UInt8], AttributeDescription, [AttributeDescription])
        /// A reference to one object.
        case toOne(key: [UInt8], slot: Int)
        /// What is embedded, by its place among that.
        case embedded(key: [UInt8], Int)
    }

    let resource: Resource
    let members: [Member]
    /// The properties that are shown, in their order.
    let shown: [ResourceProperty]
    /// What is embedded, in the order of the places.
    let embeddings: [Selection.Embedding]
    /// `{"_id":"posts/`
    let opening: [UInt8]
    /// `","_entity":"Post","_version":`
    let entity: [UInt8]
    /// Whether everything is shown that the object's version speaks of, and nothing else.
    let isWhole: Bool
    /// Of what is shown as a whole, the attributes whose values change without a new version, since they are derived of others'.
    let derived: [AttributeDescription]

    init(_ selection: Selection, of resource: Resource, derived: [AttributeDescription] = []) {
        self.resource = resource
        self.derived = derived
        // An entity below another has properties of its own, and those of the selection that it knows.
        let embeddings = selection.embedded.filter { resource.property(named: $0.property.name)?.relationship != nil }
        var shown =
            selection.properties?.compactMap { resource.property(named: $0.name) }
            ?? resource.properties.filter { $0.attribute != nil || $0.relationship?.isToMany == false }
        for embedding in embeddings where !shown.contains(where: { $0.name == embedding.property.name }) {
            shown += [resource.property(named: embedding.property.name)].compactMap(\.self)
        }
        members = shown.compactMap { property in
            let key = Self.key(property.name)
            if let place = embeddings.firstIndex(where: { $0.property.name == property.name }) {
                return .embedded(key: key, place)
            }
            switch property.property {
            case .attribute(let attribute):
                if let parts = selection.elements[property.name] { return .parts(key: key, attribute, parts) }
                if selection.isPortable { return .portable(key: key, attribute) }
                return attribute.type == .binary ? .bytes(key: key, attribute) : .attribute(key: key, attribute)
            case .relationship(let relationship): return .toOne(key: key, slot: relationship.slot)
            case .fetched: return nil
            }
        }
        (self.embeddings, self.shown) = (embeddings, shown)
        isWhole = selection == .all
        opening = Array("{\"_id\":\"".utf8) + resource.referenceOpening
        entity = Array("\",\"_entity\":\(JSONValue.string(resource.entity.name)),\"_version\":".utf8)
    }

    private static func key(_ name: String) -> [UInt8] { Array(",\(JSONValue.string(name)):".utf8) }

    /// What stands within quotes.
    static func escaped(_ text: String) -> String { String(JSONValue.string(text).serialized().dropFirst().dropLast()) }
}
