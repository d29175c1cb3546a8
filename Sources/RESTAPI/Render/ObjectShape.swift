// SPDX-License-Identifier: Apache-2.0

// The form of an entity's objects: keys as bytes, and the positions of values in a row.

import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// A selection prepared for the objects of an entity.
final class ObjectShape: Sendable {
    /// A member of an object, in output order. Members don't refer to objects, since each is used for each object
    /// written.
    struct Member: Sendable {
        /// The range of `keys` with the member's name and the comma before it.
        let key: Range<Int>
        let kind: Kind
    }

    enum Kind: Sendable {
        /// An attribute, by slot.
        case attribute(Int)
        /// An attribute whose null is shown as another value, the one at an index of `fillings`.
        case filled(Int, by: Int)
        /// An attribute in a form that can be read back without loss.
        case portable(Int)
        /// A binary attribute, shown as a link.
        case bytes(Int)
        /// Selected elements of a composite attribute, those at an index of `parts`.
        case parts(Int, Int)
        /// A reference to one object.
        case toOne(slot: Int)
        /// An embedding, by index.
        case embedded(Int)
    }

    let resource: Resource
    let members: [Member]
    let keys: [UInt8]
    let fillings: [Value]
    let parts: [[AttributeDescription]]
    let isPortable: Bool
    /// The shown properties in order.
    let shown: [ResourceProperty]
    /// The selection's embeddings, also of relationships that the entity doesn't have.
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
        let embeddings = selection.embedded
        var shown =
            selection.properties?.compactMap { resource.property(named: $0.name) }
            ?? resource.properties.filter { $0.attribute != nil || $0.relationship?.isToMany == false }
        for embedding in embeddings where !shown.contains(where: { $0.name == embedding.property.name }) {
            let own = resource.property(named: embedding.property.name)
            if let own, own.relationship != nil { shown.append(own) }
        }
        var members: [Member] = []
        var keys: [UInt8] = []
        var fillings: [Value] = []
        var parts: [[AttributeDescription]] = []
        for property in shown {
            let kind: Kind
            if let place = embeddings.firstIndex(where: { $0.property.name == property.name }) {
                kind = .embedded(place)
            } else {
                switch property.property {
                case .attribute(let attribute):
                    if let selected = selection.elements[property.name] {
                        kind = .parts(attribute.slot, parts.count)
                        parts.append(selected)
                    } else if let value = property.shownForNull {
                        kind = .filled(attribute.slot, by: fillings.count)
                        fillings.append(value)
                    } else if selection.isPortable {
                        kind = .portable(attribute.slot)
                    } else {
                        kind = attribute.type == .binary ? .bytes(attribute.slot) : .attribute(attribute.slot)
                    }
                case .relationship(let relationship): kind = .toOne(slot: relationship.slot)
                case .fetched: continue
                }
            }
            let start = keys.count
            keys += Self.key(property.name)
            members.append(Member(key: start..<keys.count, kind: kind))
        }
        self.members = members
        self.keys = keys
        self.fillings = fillings
        self.parts = parts
        isPortable = selection.isPortable
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
