// SPDX-License-Identifier: Apache-2.0

// Indexes of a compiled model, of all three kinds that there have been.

import Predicates
import PropertyList

extension CompiledReader {
    /// Reads an entity's indexes. An index of one kind is archived as one of another as well, so that every version of Core
    /// Data finds one that it knows; such doubles are left out here.
    ///
    /// - Parameter indexed: The names of the properties that are said to be indexed, inherited ones as well.
    mutating func readIndexes(
        of object: ArchivedObject,
        indexed: Set<String>,
        into entity: inout Entity
    ) throws(ModelError) {
        var doubles: Set<String> = []
        for value in try members(object["NSFetchIndexDescriptions"]) {
            guard let archived = value.object else { continue }
            let index = try fetchIndex(archived)
            if indexed.contains(index.name), index == .double(of: index.name) {
                doubles.insert(index.name)
            } else {
                entity.fetchIndexes.append(index)
            }
        }
        let plain = Set(entity.fetchIndexes.compactMap(\.plainNames))
        for place in entity.attributes.indices where !doubles.contains(entity.attributes[place].name) {
            if plain.contains([entity.attributes[place].name]) { entity.attributes[place].isIndexed = false }
        }
        entity.compoundIndexes = try nameLists(object["NSCompoundIndexes"]).filter { !plain.contains($0) }
    }

    private mutating func fetchIndex(_ object: ArchivedObject) throws(ModelError) -> FetchIndex {
        var index = FetchIndex(name: object.text("NSIndexName") ?? "", elements: [])
        if let predicate = object["NSPartialIndexPredicate"], !predicate.isNull {
            index.partialPredicate = readPredicate(predicate, of: "The index “\(index.name)”")
        }
        for value in try members(object["NSIndexElements"]) {
            guard let element = value.object else { continue }
            index.elements.append(
                FetchIndex.Element(
                    subject(of: element, in: index.name),
                    kind: element.integer("NSFetchIndexElementType") == 1 ? .rTree : .binary,
                    isAscending: element["NSAscending"]?.boolean ?? true
                )
            )
        }
        return index
    }

    private mutating func subject(of element: ArchivedObject, in index: String) -> FetchIndex.Element.Subject {
        let name = element.text("NSPropertyName") ?? ""
        guard let property = element["NSIndexedProperty"]?.object, property.isKind(of: "NSExpressionDescription")
        else { return .property(name) }
        do {
            let expression = try expression(property["NSExpression"] ?? .null)
            let type = property.integer("NSExpressionType").flatMap(AttributeType.init(compiled:))
            return .expression(expression.description, type: type == .undefined ? nil : type)
        } catch {
            report("An expression of the index “\(index)” can't be read: \(error.message)")
            return .property(name)
        }
    }

    /// The text of a predicate; nil, and an issue, if it can't be read.
    mutating func readPredicate(_ value: ArchivedValue, of what: String) -> String? {
        do {
            return try predicate(value).description
        } catch {
            report("\(what) has a predicate that can't be read, and is left out: \(error.message)")
            return nil
        }
    }

    /// The text of a predicate for a message.
    mutating func text(ofPredicate value: ArchivedValue) -> String {
        (try? predicate(value)).map { "“\($0)”" } ?? "it can't be read"
    }
}

extension FetchIndex {
    /// The fetch index that stands for an attribute's own index.
    static func double(of attribute: String) -> FetchIndex {
        FetchIndex(name: attribute, elements: [FetchIndex.Element(.property(attribute))])
    }

    /// The names of its properties, if it could be an index of old.
    var plainNames: [String]? {
        guard partialPredicate == nil else { return nil }
        var names: [String] = []
        for element in elements {
            guard case .property(let name) = element.subject, element.kind == .binary, element.isAscending else {
                return nil
            }
            names.append(name)
        }
        return names
    }
}
