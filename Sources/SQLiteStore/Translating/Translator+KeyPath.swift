// SPDX-License-Identifier: Apache-2.0

// Key paths: to-one relationships become joins, to-many relationships become subqueries.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

extension Translator {
    mutating func follow(_ keys: ArraySlice<Key>, from start: Node) throws(Untranslatable) -> Node {
        var node = start
        var rest = keys
        while let key = rest.popFirst() {
            switch key {
            case .argument: throw Untranslatable("has a placeholder without a value")
            case .name(let name): node = try step(name, from: node)
            case .collection(let function):
                guard case .many(var members) = node else {
                    throw Untranslatable("has \(function.rawValue) of one value")
                }
                switch function {
                case .unionOfObjects, .distinctUnionOfObjects:
                    let end = rest.firstIndex { if case .collection = $0 { true } else { false } } ?? rest.endIndex
                    guard case .many(var reached) = try follow(rest[..<end], from: node) else {
                        throw Untranslatable("has \(function.rawValue) of one value")
                    }
                    rest = rest[end...]
                    reached.isDistinct = reached.isDistinct || function == .distinctUnionOfObjects
                    node = .many(reached)
                default:
                    try applyRest(rest, ofEach: &members)
                    return .term(try aggregate(function.function, members))
                }
            }
        }
        return node
    }

    /// Applies the rest of a path after an aggregate to each member.
    private mutating func applyRest(_ keys: ArraySlice<Key>, ofEach members: inout Members) throws(Untranslatable) {
        if keys.isEmpty { return }
        if keys.contains(where: { if case .collection = $0 { true } else { false } }) {
            guard case .object(let object) = members.element, !members.isDistinct,
                case .term(let term) = try follow(keys, from: .object(object))
            else { throw Untranslatable("aggregates collections of collections") }
            members.element = .term(term)
        } else {
            guard case .many(let reached) = try follow(keys, from: .many(members)) else { return }
            members = reached
        }
    }

    private mutating func step(_ name: String, from node: Node) throws(Untranslatable) -> Node {
        if name == "self" { return node }
        switch node {
        case .object(let object): return try step(name, from: object)
        case .many(var members):
            if members.isDistinct { throw Untranslatable("continues after distinct values") }
            if case .object(let object) = members.element, let relationship = object.entity.relationship(named: name),
                relationship.isToMany
            {
                // A nil in between would have to be a member.
                guard case .row(let row) = object.place else {
                    throw Untranslatable("follows a to-one relationship between to-many ones")
                }
                return .many(try self.members(of: relationship, of: members, row: row))
            }
            switch try step(name, from: members.element.node) {
            case .object(let object): members.element = .object(object)
            case .term(let term): members.element = .term(term)
            case .composite(let composite): members.element = .composite(composite)
            default: throw Untranslatable("follows “\(name)” of many objects")
            }
            return .many(members)
        case .composite(let composite):
            guard let (element, columns) = composite.elements.first(where: { $0.element.name == name }) else {
                throw Untranslatable("has no element “\(name)”")
            }
            return attributeNode(element, columns, row: composite.row)
        case .term(let term) where term.kind == .null: return .term(.null)
        case .term(let term) where name == "length" && (term.kind == .text || term.kind == .data):
            return .term(length(of: term))
        case .term(let term) where name == "objectID" && term.kind == .reference: return node
        case .term, .list, .expressions: throw Untranslatable("continues after a value")
        }
    }

    private mutating func step(_ name: String, from object: ObjectTerm) throws(Untranslatable) -> Node {
        if name == "objectID" { return .object(object) }
        switch object.entity.property(named: name) {
        case .attribute(let attribute):
            let row = try row(of: object)
            return attributeNode(attribute, table(ofRow: row)[object.entity].attributes[attribute.slot], row: row)
        case .relationship(let relationship):
            guard !relationship.isTransient else { throw Untranslatable("uses the transient “\(name)”") }
            let row = try row(of: object)
            if relationship.isToMany { return .many(try members(of: relationship, row: row)) }
            guard let destination = destination(of: relationship, row: row) else {
                throw Untranslatable("uses the transient “\(name)”")
            }
            guard schema.table(of: destination.entity) != nil else { throw Untranslatable("refers to another store") }
            return .object(destination)
        case nil where name == "entity": return .term(entityName(of: object))
        case nil where model.kind(of: name) != nil:
            return .object(object.asObject(of: model.kind(of: name) ?? object.entity))
        case .fetched, nil: throw Untranslatable("has no property “\(name)”")
        }
    }

    private func attributeNode(_ attribute: AttributeDescription, _ columns: AttributeColumns, row: Int) -> Node {
        switch columns {
        case .none: return .term(.null)
        case .value(let place, let encoding):
            var term = Term(sql: column(place, ofRow: row), kind: Term.Kind(encoding), isColumn: true)
            term.isSmall = attribute.type == .int16 || attribute.type == .int32 || attribute.type == .bool
            term.isIndexed = isIndexed(attribute, entity(ofRow: row))
            term.canonical = canonicalColumn(of: attribute, row: row)
            return .term(term)
        case .composite(let presence, let elements):
            return .composite(
                CompositeTerm(presence: presence.map { column($0, ofRow: row) }, elements: elements, row: row)
            )
        }
    }

    /// The derived column with an attribute's text without case and diacritics.
    private func canonicalColumn(of attribute: AttributeDescription, row: Int) -> Term.Canonical? {
        guard attribute.type == .string else { return nil }
        let entity = entity(ofRow: row)
        let derivation = ObjectExpression.function(.canonical, [.keyPath(attribute.name)])
        guard entity.attributes.indices.contains(attribute.slot), entity.attributes[attribute.slot] == attribute,
            let derived = entity.attributes.first(where: { $0.derivation == derivation }),
            case .value(let place, .string) = table(ofRow: row)[entity].attributes[derived.slot]
        else { return nil }
        return Term.Canonical(sql: column(place, ofRow: row), isIndexed: isIndexed(derived, entity))
    }

    /// Whether an index of an entity or superentity begins with an attribute.
    private func isIndexed(_ attribute: AttributeDescription, _ entity: EntityDescription) -> Bool {
        model.entities[entity.rootIndex...entity.index].contains { owner in
            entity.isKind(of: owner) && owner.attribute(named: attribute.name) == attribute
                && owner.entity.indexes(attribute.name)
        }
    }

    /// The name of an object's entity.
    func entityName(of object: ObjectTerm) -> Term {
        let kinds = model.kinds(of: object.entity)
        var term = Term(sql: "", kind: .text, isNullable: object.isNullable, named: object)
        if let number = object.number {
            let names = kinds.map { kind -> SQL in
                "WHEN \(literal: .integer(schema.numbers[kind])) THEN \(literal: .text(kind.name))"
            }
            term.sql = "CASE \(number) \(names.joined(separator: " ")) END"
        } else {
            let name = SQL.literal(.text(object.entity.name))
            term.sql = object.isNullable ? "CASE WHEN \(object.key) IS NOT NULL THEN \(name) END" : name
        }
        return term
    }
}

extension Entity {
    fileprivate func indexes(_ attribute: String) -> Bool {
        attributes.contains { $0.name == attribute && $0.isIndexed }
            || uniquenessConstraints.contains { $0.first == attribute }
            || fetchIndexes.contains { $0.elements.first?.subject == .property(attribute) }
    }
}
