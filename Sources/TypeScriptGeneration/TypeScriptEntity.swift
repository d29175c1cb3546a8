// SPDX-License-Identifier: Apache-2.0

// The types of an entity: its reference, its objects, values of new ones, changes, and conditions.

import HTTPMessage
import ObjectModel

struct TypeScriptEntity {
    private let entity: Entity
    private let model: Model
    private let names: TypeScriptNames
    private let subentities: [Entity]
    /// The attribute that is only written; nil if there is none.
    private let password: String?

    /// - Parameter password: The attribute with the passwords of accounts, if the entity has it.
    init(_ entity: Entity, of model: Model, _ names: TypeScriptNames, password: String? = nil) {
        self.entity = entity
        self.model = model
        self.names = names
        self.password = password
        subentities = model.subentities(of: entity).sorted { $0.name < $1.name }
    }

    var section: String {
        let parts = [[reference], objects, [create, update, filter]].joined()
        return "// ----- \(entity.name.asComment) -----\n\n" + parts.joined(separator: "\n\n")
    }

    /// The properties that the stores keep, in the order of their names.
    private var attributes: [Attribute] {
        entity.attributes.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    }

    private var shownAttributes: [Attribute] { attributes.filter { $0.name != password } }

    private var relationships: [Relationship] {
        entity.relationships.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    }

    // MARK: Reading

    private var ownReference: String { "`\(RequestTarget.encode(segment: entity.apiPath))/${string}`" }

    private var reference: String {
        // Clients may use an ancestor's path, as in `contacts/1` for a user.
        let union = ([ownReference] + subentities.map { names[$0.name, .reference] }).asUnion
        return """
            /** A reference to an object of \(entity.name.asComment). */
            export type \(names[entity.name, .reference]) = \(union);
            """
    }

    private var objects: [String] {
        let fields = shownAttributes.flatMap(readField) + relationships.filter { !$0.isToMany }.map(readReference)
        let parent = entity.parentName.map { names[$0, .fields] } ?? "ObjectIdentity"
        let own = names[entity.name]
        let identity = ["readonly _id: \(ownReference);", "readonly _entity: \(entity.name.quoted);"]
        guard !subentities.isEmpty else {
            let leaf = ["readonly _id: \(names[entity.name, .reference]);", identity[1]]
            let comment = "An object of \(entity.name)."
            return [interface(comment, own, extending: parent, leaf + fields)]
        }
        let shared = names[entity.name, .fields]
        var parts = [
            interface(
                "What objects of \(entity.name) and of its subentities have.",
                shared,
                extending: parent,
                fields
            )
        ]
        var kinds = subentities.map { names[$0.name] }
        if !entity.isAbstract {
            let itself = names[entity.name, .itself]
            let comment = "An object of \(entity.name) itself, not of a subentity."
            parts.append(interface(comment, itself, extending: shared, identity))
            kinds.insert(itself, at: 0)
        }
        parts.append(
            """
            /** An object of \(entity.name.asComment) or of a subentity: `_entity` says which. */
            export type \(own) = \(kinds.asUnion);
            """
        )
        return parts
    }

    private func readField(_ attribute: Attribute) -> [String] {
        let comment = attribute.remark.map { ["/** \($0.asComment) */"] } ?? []
        let modifier = attribute.isDerived ? "readonly " : ""
        return comment + ["\(modifier)\(attribute.name.inAPI.asKey): \(names.read(attribute));"]
    }

    private func readReference(_ relationship: Relationship) -> String {
        let type = names[relationship.destinationName, .reference]
        return "\(relationship.name.inAPI.asKey): \(type)\(relationship.isOptional ? " | null" : "");"
    }

    // MARK: Writing

    private var create: String {
        let members = attributes.filter(\.isWritable).map { attribute in
            let isNeeded = attribute.isNeeded && attribute.name != password
            return "\(attribute.name.inAPI.asKey)\(isNeeded ? "" : "?"): \(names.written(attribute));"
        }
        let related = relationships.map { relationship in
            "\(relationship.name.inAPI.asKey)\(relationship.isOptional ? "?" : ""): \(input(relationship));"
        }
        return body("Values of a new object of \(entity.name).", .create, members + related)
    }

    private var update: String {
        let members = attributes.filter(\.isWritable).map { attribute in
            "\(attribute.name.inAPI.asKey)?: \(names.changed(attribute));"
        }
        let related = relationships.map { "\($0.name.inAPI.asKey)?: \(input($0));" }
        return body("Changes of an object of \(entity.name).", .update, members + related)
    }

    /// What a relationship takes. A new member of it needn't name the object on its other side.
    private func input(_ relationship: Relationship) -> String {
        let inverse = model.inverse(of: relationship).flatMap { $0.isToMany ? nil : $0.name.inAPI.quoted }
        let arguments = [relationship.destinationName.quoted, inverse].compactMap(\.self).joined(separator: ", ")
        let type =
            relationship.isToMany
            ? relationship.isOrdered ? "OrderedObjects" : "RelatedObjects"
            : "RelatedObject"
        return "\(type)<\(arguments)>\(relationship.isOptional ? " | null" : "")"
    }

    // MARK: Filtering

    private var filter: String {
        let members = shownAttributes.map { "\($0.name.inAPI.asFilterKey)?: \(names.filter($0));" }
        let related = relationships.map { relationship in
            let type = relationship.isToMany ? "ToManyFilter" : "ToOneFilter"
            return "\(relationship.name.inAPI.asFilterKey)?: \(type)<\(relationship.destinationName.quoted)>;"
        }
        return body("Conditions on objects of \(entity.name).", .filter, members + related)
    }

    private func body(_ comment: String, _ form: TypeScriptNames.Form, _ members: [String]) -> String {
        interface(comment, names[entity.name, form], extending: entity.parentName.map { names[$0, form] }, members)
    }

    private func interface(_ comment: String, _ name: String, extending parent: String?, _ members: [String]) -> String
    {
        let head = "export interface \(name)\(parent.map { " extends \($0)" } ?? "")"
        let lines = members.isEmpty ? ["\(head) {}"] : ["\(head) {"] + members.map { "  " + $0 } + ["}"]
        return (["/** \(comment.asComment) */"] + lines).joined(separator: "\n")
    }
}

extension String {
    /// The name of a property in a filter, which has members of its own, and those of every object.
    var asFilterKey: String { Self.filterMembers.contains(self) ? "#\(self)".quoted : asKey }

    private static let filterMembers: Set<String> = [
        "and", "constructor", "hasOwnProperty", "isPrototypeOf", "not", "or", "propertyIsEnumerable", "toLocaleString",
        "toString", "valueOf",
    ]
}
