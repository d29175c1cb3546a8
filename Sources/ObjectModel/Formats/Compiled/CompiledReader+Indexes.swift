// SPDX-License-Identifier: Apache-2.0

// Indexes of a compiled model, in all three forms that Core Data has used.

import Predicates
import PropertyList

extension CompiledReader {
    /// Reads an entity's indexes. Core Data archives an index in several forms so that each of its versions finds one
    /// it knows; the duplicates are left out here.
    mutating func readIndexes(
        of object: ArchivedObject,
        over properties: IndexableProperties,
        into entity: inout Entity
    ) throws(ModelError) {
        var doubles: Set<String> = []
        for value in try members(object["NSFetchIndexDescriptions"]) {
            guard let archived = value.object else { continue }
            var index = try fetchIndex(archived)
            let count = index.elements.count
            index.elements.removeAll { properties.isToMany($0) }
            if index.elements.count < count {
                report("The index “\(index.name)” contains a to-many relationship, which stores can't index.")
                if index.elements.isEmpty { continue }
            }
            if properties.indexed.contains(index.name), index == .double(of: index.name) {
                doubles.insert(index.name)
            } else {
                entity.fetchIndexes.append(index)
            }
        }
        let plain = Set(entity.fetchIndexes.compactMap(\.plainNames))
        for place in entity.attributes.indices where !doubles.contains(entity.attributes[place].name) {
            if plain.contains([entity.attributes[place].name]) { entity.attributes[place].isIndexed = false }
        }
        let mirrored = Set(entity.fetchIndexes.compactMap(\.mirroredNames))
        entity.compoundIndexes = try nameLists(object["NSCompoundIndexes"]).filter { !mirrored.contains($0) }
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

    /// The text of a predicate. If it can't be read, reports an issue and returns nil.
    mutating func readPredicate(_ value: ArchivedValue, of what: String) -> String? {
        do {
            return try predicate(value).description
        } catch {
            report("\(what) has a predicate that can't be read, and is ignored: \(error.message)")
            return nil
        }
    }

    /// The text of a predicate, for messages.
    mutating func text(ofPredicate value: ArchivedValue) -> String {
        (try? predicate(value)).map { "“\($0)”" } ?? "it can't be read"
    }
}

extension FetchIndex {
    /// The fetch index that duplicates an attribute's own index.
    static func double(of attribute: String) -> FetchIndex {
        FetchIndex(name: attribute, elements: [FetchIndex.Element(.property(attribute))])
    }

    /// The property names, if the index could also be a compound index.
    fileprivate var plainNames: [String]? {
        let isPlain = partialPredicate == nil && elements.allSatisfy { $0.kind == .binary && $0.isAscending }
        return isPlain ? mirroredNames : nil
    }

    /// The names in the compound index that duplicates this one, where the object's key and its entity have names too.
    fileprivate var mirroredNames: [String]? {
        var names: [String] = []
        for element in elements {
            switch element.subject {
            case .property(let name): names.append(name)
            case .expression("SELF", _): names.append("self")
            case .expression("entity", _): names.append("entity")
            case .expression: return nil
            }
        }
        return names
    }
}

/// The facts about an entity's properties, including inherited ones, that its indexes depend on.
struct IndexableProperties {
    /// The names of the attributes that have their own index.
    private(set) var indexed: Set<String> = []
    private var toMany: Set<String> = []

    mutating func add(_ property: ArchivedObject, named name: String) {
        if property.flag("NSIsIndexed") { indexed.insert(name) }
        if let maximum = property.integer("NSMaxCount"), maximum != 1 { toMany.insert(name) }
    }

    func isToMany(_ element: FetchIndex.Element) -> Bool {
        if case .property(let name) = element.subject { toMany.contains(name) } else { false }
    }
}

extension ArchivedObject {
    /// The property behind a proxy of an inherited one; otherwise itself.
    var underlying: ArchivedObject { self["NSUnderlyingProperty"]?.object ?? self }
}
