// SPDX-License-Identifier: Apache-2.0

// Key paths, step by step through relationships and composites.

import Predicates
import SourceText

extension PredicateCheck {
    /// The type at the end of a key path. `path` is the part before `root`, for messages.
    mutating func follow(
        _ keys: ArraySlice<Key>,
        from root: ExpressionType,
        path: [String] = []
    ) -> ExpressionType {
        var type = root
        var path = path
        for (position, key) in zip(keys.indices, keys) {
            if type == .unknown { return .unknown }
            switch key {
            case .argument: return .unknown
            case .name(let name):
                path.append(name)
                // A step from a collection of collections yields one flat collection.
                let step = step(name, from: type.member ?? type, path.joined(separator: "."))
                type = type.isCollection ? .collection(step.member ?? step) : type.member == nil ? step : .list(step)
            case .collection(let aggregate):
                path.append(aggregate.rawValue)
                return self.aggregate(aggregate, of: type, keys[(position + 1)...], path)
            }
        }
        return type
    }

    /// The type of a collection operator's result. The keys after the operator apply to each member first.
    private mutating func aggregate(
        _ aggregate: CollectionOperator,
        of collection: ExpressionType,
        _ rest: ArraySlice<Key>,
        _ steps: [String]
    ) -> ExpressionType {
        let path = (steps + rest.map(\.text)).joined(separator: ".")
        guard collection.member != nil || collection == .unknown else {
            let message = "“\(path)” applies \(aggregate.rawValue) to \(collection.words), which isn't a collection."
            report(.predicateCollection, message, property: path)
            return .unknown
        }
        let reached = follow(rest, from: collection, path: steps)
        let member = reached.member ?? reached
        switch aggregate {
        case .count: return .number
        case .sum, .average:
            if member.isNumeric == false {
                let message = "“\(path)” applies \(aggregate.rawValue) to \(member.words)."
                report(.predicateOperand, message, property: path)
            }
            return .number
        case .minimum, .maximum: return member
        case .unionOfObjects, .distinctUnionOfObjects: return .collection(member)
        }
    }

    private mutating func step(_ name: String, from type: ExpressionType, _ path: String) -> ExpressionType {
        if name == "self" { return type }
        switch type {
        case .unknown: return .unknown
        case .null: return .null
        case .object(let entityName):
            if name == "objectID" { return .reference }
            if name == "entity" { return .text }
            guard let entity = model.entity(named: entityName) else { return .unknown }
            return step(name, fromObjectOf: entity, path)
        case .composite(let compositeName):
            let attributes = model.composite(named: compositeName)?.attributes ?? []
            if let attribute = attributes.first(where: { $0.name == name }) {
                return ExpressionType(attribute.type, in: model)
            }
            let hint = Spelling.hint(for: name, among: attributes.map(\.name))
            report(
                .predicateKey,
                "The composite \(compositeName) has no element “\(name)”.",
                property: path,
                hint: hint
            )
        case .reference where name == "objectID": return type
        case .text where name == "length", .data where name == "length": return .number
        default:
            let steps = path.split(separator: ".").dropLast()
            let owner = steps.joined(separator: ".")
            report(
                .predicatePath,
                "“\(path)” continues after “\(owner)”, which is \(type.words) and has no properties.",
                property: path,
                hint: steps.last == "entity" ? "“entity” is the name of the object's entity." : nil
            )
        }
        return .unknown
    }

    private mutating func step(_ name: String, fromObjectOf owner: Entity, _ path: String) -> ExpressionType {
        switch property(named: name, of: owner) {
        case .attribute(let attribute):
            if isFetched, attribute.isTransient {
                let message = "“\(path)” is transient, so stores can't query it."
                report(.predicateTransient, message, property: path)
            }
            return ExpressionType(attribute.type, in: model)
        case .relationship(let relationship):
            let destination = ExpressionType.object(relationship.destinationName)
            return relationship.isToMany ? .collection(destination) : destination
        case .fetched(let property):
            if isFetched {
                let message = "“\(path)” is a fetched property, which stores can't query."
                report(.predicateFetchedProperty, message, property: path)
            }
            return .collection(.object(property.fetchRequest.entityName))
        case nil:
            let message = "\(owner.name) has no property “\(name)”."
            report(.predicateKey, message, property: path, hint: isGuessing ? hint(for: name, of: owner) : nil)
            return .unknown
        }
    }

    func property(named name: String, of owner: Entity) -> Property? {
        hierarchy.map { $0.property(named: name, of: owner) } ?? model.property(named: name, of: owner)
    }

    private func hint(for name: String, of owner: Entity) -> String? {
        if let below = (hierarchy ?? EntityHierarchy(model)).declarer(of: name, below: owner) {
            return
                "Its subentity \(below.name) has this property, but not all objects of \(owner.name) are of \(below.name)."
        }
        return Spelling.hint(for: name, among: model.lineage(of: owner).flatMap { $0.properties.map(\.name) })
    }
}

extension Key {
    fileprivate var text: String {
        switch self {
        case .name(let name): name
        case .collection(let aggregate): aggregate.rawValue
        case .argument: "%K"
        }
    }
}

extension ExpressionType {
    /// Whether it is a number; nil if unknown.
    var isNumeric: Bool? {
        switch self {
        case .unknown, .null: nil
        case .number, .bool: true
        default: false
        }
    }
}
