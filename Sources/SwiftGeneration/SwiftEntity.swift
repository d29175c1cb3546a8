// SPDX-License-Identifier: Apache-2.0

// The files of an entity: its hand-owned class, its properties and keys, and the struct of its values.

import ObjectModel

struct SwiftEntity {
    private let entity: Entity
    private let model: Model
    private let names: SwiftNames
    private let access: AccessLevel
    private let className: String

    init(_ entity: Entity, of model: Model, _ names: SwiftNames, _ access: AccessLevel) {
        self.entity = entity
        self.model = model
        self.names = names
        self.access = access
        className = names.className(of: entity.name)
    }

    /// The class, which is written only once.
    var ownClass: GeneratedFile {
        let parent = entity.parentName.map(names.className(of:))
        let isFinal = !names.hasSubentities(entity)
        let head = "\(access.modifier)\(isFinal ? "final " : "")class \(className): \(parent ?? "ManagedObject") {"
        let importing = "\(parent == nil ? access.modifier : "")import Outcrop"
        // The entity's name is required if it, or an ancestor's, differs from the class name.
        let isPlain = model.lineage(of: entity).allSatisfy { names.className(of: $0.name) == $0.name }
        guard !isPlain else {
            return GeneratedFile(handOwned: className, "\(importing)\n\n\(head)}\n")
        }
        let name = "    override \(access.modifier)class var entityName: String { \"\(entity.name)\" }"
        return GeneratedFile(handOwned: className, "\(importing)\n\n\(head)\n\(name)\n}\n")
    }

    /// The typed properties and their keys.
    var properties: GeneratedFile {
        let properties = entity.properties.sorted { $0.name < $1.name }
        let keys = properties.compactMap(key)
        var parts: [[String]] = []
        if !properties.isEmpty {
            let declarations = properties.map(declaration).map { $0.map { "    " + $0 } }
            let lines = declarations.enumerated().flatMap { index, lines in
                index > 0 && (lines.count > 1 || declarations[index - 1].count > 1) ? [""] + lines : lines
            }
            parts.append(["extension \(className) {"] + lines + ["}"])
        }
        if !keys.isEmpty {
            parts.append(["extension Keys where Object: \(className) {"] + keys.flatMap(\.self) + ["}"])
        }
        return GeneratedFile(className, imports: SwiftNames.imports(for: entity.attributes), access, parts)
    }

    private func declaration(of property: Property) -> [String] {
        let name = SwiftNames.declared(names.property(property.name, of: entity))
        func declare(_ type: String, _ label: String, isWritable: Bool) -> [String] {
            let head = "\(access.modifier)var \(name): \(type) {"
            let place = "self[\(label): \"\(property.name)\"]"
            if isWritable { return [head, "    get { \(place) }", "    set { \(place) = newValue }", "}"] }
            return SwiftEntity.oneLine(head, place, indent: 4)
        }
        switch property {
        case .attribute(let attribute):
            return declare(names.type(of: attribute), "attribute", isWritable: !attribute.isDerived)
        case .relationship(let relationship):
            let destination = names.className(of: relationship.destinationName)
            guard relationship.isToMany else { return declare(destination + "?", "toOne", isWritable: true) }
            return relationship.isOrdered
                ? declare("OrderedObjects<\(destination)>", "ordered", isWritable: false)
                : declare("ToManyObjects<\(destination)>", "toMany", isWritable: false)
        case .fetched(let property):
            let destination = names.className(of: property.fetchRequest.entityName)
            return declare("[\(destination)]", "fetched", isWritable: false)
        }
    }

    private func key(of property: Property) -> [String]? {
        let name = SwiftNames.declared(names.property(property.name, of: entity))
        let type: String
        let label: String
        switch property {
        case .attribute(let attribute):
            type = "AttributeKey<\(names.type(of: attribute))>"
            label = "attribute"
        case .relationship(let relationship):
            let destination = names.className(of: relationship.destinationName)
            type = relationship.isToMany ? "ToManyKey<\(destination)>" : "Keys<\(destination)>"
            label = relationship.isToMany ? "toMany" : "toOne"
        case .fetched: return nil
        }
        let head = "\(access.modifier)var \(name): \(type) {"
        return SwiftEntity.oneLine(head, "self[\(label): \"\(property.name)\"]", indent: 4).map { "    " + $0 }
    }

    /// The struct of an object's values.
    var transfer: GeneratedFile {
        let attributes = model.attributes(of: entity).sorted { $0.name < $1.name }
        let toOnes = model.relationships(of: entity).filter { !$0.isToMany }.sorted { $0.name < $1.name }
        let members =
            attributes.map { (names.property($0.name, of: entity), names.type(of: $0)) }
            + toOnes.map { (names.property($0.name, of: entity), "ObjectReference?") }
        let type = names.transferName(of: entity.name)
        let fields = SwiftStruct(type, ["Codable", "Hashable", "Sendable"], members, access)
        let writable = attributes.filter { !$0.isDerived }.map { names.property($0.name, of: entity) }
        var reading: [String] = attributes.map { names.property($0.name, of: entity) }.map {
            "        self.\($0) = try object.value(of: \\.\($0))"
        }
        reading += toOnes.map { names.property($0.name, of: entity) }.map {
            "        self.\($0) = try object.reference(of: \\.\($0))"
        }
        var writing = writable.map { "        try object.setValue(self.\($0), of: \\.\($0))" }
        writing += toOnes.map { names.property($0.name, of: entity) }.map {
            "        try object.setReference(self.\($0), of: \\.\($0))"
        }
        let isEmpty = members.isEmpty
        let conversions =
            ["extension \(type) {"]
            + ["    \(access.modifier)init(_ object: \(className))\(isEmpty ? "" : " throws(GraphError)") {"] + reading
            + ["    }", ""]
            + [
                "    /// Sets all that can be set.",
                "    \(access.modifier)func apply(to object: \(className))\(writing.isEmpty ? "" : " throws(GraphError)") {",
            ] + writing + ["    }", "}"]
        // A public import without a public declaration that uses it causes a warning.
        return GeneratedFile(
            type,
            imports: SwiftNames.imports(for: attributes),
            isEmpty ? .internal : access,
            [fields.lines, conversions]
        )
    }

    /// A declaration on one line, or on three if it would be too long.
    static func oneLine(_ head: String, _ body: String, indent: Int) -> [String] {
        let line = "\(head) \(body) }"
        return indent + line.count <= 120 ? [line] : [head, "    " + body, "}"]
    }
}
