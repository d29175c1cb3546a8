// SPDX-License-Identifier: Apache-2.0

// Descriptions of properties: their types in Swift syntax, and notes.

import FoundationEssentials
import ObjectModel
import Predicates

enum PropertyWording {
    static func type(of attribute: Attribute) -> String {
        attribute.type.name + (attribute.isOptional ? "?" : "")
    }

    static func type(of relationship: Relationship) -> String {
        relationship.isToMany
            ? "→ [\(relationship.destinationName)]"
            : "→ \(relationship.destinationName)\(relationship.isOptional ? "?" : "")"
    }

    static func notes(on attribute: Attribute) -> [String] {
        var notes: [String] = []
        if let derivation = attribute.derivation { notes.append("derived: \(derivation)") }
        if attribute.isTransient { notes.append("transient") }
        if let value = attribute.defaultValue { notes.append("default \(text(of: value))") }
        if let range = range(attribute.minimumValue.map(text), attribute.maximumValue.map(text)) { notes.append(range) }
        if let range = range(attribute.minimumLength.map(String.init), attribute.maximumLength.map(String.init)) {
            notes.append("\(range) characters")
        }
        if let pattern = attribute.regularExpression { notes.append("matches \(pattern)") }
        if case .transformable(let name?) = attribute.type, !name.isEmpty { notes.append("by \(name)") }
        if attribute.allowsExternalStorage { notes.append("external storage") }
        if attribute.isIndexed { notes.append("indexed") }
        if attribute.isSearchIndexed { notes.append("searchable") }
        if attribute.isPreservedAfterDeletion { notes.append("preserved after deletion") }
        if let former = attribute.renamingIdentifier { notes.append("was \(former)") }
        return notes
    }

    static func notes(on relationship: Relationship) -> [String] {
        var notes: [String] = []
        if relationship.isOrdered { notes.append("ordered") }
        if relationship.isToMany, !relationship.isOptional { notes.append("required") }
        if relationship.isToMany,
            let range = range(relationship.minimumCount.map(String.init), relationship.maximumCount.map(String.init))
        {
            notes.append(range)
        }
        notes.append(relationship.inverseName.map { "inverse \($0)" } ?? "no inverse")
        if relationship.deleteRule != .nullify {
            notes.append("on delete: " + relationship.deleteRule.rawValue.lowercased())
        }
        if relationship.isTransient { notes.append("transient") }
        if let former = relationship.renamingIdentifier { notes.append("was \(former)") }
        return notes
    }

    static func elements(of index: FetchIndex) -> String {
        let elements = index.elements.map { element in
            let subject =
                switch element.subject {
                case .property(let name): name
                case .expression(let text, _): text
                }
            return (element.isAscending ? "" : "-") + subject + (element.kind == .rTree ? " (R-tree)" : "")
        }
        return elements.joined(separator: ", ") + (index.partialPredicate.map { " where \($0)" } ?? "")
    }

    private static func text(of value: Value) -> String {
        switch value {
        case .double(let number): Int64(exactly: number).map(String.init) ?? number.description
        case .decimal(let number): number.description
        case .date(let date): date.formatted(.iso8601)
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .uri(let uri): uri
        default: ObjectExpression.constant(value).description
        }
    }

    private static func range(_ least: String?, _ most: String?) -> String? {
        switch (least, most) {
        case (nil, nil): nil
        case (let least?, nil): "at least \(least)"
        case (nil, let most?): "at most \(most)"
        case (let least?, let most?): least == most ? least : "\(least) to \(most)"
        }
    }
}
