// SPDX-License-Identifier: Apache-2.0

// The form of an entity's objects: keys as bytes, and the positions of values in a row.

import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// A selection prepared for the objects of an entity.
final class ObjectShape: Sendable {
    /// A member of an object, in output order.
    enum Member: Sendable {
        case attribute(key: [UInt8], AttributeDescription)
        /// An attribute whose null is shown as another value.
        indirect case filled(key: [UInt8], AttributeDescription, by: Value, isPortable: Bool)
        /// An attribute in a form that can be read back without loss.
        case portable(key: [UInt8], AttributeDescription)
        /// A binary attribute, shown as a link.
        case bytes(key: [UInt8], AttributeDescription)
        /// Selected elements of a composite attribute.
        case parts(key: [UInt8], AttributeDescription, [AttributeDescription])
        /// A reference to one object.
        case toOne(key: [UInt8], slot: Int)
        /// An embedding, by index.
        case embedded(key: [UInt8], Int)
    }

    let resource: Resource
    let members: [Member]
    /// The shown properties in order.
    let shown: [ResourceProperty]
    /// The embeddings in the order of their indexes.
    let embeddings: [Selection.Embedding]
    /// `{"_id":"posts/`
    let opening: [UInt8]
    /// `","_entity":"Post","_version":`
    let entity: [UInt8]
    /// Whether exactly the properties are shown that the object's version covers.
    let isWhole: Bool
    /// If shown completely: the attributes derived from other objects; their values change without a new version.
    let derived: [AttributeDescription]
    /// The end of a tag after the stores were migrated, and in other versions of the model: the same version of an object
    /// has other members there.
    let tagSuffix: String

    init(
        _ selection: Selection,
        of resource: Resource,
        derived: [AttributeDescription] = [],
        tagSuffix: String = ""
    ) {
        self.resource = resource
        self.derived = derived
        self.tagSuffix = tagSuffix
        // A subentity has properties of its own, and those of the selection that it knows.
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
                if let value = property.shownForNull {
                    return .filled(key: key, attribute, by: value, isPortable: selection.isPortable)
                }
                if selection.isPortable { return .portable(key: key, attribute) }
                return attribute.type == .binary ? .bytes(key: key, attribute) : .attribute(key: key, attribute)
            case .relationship(let relationship): return .toOne(key: key, slot: relationship.slot)
            case .fetched: return nil
            }
        }
        self.embeddings = embeddings
        self.shown = shown
        isWhole = selection == .all
        opening = Array("{\"_id\":\"".utf8) + resource.referencePrefix
        entity = Array("\",\"_entity\":\(JSONValue.string(resource.name)),\"_version\":".utf8)
    }

    private static func key(_ name: String) -> [UInt8] { Array(",\(JSONValue.string(name)):".utf8) }

    /// The text escaped as within quotes.
    static func escaped(_ text: String) -> String { String(JSONValue.string(text).serialized().dropFirst().dropLast()) }
}
